// A task's kernel with arguments: random extents, small integers as elements, so that sums are exact in any
// order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "loop/interpret.h"
#include "loop/kernel.h"
#include "loop/task.h"

namespace fuselane {

struct Case {
  std::map<std::string, int64_t> sizes;
  std::vector<std::vector<float>> buffers;

  // Sizes in the kernel's order; those that a schedule added are random factors.
  std::vector<int64_t> sizes_for(const loop::Kernel& kernel, Rng& rng);
  // The last buffer after a run of the kernel in `pieces` random pieces.
  std::vector<float> run(const loop::Kernel& kernel, Rng& rng, int pieces) const;
  std::vector<int64_t> given;  // sizes of the last sizes_for()
};

Case random_case(const loop::Task& task, Rng& rng);
// What the case's last buffer must be, by the task's formula.
std::vector<float> expected(const loop::Task& task, const Case& c);

// Tasks of every family and form, whose results are small integers.
const std::vector<std::string>& exact_tasks();

}  // namespace fuselane
