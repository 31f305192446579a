// Kernels generated for a task: what assembly asks the engine for.
#pragma once

#include <cstdint>
#include <optional>

#include "loop/kernel.h"
#include "loop/task.h"

namespace fuselane {

// One that was asked for: its number, for steps, and its loops, which say in which order it takes buffers and
// sizes and over what its range goes (loop/evaluate.h). It is there as long as the engine.
struct GeneratedKernel {
  uint32_t number;
  const loop::Kernel* loops;
};

// What is left of the engine's target (types/target.h).
struct KernelLimits {
  bool tiling = true;
  bool relaxed = true;  // false: no relaxed SIMD
};

class KernelStore {
 public:
  virtual ~KernelStore() = default;
  // The kernel for this task, made now unless it was before; nothing where none can be had.
  virtual std::optional<GeneratedKernel> kernel(const loop::Task& task, const KernelLimits& limits) = 0;
};

}  // namespace fuselane
