// Functions of elements: loops o0, o1, ... and i, without a reduction.
#include "base/printer.h"
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

Kernel plain_map(const MapTask& task) {
  Kernel kernel;
  kernel.name = "map";
  Nest nest;
  nest.name = "map";
  std::vector<Index> extents;
  for (uint32_t d = 0; d < task.outer; ++d) extents.push_back(kernel.size(cat("n", d)));
  extents.push_back(kernel.size("n"));
  // Strides are arguments in the order of the buffers.
  auto buffer = [&](const std::string& name, int64_t inner, bool written) {
    Buffer description;
    description.name = name;
    description.written = written;
    for (uint32_t d = 0; d < task.outer; ++d) description.strides.push_back(kernel.size(cat(name, "_", d)));
    if (inner != 0) description.strides.push_back(inner);
    return kernel.buffer(std::move(description));
  };
  std::vector<BufferId> operands;
  for (size_t x = 0; x < task.strides.size(); ++x)
    operands.push_back(buffer(cat("x", x), task.strides[x], false));
  BufferId y = buffer("y", 1, true);

  std::vector<Index> outer;
  for (uint32_t d = 0; d < task.outer; ++d) {
    SymbolId loop = kernel.variable(cat("o", d));
    nest.loops.push_back({.symbol = loop, .extent = extents[d]});
    outer.push_back(loop);
  }
  SymbolId i = kernel.variable("i");
  nest.loops.push_back({.symbol = i, .extent = extents.back()});
  std::vector<Index> all = outer;
  all.push_back(i);
  std::vector<ValueId> values;
  for (size_t x = 0; x < task.strides.size(); ++x)
    values.push_back(kernel.load(operands[x], task.strides[x] == 0 ? outer : all));
  nest.stores.push_back({y, all, apply_steps(kernel, task.steps, std::move(values))});
  kernel.nests.push_back(std::move(nest));
  return kernel;
}

}  // namespace fuselane
