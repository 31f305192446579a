// One row a family of tasks: algorithms/ and defaults/ have a file each.
#pragma once

#include "loop/kernel.h"
#include "loop/schedule.h"
#include "loop/task.h"
#include "types/target.h"

namespace fuselane {

loop::Kernel plain_matmul(const loop::MatMulTask& task);
loop::Kernel plain_map(const loop::MapTask& task);
loop::Kernel plain_reduce(const loop::ReduceTask& task);

loop::Schedule default_matmul(const loop::MatMulTask& task, const Target& target);
loop::Schedule default_map(const loop::MapTask& task, const Target& target);
loop::Schedule default_reduce(const loop::ReduceTask& task, const Target& target);

}  // namespace fuselane
