// What a task's results must be, found without loops and schedules: sums in double precision with the room
// that rounding has in any order, functions by what double precision makes of each single step.
#pragma once

#include <functional>
#include <vector>

#include "loop/task.h"
#include "tests/support/kernel_cases/cases.h"

namespace fuselane {

// The result's buffer after some way to run the task.
using RunTask = std::function<std::vector<float>(const loop::Task& task)>;

// Expects that `run` gives the task's results where they belong, and leaves alone what is between them. It is
// asked for the task, and where something is applied to sums for the same task without that: what is applied
// is then exactly what it is to the sums that came out. `fuses`: mul_add rounds once there.
void expect_right(const loop::Task& task, const Case& c, const RunTask& run, bool fuses = false);

// Expects the same bits, but for those of NaN where they are not kGap.
void expect_same(const std::vector<float>& got, const std::vector<float>& wanted);

}  // namespace fuselane
