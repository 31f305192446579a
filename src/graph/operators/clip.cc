// Clip: the elements of operand 0 kept within the scalars of operands 1 (least) and 2 (most), where present.
// NaN stays, and a bound of NaN gives NaN; where the bounds cross, the upper one decides.
#include "graph/operators/arithmetic.h"
#include "graph/operators/operators.h"

namespace fuselane {

Status shape_of_clip(Inference& i) {
  TRY(i.require_kind(0, {DTypeKind::Float, DTypeKind::Signed, DTypeKind::Unsigned}));
  for (size_t bound = 1; bound < i.inputs.size(); ++bound) {
    TRY(i.require_same_dtype(0, bound));
    // ONNX asks for a scalar; exporters also write one element of rank 1.
    TRY(i.require_rank(bound, 0, 1));
    const DimVector* dims = i.dims(bound);
    if (dims && dims->size() == 1 && (*dims)[0].known() && (*dims)[0].extent != 1) {
      return i.refuse(cat("input ", bound, " must be one element, not ", (*dims)[0].extent));
    }
  }
  i.set(0, i.dtype(0), i.inputs[0].type.dims);
  return {};
}

namespace {

void clip_integers(const ReferenceCall& call, int64_t (*at_least)(int64_t, int64_t),
                   int64_t (*at_most)(int64_t, int64_t)) {
  const TensorView& x = call.inputs[0];
  for (int64_t i = 0; i < x.count; ++i) {
    int64_t y = x.integer(i);
    if (call.has_input(1)) y = at_least(y, call.inputs[1].integer(0));
    if (call.has_input(2)) y = at_most(y, call.inputs[2].integer(0));
    call.outputs[0].set_integer(i, y);
  }
}

}  // namespace

Status reference_clip(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& x = call.inputs[0];
  if (x.dtype == DType::UInt64) {
    clip_integers(call, greatest_unsigned, least_unsigned);
    return {};
  }
  if (!is_float(x.dtype)) {
    clip_integers(call, greatest_signed, least_signed);
    return {};
  }
  double infinity = std::numeric_limits<double>::infinity();
  double low = call.has_input(1) ? call.inputs[1].number(0) : -infinity;
  double high = call.has_input(2) ? call.inputs[2].number(0) : infinity;
  for (int64_t i = 0; i < x.count; ++i) {
    call.outputs[0].set_number(i, least(greatest(x.number(i), low), high));
  }
  return {};
}

}  // namespace fuselane
