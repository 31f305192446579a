// Gather: the slices of x that indices name along one axis; the indices' dimensions take the axis's place.
#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {

Status shape_of_gather(Inference& i) {
  TRY(require_fixed_size(i, 0));
  TRY(i.require_integers(1));
  TRY(i.require_rank(0, 1, kMany));
  i.set(0, i.dtype(0), std::nullopt);
  const DimVector* dims = i.dims(0);
  const DimVector* indices = i.dims(1);
  if (!dims) return {};
  auto axis =
      static_cast<ptrdiff_t>(TRY(i.axis(i.node.integer(Attr::Axis), static_cast<int64_t>(dims->size()))));
  if (!indices) return {};
  DimVector result(dims->begin(), dims->begin() + axis);
  result.insert(result.end(), indices->begin(), indices->end());
  result.insert(result.end(), dims->begin() + axis + 1, dims->end());
  i.outputs[0].dims = std::move(result);
  return {};
}

Status reference_gather(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (!y.present()) return {};
  int64_t axis = *normalize_axis(call.node.integer(Attr::Axis), x.rank());
  int64_t extent = x.extent(axis);
  std::vector<int64_t> indices = integers_of(call.inputs[1]);
  for (int64_t& index : indices) {
    if (index < -extent || index >= extent) {
      return fail(ErrorCode::InvalidData, cat(describe(call.node), ": index ", index, " is outside [",
                                              -extent, ", ", extent - 1, "]"));
    }
    if (index < 0) index += extent;
  }
  if (y.count == 0) return {};
  int64_t inner = strides_of(x.dims)[static_cast<size_t>(axis)];
  int64_t outer = x.count / (extent * inner);
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t index : indices) {
      copy_run(x, {(o * extent + index) * inner, 1}, y, {to, 1}, inner);
      to += inner;
    }
  }
  return {};
}

}  // namespace fuselane
