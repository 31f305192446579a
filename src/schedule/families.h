// One row a family of tasks: algorithms/ and defaults/ have a file each.
#pragma once

#include <string>

#include "loop/kernel.h"
#include "loop/task.h"
#include "types/target.h"

namespace fuselane {

loop::Kernel plain_matmul(const loop::MatMulTask& task);
loop::Kernel plain_conv(const loop::ConvTask& task);
loop::Kernel plain_depthwise(const loop::DepthwiseTask& task);
loop::Kernel plain_map(const loop::MapTask& task);
loop::Kernel plain_reduce(const loop::ReduceTask& task);

// Texts: they read as they are explained, and take a quarter of the code that values would.
std::string default_matmul(const loop::MatMulTask& task, const Target& target);
std::string default_conv(const loop::ConvTask& task, const Target& target);
std::string default_depthwise(const loop::DepthwiseTask& task, const Target& target);
std::string default_map(const loop::MapTask& task, const Target& target);
std::string default_reduce(const loop::ReduceTask& task, const Target& target);

}  // namespace fuselane
