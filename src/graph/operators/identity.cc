// Identity, and the reference of every operator that gives its first operand's elements under another shape.
#include <cstring>

#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {

Status shape_of_identity(Inference& i) {
  TRY(require_fixed_size(i, 0));
  i.set(0, i.dtype(0), i.inputs[0].type.dims);
  return {};
}

Status reference_identity(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  auto bytes = bytes_of(x.dtype, x.count);
  if (!call.has_output(0) || !bytes || *bytes == 0) return {};
  std::memcpy(call.outputs[0].data, x.data, static_cast<size_t>(*bytes));
  return {};
}

}  // namespace fuselane
