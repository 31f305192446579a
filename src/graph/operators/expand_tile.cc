// Expand: broadcasts to a shape, where extents of either side may be 1. Tile: the operand repeated on every
// axis.
#include "base/checked.h"
#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

Result<Dim> repeated(const Inference& i, const Dim& dim, int64_t times) {
  if (times < 0) return i.refuse(cat("cannot repeat ", times, " times"));
  if (times == 0 || dim.extent == 0) return Dim(0);
  if (times == 1) return dim;
  if (!dim.known()) return Dim();
  auto extent = checked_mul(dim.extent, times);
  if (!extent) return i.refuse(cat("an extent of ", dim.extent, " repeated ", times, " times is too large"));
  return Dim(*extent);
}

}  // namespace

Status shape_of_expand(Inference& i) {
  TRY(require_fixed_size(i, 0));
  TRY(require_list(i, 1));
  i.set(0, i.dtype(0), std::nullopt);
  auto length = TRY(rank_by_list(i, 1));
  if (!length || !i.dims(0)) return {};
  DimVector shape(*length);
  if (auto extents = i.integers(1)) {
    for (int64_t extent : *extents) {
      if (extent < 0) return i.refuse(cat("cannot expand to [", join(*extents), "]"));
    }
    shape = symbolic(*extents);
  }
  i.outputs[0].dims = TRY(broadcast(i.inputs[0].type.dims, shape));
  return {};
}

Status reference_expand(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (!y.present()) return {};
  Dims strides = strides_of(x.dims);
  StridedCopy copy{.extents = Dims(y.dims.begin(), y.dims.end()),
                   .from_strides = Dims(y.dims.size()),
                   .to_strides = strides_of(y.dims)};
  size_t added = y.dims.size() - x.dims.size();
  for (size_t axis = 0; axis < x.dims.size(); ++axis) {
    if (x.dims[axis] != 1) copy.from_strides[added + axis] = strides[axis];
  }
  copy_strided(x, y, copy);
  return {};
}

Status shape_of_tile(Inference& i) {
  TRY(require_fixed_size(i, 0));
  TRY(require_list(i, 1));
  i.set(0, i.dtype(0), std::nullopt);
  auto length = TRY(rank_by_list(i, 1));
  const DimVector* dims = i.dims(0);
  if (!dims) {
    if (length) i.outputs[0].dims = DimVector(*length);
    return {};
  }
  if (length && *length != dims->size()) {
    return i.refuse(cat("input 1 has ", *length, " elements for a tensor of rank ", dims->size()));
  }
  auto repeats = i.integers(1);
  DimVector result;
  for (size_t axis = 0; axis < dims->size(); ++axis) {
    result.push_back(repeats ? TRY(repeated(i, (*dims)[axis], (*repeats)[axis])) : Dim());
  }
  i.outputs[0].dims = std::move(result);
  return {};
}

// Each axis as two, the repeats and the extent, so that one copy with strides does it all.
Status reference_tile(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (!y.present()) return {};
  Dims from = strides_of(x.dims);
  Dims to = strides_of(y.dims);
  StridedCopy copy;
  for (size_t axis = 0; axis < x.dims.size(); ++axis) {
    int64_t extent = x.dims[axis];
    copy.extents.insert(copy.extents.end(), {call.inputs[1].integer(static_cast<int64_t>(axis)), extent});
    copy.from_strides.insert(copy.from_strides.end(), {0, from[axis]});
    copy.to_strides.insert(copy.to_strides.end(), {to[axis] * extent, to[axis]});
  }
  copy_strided(x, y, copy);
  return {};
}

}  // namespace fuselane
