// Moves that may be legal, and schedules of those that are.
#pragma once

#include "base/rng.h"
#include "loop/kernel.h"
#include "loop/moves.h"
#include "loop/schedule.h"
#include "loop/task.h"

namespace fuselane {

// On the kernel's loops as they are now; often one that makes lanes possible. `number` makes new names.
loop::Move random_move(const loop::Kernel& kernel, int number, Rng& rng);

// One that is not legal, whatever the kernel: names, factors or forms that do not exist.
loop::Move wrong_move(const loop::Kernel& kernel, Rng& rng);

// A task's kernel after some moves, and the schedule that they are.
struct Scheduled {
  loop::Kernel kernel;
  loop::Schedule schedule;
};
Scheduled random_schedule(const loop::Task& task, Rng& rng);

}  // namespace fuselane
