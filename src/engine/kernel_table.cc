#include "engine/kernel_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/printer.h"
#include "emit/emit.h"
#include "lower/lower.h"
#include "schedule/schedule.h"

namespace fuselane {

std::optional<GeneratedKernel> KernelTable::kernel(const loop::Task& task, const KernelLimits& limits) {
  std::string text;
  auto make = [&](Target target) {
    target.tiling = limits.tiling;
    const loop::Schedule schedule = default_schedule(task, target);
    text = loop::text_of(schedule);
    return replay(task, schedule);
  };
  // On an engine without relaxed SIMD all models share kernels.
  const bool lowers = !limits.relaxed && target_ && target_->simd == SimdLevel::Relaxed;
  const std::string key = cat(loop::text_of(task), limits.tiling ? "" : " untiled", lowers ? " strict" : "");
  auto kernel = get(key, make, lowers ? SimdLevel::Baseline : SimdLevel::Relaxed);
  if (kernel && !text.empty()) kernels_[kernel->number - kLibraryKernels].schedule = std::move(text);
  return kernel;
}

std::optional<GeneratedKernel> KernelTable::get(std::string_view key, const Make& make, SimdLevel most) {
  if (!target_) return std::nullopt;
  Target target = *target_;
  target.simd = std::min(target.simd, most);
  auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second ? std::optional(at(*found->second)) : std::nullopt;
  auto kernel = make(target);
  auto lowered = kernel ? lower({&*kernel, 1}, target) : std::unexpected(std::move(kernel.error()));
  if (!lowered || crew_.installs() + waiting_.size() >= Crew::kMostInstalls) {
    numbers_.emplace(key, std::nullopt);
    return std::nullopt;
  }
  return add(key, *std::move(kernel), *std::move(lowered));
}

// A function's number is its place in the module, so that calls change with it. What may want memory comes
// first, so that nothing is half done when there is none (base/guard.h).
GeneratedKernel KernelTable::add(std::string_view key, loop::Kernel kernel, low::Module lowered) {
  const size_t base = batch_.functions.size();
  for (low::Function& function : lowered.functions) {
    for (low::CallSite& call : function.calls) call.callee = low::FunctionId(base + call.callee.index);
    if (function.exported) function.name = key;  // names of exports are unique
  }
  batch_.functions.reserve(base + lowered.functions.size());
  kernels_.reserve(kernels_.size() + 1);
  auto loops = std::make_unique<const loop::Kernel>(std::move(kernel));
  const uint32_t number = kLibraryKernels + static_cast<uint32_t>(kernels_.size());
  const auto [entry, added] = numbers_.emplace(key, number);
  kernels_.push_back({.key = &entry->first, .schedule = {}, .loops = std::move(loops), .callee = {}});
  std::ranges::move(lowered.functions, std::back_inserter(batch_.functions));
  batch_.shared_memory = lowered.shared_memory;
  return at(number);
}

void KernelTable::close_batch() {
  if (!has_batch()) return;
  auto install = std::make_unique<Install>();
  install->module = emit(batch_, {.names = names_});
  install->kernels = static_cast<uint32_t>(kernels_.size() - first_of_batch_);
  waiting_.push_back({std::move(install), first_of_batch_});
  bytes_ += static_cast<int64_t>(waiting_.back().install->module.size());
  first_of_batch_ = kernels_.size();
  batch_.functions.clear();
}

void KernelTable::installed(uint32_t first) {
  Waiting& done = waiting_.front();
  done.install->first = first;
  for (uint32_t i = 0; i < done.install->kernels; ++i) {
    // In wasm a pointer to a function is its place in the table.
    kernels_[done.first_kernel + i].callee = {reinterpret_cast<fuselane::Kernel>(uintptr_t{first} + i),
                                              crew_.installs() + 1};
  }
  crew_.add(std::move(done.install));
  waiting_.erase(waiting_.begin());
}

void KernelTable::refused(std::string_view reason) {
  const Waiting& done = waiting_.front();
  refusals_.push_back(std::make_unique<const std::string>(reason));
  for (uint32_t i = 0; i < done.install->kernels; ++i)
    kernels_[done.first_kernel + i].refusal = refusals_.back().get();
  waiting_.erase(waiting_.begin());
}

Result<Callee> KernelTable::callee(uint32_t number) const {
  const Kernel& kernel = kernels_[number - kLibraryKernels];
  if (kernel.callee.function) return kernel.callee;
  std::string_view reason = kernel.refusal ? std::string_view(*kernel.refusal) : "it was not installed";
  return fail(ErrorCode::InternalError, cat("the generated kernel ", *kernel.key, " cannot run (", reason,
                                            "), which is a mistake of the engine: please report it"));
}

std::string_view KernelTable::key(uint32_t number) const { return *kernels_[number - kLibraryKernels].key; }

}  // namespace fuselane
