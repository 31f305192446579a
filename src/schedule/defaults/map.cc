// Maps: vectors along the inner loop, in chunks that threads share.
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

namespace {

// A body that takes longer than its loop gains nothing from being written out several times.
bool is_long(const MapTask& task) {
  for (const Step& step : task.steps) {
    bool clamps = step.activation.kind == ActivationKind::Clamp;
    if (step.function == Function::Activate && !clamps) return true;
    if (step.function == Function::Exp || step.function == Function::Log || step.function == Function::Erf)
      return true;
  }
  return task.steps.size() > 4;
}

}  // namespace

Schedule default_map(const MapTask& task, const Target&) {
  std::vector<Move> moves = {split("i", "chunk", Tail::Rest, "ic", "ii")};
  if (is_long(task)) {
    moves.push_back(split("ii", kLanes, Tail::Rest, "i0", "i3"));
  } else {
    moves.push_back(split("ii", 4 * kLanes, Tail::Rest, "i0", "i1"));
    moves.push_back(split("i1", kLanes, Tail::Exact, "i2", "i3"));
    moves.push_back(mark(Mark::Unroll, {"i2"}));
  }
  moves.push_back(mark(Mark::Vector, {"i3"}));
  std::vector<std::string> shared;
  for (uint32_t d = 0; d < task.outer; ++d)
    shared.push_back("o" + std::string(1, static_cast<char>('0' + d)));
  shared.push_back("ic");
  moves.push_back(mark(Mark::Parallel, std::move(shared)));
  return {"map", std::move(moves)};
}

}  // namespace fuselane
