// Reductions: along a dense axis, partial sums in the lanes of several vectors; over an outer one, vectors
// along the inner axis.
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

Schedule default_reduce(const ReduceTask& task, const Target&) {
  std::vector<Move> moves;
  if (task.contiguous) {
    moves.push_back(split("k", 4 * kLanes, Tail::Rest, "k0", "k1"));
    moves.push_back(split("k1", kLanes, Tail::Exact, "k2", "k3"));
    moves.push_back(mark(Mark::Partial, {"k2"}));
    moves.push_back(mark(Mark::Vector, {"k3"}));
    moves.push_back(mark(Mark::Parallel, {"o"}));
    return {"reduce", std::move(moves)};
  }
  moves.push_back(split("i", "chunk", Tail::Rest, "ic", "ii"));
  moves.push_back(split("ii", 4 * kLanes, Tail::Rest, "i0", "i1"));
  moves.push_back(split("i1", kLanes, Tail::Exact, "i2", "i3"));
  moves.push_back(mark(Mark::Unroll, {"i2"}));
  moves.push_back(mark(Mark::Vector, {"i3"}));
  moves.push_back(order({"o", "ic", "i0", "k", "i2", "i3"}));
  moves.push_back(mark(Mark::Parallel, {"o", "ic"}));
  return {"reduce", std::move(moves)};
}

}  // namespace fuselane
