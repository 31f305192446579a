// Cast between any two types that hold numbers. What ONNX leaves open, floats out of an integer type's range
// and NaN, is as types/number.h stores them; integers wrap; a bool is whether the number is not 0.
#include "graph/operators/operators.h"

namespace fuselane {

Status shape_of_cast(Inference& i) {
  DType to = i.node.dtype(Attr::To);
  for (DType dtype : {i.dtype(0), to}) {
    if (is_number(dtype)) continue;
    return fail(ErrorCode::UnsupportedModel, cat(describe(i.node), ": casting ", name_of(i.dtype(0)), " to ",
                                                 name_of(to), " is not supported"));
  }
  i.set(0, to, i.inputs[0].type.dims);
  return {};
}

Status reference_cast(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (x.dtype == y.dtype) return reference_identity(call);
  if (x.dtype == DType::UInt64 && y.dtype == DType::Float32) {
    // Through double it would round twice, through int64 lose its top bit.
    for (int64_t i = 0; i < x.count; ++i) y.as<float>()[i] = static_cast<float>(x.as<uint64_t>()[i]);
  } else if (is_float(x.dtype) || (x.dtype == DType::UInt64 && is_float(y.dtype))) {
    for (int64_t i = 0; i < x.count; ++i) y.set_number(i, x.number(i));
  } else {
    for (int64_t i = 0; i < x.count; ++i) y.set_integer(i, x.integer(i));
  }
  return {};
}

}  // namespace fuselane
