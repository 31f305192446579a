// Tasks to test generated kernels with: one list of kernels that matter, and random ones of every family.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "loop/task.h"
#include "types/target.h"

namespace fuselane {

// As texts. Together they have every function, activation, combination and tail of columns; a test holds
// that.
const std::vector<std::string>& listed_tasks();

// Each of the list, parsed.
std::vector<loop::Task> listed_task_values();

loop::Task random_task(Rng& rng);

// The task without what is applied to its sums, and that, as steps of one operand: a program of its own.
struct WithoutFinish {
  loop::Task sums;
  std::vector<loop::Step> finish;
};
WithoutFinish without_finish(const loop::Task& task);

// The SIMD levels, with Target for each.
const std::vector<Target>& all_targets();

}  // namespace fuselane
