// Kernels made by default schedules, as an engine's are, and run by the interpreter of loops.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "assemble/kernel_store.h"
#include "library/kernels.h"
#include "loop/evaluate.h"
#include "loop/interpret.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace fuselane {

class InterpretedKernels final : public KernelStore {
 public:
  std::optional<GeneratedKernel> kernel(const loop::Task& task, const KernelLimits& limits) override {
    std::string key = cat(text_of(task), limits.tiling ? "" : " untiled");
    for (size_t i = 0; i < kernels_.size(); ++i) {
      if (kernels_[i].key == key) return GeneratedKernel{number_of(i), &kernels_[i].loops};
    }
    auto loops = replay(task, default_schedule(task, Target{.tiling = limits.tiling}));
    if (!loops) return std::nullopt;
    kernels_.push_back({std::move(key), *std::move(loops)});
    return GeneratedKernel{number_of(kernels_.size() - 1), &kernels_.back().loops};
  }

  const std::string& key(uint32_t number) const { return kernels_[number - kLibraryKernels].key; }

  // Addresses are as wide as those of wasm among the arguments of a plan: they are taken from its pointers.
  Status run(const Segment& segment, const Step& step, const std::vector<TensorView>& views) const {
    const loop::Kernel& loops = kernels_[step.kernel - kLibraryKernels].loops;
    loop::Arguments arguments;
    uint32_t at = step.args;
    for (const loop::Buffer& buffer : loops.buffers) {
      if (buffer.storage != loop::Storage::Memory) continue;
      auto pointer = std::ranges::find(segment.pointers, at, &Pointer::at);
      if (pointer == segment.pointers.end()) return fail(ErrorCode::InternalError, "an argument is missing");
      const size_t index = pointer->buffer.index;
      auto* begin = reinterpret_cast<float*>(views[index].as<uint8_t>() + pointer->offset);
      const size_t count = reach(segment.buffers[index]) - pointer->offset / sizeof(float);
      arguments.buffers.emplace_back(std::span(begin, count));
      at += sizeof(uint32_t);
    }
    const auto* sizes = reinterpret_cast<const uint8_t*>(segment.args.data()) + at;
    for (size_t i = 0; i < loop::sizes_of(loops).size(); ++i) {
      int32_t size;
      std::memcpy(&size, sizes + i * sizeof size, sizeof size);
      arguments.sizes.push_back(size);
    }
    return loop::interpret(loops, arguments, 0, step.extent);
  }

 private:
  struct Kernel {
    std::string key;
    loop::Kernel loops;
  };

  // Elements from the first to the last one.
  static size_t reach(const PlanBuffer& buffer) {
    if (buffer.strides.empty()) return buffer.bytes / sizeof(float);
    int64_t last = 0;
    for (size_t i = 0; i < buffer.dims.size(); ++i) last += (buffer.dims[i] - 1) * buffer.strides[i];
    return static_cast<size_t>(last) + 1;
  }

  static uint32_t number_of(size_t index) { return kLibraryKernels + static_cast<uint32_t>(index); }

  std::deque<Kernel> kernels_;  // by number; they stay where they are
};

}  // namespace fuselane
