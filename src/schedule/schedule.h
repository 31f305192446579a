// Tasks to kernels: the plain nests of an algorithm, and the moves that order them, by default for a target
// or from a schedule.
#pragma once

#include "loop/kernel.h"
#include "loop/schedule.h"
#include "loop/task.h"
#include "types/target.h"

namespace fuselane {

// The algorithm's loops before any move. Error: invalid-argument when the algorithm is not one for the task.
Result<loop::Kernel> plain_kernel(const loop::Task& task, std::string_view algorithm);

loop::Schedule default_schedule(const loop::Task& task, const Target& target);

// The kernel that a schedule makes of a task: its loops must be legal after the last move, not before. Error:
// invalid-argument, with the move that was declined.
Result<loop::Kernel> replay(const loop::Task& task, const loop::Schedule& schedule);

}  // namespace fuselane
