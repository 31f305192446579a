// Softmax and LogSoftmax along one axis: e^x over the sum of these, or its logarithm. Computed on differences
// from the largest element, so that no exponential overflows. A line that holds NaN or +infinity, or nothing
// but -infinity, gives NaN.
#include <cmath>

#include "graph/operators/lines.h"
#include "graph/operators/operators.h"

namespace fuselane {

Status shape_of_softmax(Inference& i) {
  TRY(i.require_float(0));
  if (const DimVector* dims = i.dims(0)) {
    TRY(i.axis(i.node.integer(Attr::Axis), static_cast<int64_t>(dims->size())));
  }
  i.set(0, i.dtype(0), i.inputs[0].type.dims);
  return {};
}

Status reference_softmax(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  bool logarithm = call.node.op == Op::LogSoftmax;
  Lines lines(x, normalize_axis(call.node.integer(Attr::Axis), x.rank()).value_or(0));
  for (int64_t line = 0; line < lines.count; ++line) {
    int64_t first = lines.first(line);
    int64_t end = first + lines.extent * lines.stride;
    double largest = x.number(first);
    for (int64_t i = first; i < end; i += lines.stride) largest = std::fmax(largest, x.number(i));
    double sum = 0;
    for (int64_t i = first; i < end; i += lines.stride) sum += std::exp(x.number(i) - largest);
    for (int64_t i = first; i < end; i += lines.stride) {
      double difference = x.number(i) - largest;
      y.set_number(i, logarithm ? difference - std::log(sum) : std::exp(difference) / sum);
    }
  }
  return {};
}

}  // namespace fuselane
