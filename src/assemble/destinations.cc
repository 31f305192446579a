// Values that are made where another one has them: operands of a Concat side by side, and what a Transpose
// reads in the order that it is to have afterwards. So the steps that would have copied them are not needed.
//
// Legal since a value's memory holds the same elements whatever its strides are, and since two operands'
// parts of a Concat share none. Whether a kernel can write with those strides is its planner's to say: one
// that cannot makes the value where it likes, and it is copied as before.
#include <algorithm>

#include "assemble/assembler.h"
#include "assemble/kernels/copying.h"
#include "assemble/kernels/planners.h"
#include "graph/ops.h"

namespace fuselane {

void Assembler::direct_values(const Trace& trace) {
  std::vector<bool> is_made(graph_->value_count());
  for (const Event& event : trace.events) {
    if (event.kind != EventKind::Compute) continue;
    for (ValueId output : (*graph_)[event.node].outputs) {
      if (output) is_made[output.index] = true;
    }
  }
  // Backwards: of several Concats that an operand goes into the last one has it, which is the longest where
  // one grows on another.
  for (size_t i = trace.events.size(); i-- > 0;) {
    if (trace.events[i].kind != EventKind::Compute) continue;
    NodeId id = trace.events[i].node;
    if ((*graph_)[id].op == Op::Concat) direct_parts(id, is_made);
    if ((*graph_)[id].op == Op::Transpose) direct_permuted(id, is_made);
  }
}

void Assembler::direct_parts(NodeId concat, const std::vector<bool>& is_made) {
  const Node& node = (*graph_)[concat];
  ValueId whole = node.outputs[0];
  const Dims& dims = fact(whole).dims;
  if (copy_size(fact(whole).dtype) == 0 || !fits32(dims) || dims.size() > kMostLoops) return;
  auto axis =
      static_cast<size_t>(*normalize_axis(node.integer(Attr::Axis), static_cast<int64_t>(dims.size())));
  int64_t start = 0;
  for (ValueId input : node.inputs) {
    const Dims& part = fact(input).dims;
    bool is_once = std::ranges::count(node.inputs, input) == 1;
    if (is_once && is_made[input.index] && element_count(part).value_or(0) > 0 &&
        !builder_.has_destination(input)) {
      builder_.direct(input, {.whole = whole, .axis = axis, .start = start, .permutation = {}});
    }
    start += part[axis];
  }
}

void Assembler::direct_permuted(NodeId transpose, const std::vector<bool>& is_made) {
  const Node& node = (*graph_)[transpose];
  ValueId from = node.inputs[0];
  if (!is_made[from.index]) return;
  if ((*graph_)[(*graph_)[from].producer].op != Op::MatMul) return;
  bool is_only_reader = demand_->readers[from.index] == transpose && demand_->uses[from.index] == 1;
  if (!is_only_reader || builder_.has_destination(from)) return;
  const Fact& value = fact(from);
  if (copy_size(value.dtype) == 0 || !fits32(value.dims) || value.dims.size() > kMostLoops ||
      element_count(value.dims).value_or(0) == 0)
    return;
  builder_.direct(from, {.whole = node.outputs[0], .permutation = permutation_of(node, value.dims.size())});
}

}  // namespace fuselane
