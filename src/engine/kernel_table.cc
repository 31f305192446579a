#include "engine/kernel_table.h"

#include <utility>

#include "base/printer.h"
#include "library/kernels.h"

namespace fuselane {

std::optional<uint32_t> KernelTable::find(std::string_view key) const {
  auto at = numbers_.find(std::string(key));
  if (at == numbers_.end()) return std::nullopt;
  return at->second;
}

std::optional<uint32_t> KernelTable::add(std::string key) {
  if (crew_.installs() + waiting_.size() >= Crew::kMostInstalls) return std::nullopt;
  uint32_t number = kLibraryKernels + static_cast<uint32_t>(kernels_.size());
  kernels_.reserve(kernels_.size() + 1);
  auto [at, added] = numbers_.emplace(std::move(key), number);
  kernels_.push_back({.key = &at->first, .callee = {}});
  return number;
}

void KernelTable::close_batch(std::vector<uint8_t> module) {
  auto install = std::make_unique<Install>();
  install->module = std::move(module);
  install->kernels = static_cast<uint32_t>(kernels_.size() - batch_);
  bytes_ += static_cast<int64_t>(install->module.size());
  waiting_.push_back({std::move(install), batch_});
  batch_ = kernels_.size();
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
