#include "types/shape.h"

#include "base/checked.h"

namespace fuselane {

std::optional<int64_t> element_count(DimsView dims) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : dims) {
    if (extent < 0) return std::nullopt;
    // Multiplying on past a zero would hide an overflow that strides of the same dims meet.
    if (extent == 0) empty = true;
    auto product = checked_mul(count, extent == 0 ? 1 : extent);
    if (!product) return std::nullopt;
    count = *product;
  }
  return empty ? 0 : count;
}

std::string text_of(DimsView dims) { return cat("[", join(dims, ","), "]"); }

Dims strides_of(DimsView dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride = wrapping_mul(stride, dims[i] == 0 ? 1 : dims[i]);
  }
  return strides;
}

std::optional<int64_t> normalize_axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

std::optional<Dims> concrete(std::span<const Dim> dims) {
  Dims extents;
  extents.reserve(dims.size());
  for (const Dim& dim : dims) {
    if (!dim.known()) return std::nullopt;
    extents.push_back(dim.extent);
  }
  return extents;
}

DimVector symbolic(DimsView dims) { return DimVector(dims.begin(), dims.end()); }

}  // namespace fuselane
