// Calls of generated kernels, as planners make them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assemble/kernel_store.h"
#include "assemble/site.h"
#include "library/loop_nest.h"

namespace fuselane {

// A size argument by its name (loop/task.h), or that of a schedule's block.
using SizeArgument = std::pair<std::string, uint64_t>;

// A kernel with its arguments: how many iterations there are, for this call.
struct GeneratedCall {
  GeneratedKernel kernel;
  uint32_t extent = 0;
  std::vector<int64_t> sizes;
};

// Nothing when the engine has no kernel for the task, or it wants a size that is not among these.
std::optional<GeneratedCall> prepare_generated(const Site& site, const loop::Task& task,
                                               std::span<const SizeArgument> sizes);
// `buffers` in the task's order.
void call_generated(Site& site, const GeneratedCall& call, std::span<const Site::Address> buffers,
                    uint32_t grain);
void call_generated(Site& site, const GeneratedCall& call, const std::vector<BufferId>& buffers,
                    uint32_t grain);

// A function of elements of `operands` arrays over a nest whose rows are plain and whose arrays are y, then
// the operands; and the grain of its call.
std::optional<GeneratedCall> prepare_map(const Site& site, std::vector<loop::Step> steps,
                                         const LoopNest& nest, uint32_t operands);
uint32_t map_grain(const LoopNest& nest);

}  // namespace fuselane
