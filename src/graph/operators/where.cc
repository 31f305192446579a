// Where: each element from operand 1 where operand 0 is true, else from operand 2; all three broadcast.
#include "graph/operators/broadcast.h"
#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {

Status shape_of_where(Inference& i) {
  TRY(i.require_kind(0, {DTypeKind::Bool}));
  TRY(require_fixed_size(i, 1));
  TRY(i.require_same_dtype(1, 2));
  auto branches = TRY(broadcast(i.inputs[1].type.dims, i.inputs[2].type.dims));
  i.set(0, i.dtype(1), TRY(broadcast(i.inputs[0].type.dims, branches)));
  return {};
}

Status reference_where(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& condition = call.inputs[0];
  const TensorView& result = call.outputs[0];
  BroadcastWalk walk(result.dims, {condition.dims, call.inputs[1].dims, call.inputs[2].dims});
  while (const BroadcastRun* run = walk.next()) {
    for (int64_t k = 0; k < run->count; ++k) {
      size_t taken = condition.integer(run->offsets[0] + k * run->strides[0]) != 0 ? 1 : 2;
      int64_t from = run->offsets[taken] + k * run->strides[taken];
      copy_run(call.inputs[taken], {from, 1}, result, {run->first + k, 1}, 1);
    }
  }
  return {};
}

}  // namespace fuselane
