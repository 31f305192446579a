// One axis combined: loops o, i where there is an inner axis, and k, which sums up.
#include <limits>

#include "schedule/families.h"

namespace fuselane {

using namespace loop;

namespace {

// What changes nothing.
float neutral(Combine combine) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (combine) {
    case Combine::Add:
      return 0;
    case Combine::Mul:
      return 1;
    case Combine::Max:
      return -kInfinity;
    case Combine::Min:
      return kInfinity;
  }
}

}  // namespace

Kernel plain_reduce(const ReduceTask& task) {
  Kernel kernel;
  kernel.name = "reduce";
  Index outer = kernel.size("outer");
  Index reduced = kernel.size("reduced");
  Index inner = task.contiguous ? Index(1) : Index(kernel.size("inner"));
  Buffer description;
  description.name = "x";
  description.strides = {reduced * inner, inner};
  if (!task.contiguous) description.strides.push_back(1);
  BufferId x = kernel.buffer(description);
  description.name = "y";
  description.strides.erase(description.strides.begin() + 1);
  description.strides[0] = inner;
  description.written = true;
  BufferId y = kernel.buffer(description);

  SymbolId o = kernel.variable("o");
  SymbolId k = kernel.variable("k");
  Nest nest;
  nest.name = "reduce";
  nest.loops.push_back({.symbol = o, .extent = outer});
  std::vector<Index> from = {o, k};
  std::vector<Index> to = {o};
  if (!task.contiguous) {
    SymbolId i = kernel.variable("i");
    nest.loops.push_back({.symbol = i, .extent = inner});
    from.push_back(i);
    to.push_back(i);
  }
  nest.loops.push_back({.symbol = k, .kind = LoopKind::Reduce, .extent = reduced});
  nest.combine = task.combine;
  nest.init = kernel.constant(neutral(task.combine));
  nest.term = apply_steps(kernel, task.prologue, {kernel.load(x, std::move(from))});
  nest.stores.push_back({y, std::move(to), apply_steps(kernel, task.finish, {kernel.result()})});
  kernel.nests.push_back(std::move(nest));
  return kernel;
}

}  // namespace fuselane
