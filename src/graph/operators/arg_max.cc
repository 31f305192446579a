// ArgMax: where along an axis the largest element stands, the first of equal ones or the last
// (select_last_index). NaN is larger than every number, as in numpy.
#include <cmath>

#include "graph/operators/arithmetic.h"
#include "graph/operators/lines.h"
#include "graph/operators/operators.h"

namespace fuselane {

Status shape_of_arg_max(Inference& i) {
  TRY(i.require_kind(0, {DTypeKind::Float, DTypeKind::Signed, DTypeKind::Unsigned}));
  std::optional<DimVector> result;
  if (const DimVector* dims = i.dims(0)) {
    result = *dims;
    auto axis = TRY(i.axis(i.node.integer(Attr::Axis), static_cast<int64_t>(dims->size())));
    if (i.node.flag(Attr::KeepDims)) {
      (*result)[static_cast<size_t>(axis)] = Dim(1);
    } else {
      result->erase(result->begin() + static_cast<ptrdiff_t>(axis));
    }
  }
  i.set(0, DType::Int64, std::move(result));
  return {};
}

namespace {

bool exceeds(const TensorView& x, int64_t i, int64_t j) {
  if (x.dtype == DType::UInt64) return bits(x.integer(i)) > bits(x.integer(j));
  if (!is_float(x.dtype)) return x.integer(i) > x.integer(j);
  double a = x.number(i);
  double b = x.number(j);
  return a > b || (std::isnan(a) && !std::isnan(b));
}

}  // namespace

Status reference_arg_max(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  int64_t axis = normalize_axis(call.node.integer(Attr::Axis), x.rank()).value_or(0);
  if (y.count > 0 && x.count == 0) {
    return fail(ErrorCode::InvalidData, cat(describe(call.node), ": axis ", axis, " of ",
                                            text_of(x.dtype, x.dims), " has no elements"));
  }
  bool last = call.node.flag(Attr::SelectLastIndex);
  Lines lines(x, axis);
  for (int64_t line = 0; line < lines.count; ++line) {
    int64_t first = lines.first(line);
    int64_t largest = 0;
    for (int64_t k = 1; k < lines.extent; ++k) {
      int64_t here = first + k * lines.stride;
      int64_t there = first + largest * lines.stride;
      if (last ? !exceeds(x, there, here) : exceeds(x, here, there)) largest = k;
    }
    y.set_integer(line, largest);
  }
  return {};
}

}  // namespace fuselane
