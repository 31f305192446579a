// Slice: every step-th element between a start and an end, on some axes. Operands: x, starts, ends, axes,
// steps.
#include <algorithm>
#include <limits>

#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

struct Bounds {
  int64_t start;
  int64_t end;
  int64_t step;  // not 0
};

// The elements start, start + step, ... that bounds choose of an extent.
struct Chosen {
  int64_t start;
  int64_t count;
};

Chosen choose(int64_t extent, Bounds bounds) {
  if (extent == 0) return {0, 0};
  auto [start, end, step] = bounds;
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  // Clamped as the specification says; afterwards every difference is at most the extent.
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, extent);
    end = std::clamp<int64_t>(end, 0, extent);
    return {start, end > start ? (end - start - 1) / step + 1 : 0};
  }
  start = std::clamp<int64_t>(start, 0, extent - 1);
  end = std::clamp<int64_t>(end, -1, extent - 1);
  uint64_t stride = uint64_t{0} - static_cast<uint64_t>(step);  // right for the least int64 as well
  auto span = static_cast<uint64_t>(std::max<int64_t>(start - end, 0));
  return {start, span > 0 ? static_cast<int64_t>((span - 1) / stride + 1) : 0};
}

// Whether the bounds take all of an extent that is not known: [0:max:1], or all of it backwards, [-1:min:-1].
// The largest and least number of the operands' type are how exporters write "to the end".
bool takes_all(Bounds bounds, DType dtype) {
  bool narrow = dtype == DType::Int32;
  int64_t most = narrow ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  int64_t least = narrow ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  if (bounds.step == 1) return bounds.start == 0 && bounds.end == most;
  return bounds.step == -1 && (bounds.start == -1 || bounds.start == most) && bounds.end == least;
}

// 0, 1, ..., count - 1: the axes when the operand is absent.
std::vector<int64_t> first_axes(int64_t count) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < count; ++axis) axes.push_back(axis);
  return axes;
}

// The axes that are sliced, in the operands' order; nothing while they are not known.
Result<std::optional<std::vector<int64_t>>> axes_of(const Inference& i, int64_t rank) {
  auto count = length_of_list(i, 1);
  if (!i.has(3) && count) {
    if (*count > rank) return i.refuse(cat("slices ", *count, " axes of a tensor of rank ", rank));
    return std::optional(first_axes(*count));
  }
  auto axes = i.integers(3);
  if (!axes) return std::optional<std::vector<int64_t>>();
  return std::optional(TRY(distinct_axes(i, *std::move(axes), rank)));
}

Status check_operands(const Inference& i) {
  TRY(require_fixed_size(i, 0));
  auto count = length_of_list(i, 1);
  for (size_t k = 1; k <= 4; ++k) {
    TRY(require_list(i, k));
    TRY(i.require_same_dtype(1, k));
    auto other = length_of_list(i, k);
    if (count && other && *count != *other) {
      return i.refuse(cat("input 1 has ", *count, " elements, input ", k, " has ", *other));
    }
  }
  if (auto steps = i.integers(4); steps && std::ranges::contains(*steps, 0)) return i.refuse("a step is 0");
  return {};
}

}  // namespace

Status shape_of_slice(Inference& i) {
  TRY(check_operands(i));
  i.set(0, i.dtype(0), std::nullopt);
  if (!i.dims(0)) return {};
  DimVector dims = *i.dims(0);
  auto axes = TRY(axes_of(i, static_cast<int64_t>(dims.size())));
  auto starts = i.integers(1);
  auto ends = i.integers(2);
  auto steps = i.integers(4);
  if (!axes) {
    i.outputs[0].dims = DimVector(dims.size());
    return {};
  }
  if (!i.has(4)) steps = std::vector<int64_t>(axes->size(), 1);
  for (size_t k = 0; k < axes->size(); ++k) {
    Dim& dim = dims[static_cast<size_t>((*axes)[k])];
    if (!starts || !ends || !steps) {
      dim = Dim();
      continue;
    }
    Bounds bounds{(*starts)[k], (*ends)[k], (*steps)[k]};
    if (dim.known()) {
      dim = Dim(choose(dim.extent, bounds).count);
    } else if (!takes_all(bounds, i.dtype(1))) {
      dim = Dim();
    }
  }
  i.outputs[0].dims = std::move(dims);
  return {};
}

Status reference_slice(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (!y.present()) return {};
  StridedCopy copy{.extents = Dims(y.dims.begin(), y.dims.end()),
                   .from_strides = strides_of(x.dims),
                   .to_strides = strides_of(y.dims)};
  for (int64_t k = 0; k < call.inputs[1].count; ++k) {
    int64_t axis = call.has_input(3) ? *normalize_axis(call.inputs[3].integer(k), x.rank()) : k;
    int64_t step = call.has_input(4) ? call.inputs[4].integer(k) : 1;
    Chosen chosen = choose(x.extent(axis), {call.inputs[1].integer(k), call.inputs[2].integer(k), step});
    int64_t& stride = copy.from_strides[static_cast<size_t>(axis)];
    copy.from_first += chosen.start * stride;
    // With two elements or more the step lies within the extent, so that this cannot overflow.
    if (chosen.count > 1) stride *= step;
  }
  copy_strided(x, y, copy);
  return {};
}

}  // namespace fuselane
