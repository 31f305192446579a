// Operators whose results are shapes and counts: Shape, Size, Range.
#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "graph/operators/operators.h"
#include "graph/operators/shape_of.h"

namespace fuselane {

std::pair<int64_t, int64_t> chosen_dims(const Node& node, int64_t rank) {
  auto clamped = [rank](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  int64_t first = clamped(node.integer(Attr::Start));
  return {first, std::max(first, clamped(node.integer(Attr::End)))};
}

namespace {

// The number of elements of a Range; nothing when delta is 0 or the number is not finite.
std::optional<int64_t> range_count(DType dtype, const Tensor& start, const Tensor& limit,
                                   const Tensor& delta) {
  if (is_integer(dtype)) {
    int64_t first = start.integer(0);
    int64_t last = limit.integer(0);
    int64_t step = delta.integer(0);
    if (step == 0) return std::nullopt;
    if (step > 0 ? last <= first : last >= first) return 0;
    // The distance of two int64 fits uint64, and so does the size of every step.
    uint64_t low = static_cast<uint64_t>(std::min(first, last));
    uint64_t distance = static_cast<uint64_t>(std::max(first, last)) - low;
    uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
    uint64_t count = (distance - 1) / stride + 1;
    return count > uint64_t{1} << 62 ? std::nullopt : std::optional(static_cast<int64_t>(count));
  }
  double count = std::ceil((limit.number(0) - start.number(0)) / delta.number(0));
  if (delta.number(0) == 0 || std::isnan(count) || count > 0x1p62) return std::nullopt;
  return static_cast<int64_t>(std::max(count, 0.0));
}

}  // namespace

Status shape_of_shape(Inference& i) {
  i.set(0, DType::Int64, DimVector{Dim()});
  if (const DimVector* dims = i.dims(0)) {
    auto [first, last] = chosen_dims(i.node, static_cast<int64_t>(dims->size()));
    i.outputs[0].dims = DimVector{Dim(last - first)};
  }
  return {};
}

Status reference_shape(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (!y.present()) return {};
  auto [first, last] = chosen_dims(call.node, x.rank());
  for (int64_t axis = first; axis < last; ++axis) y.set_integer(axis - first, x.extent(axis));
  return {};
}

Status shape_of_size(Inference& i) {
  i.set(0, DType::Int64, DimVector());
  return {};
}

Status reference_size(const ReferenceCall& call) {
  if (call.has_output(0)) call.outputs[0].set_integer(0, call.inputs[0].count);
  return {};
}

Status shape_of_range(Inference& i) {
  for (size_t k = 0; k < 3; ++k) {
    TRY(i.require_kind(k, {DTypeKind::Float, DTypeKind::Signed}));
    TRY(i.require_same_dtype(0, k));
    TRY(i.require_rank(k, 0, 1));
    if (i.dims(k) && !i.dims(k)->empty() && (*i.dims(k))[0].known() && (*i.dims(k))[0].extent != 1) {
      return i.refuse(cat("input ", k, " must be one element, not ", (*i.dims(k))[0].extent));
    }
  }
  i.set(0, i.dtype(0), DimVector{Dim()});
  const Tensor* start = i.value(0);
  const Tensor* limit = i.value(1);
  const Tensor* delta = i.value(2);
  if (!start || !limit || !delta) return {};
  auto count = range_count(i.dtype(0), *start, *limit, *delta);
  if (!count) return i.refuse("its start, limit and delta do not give a finite number of elements");
  i.outputs[0].dims = DimVector{Dim(*count)};
  return {};
}

Status reference_range(const ReferenceCall& call) {
  const TensorView& y = call.outputs[0];
  if (!y.present()) return {};
  const TensorView& start = call.inputs[0];
  const TensorView& delta = call.inputs[2];
  for (int64_t k = 0; k < y.count; ++k) {
    if (is_integer(y.dtype)) {
      // The product may leave int64 where the sum, which lies before the limit, does not.
      y.set_integer(k, wrapping_add(start.integer(0), wrapping_mul(k, delta.integer(0))));
    } else {
      y.set_number(k, start.number(0) + static_cast<double>(k) * delta.number(0));
    }
  }
  return {};
}

}  // namespace fuselane
