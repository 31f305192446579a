#include "assemble/location.h"

namespace fuselane {

Dims dense_strides(DimsView dims, Layout layout) {
  Dims strides = strides_of(memory_dims(dims, layout));
  if (layout == Layout::RowMajor || dims.size() < 3) return strides;
  Dims by_dim(dims.size());
  by_dim[0] = strides[0];
  by_dim[1] = strides.back();
  for (size_t i = 2; i < dims.size(); ++i) by_dim[i] = strides[i - 1];
  return by_dim;
}

bool same_strides(DimsView dims, DimsView a, DimsView b) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 1 && a[i] != b[i]) return false;
  }
  return true;
}

std::optional<int64_t> joint_stride(DimsView dims, DimsView strides) {
  int64_t stride = 0, extent = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == 1) continue;
    if (extent == 1) {
      stride = strides[i];
    } else if (strides[i] != stride * extent) {
      return std::nullopt;
    }
    extent *= dims[i];
  }
  return stride;
}

// From the front: the fewest axes on both sides that have as many elements are one axis, which must have one
// stride.
std::optional<Dims> reshaped_strides(DimsView dims, DimsView strides, DimsView to) {
  Dims result(to.size(), 0);
  size_t i = 0, j = 0;
  while (i < dims.size() || j < to.size()) {
    size_t first_i = i, first_j = j;
    int64_t from_count = 1, to_count = 1;
    do {
      bool take_from = j == to.size() || (i < dims.size() && from_count <= to_count);
      if (take_from && i == dims.size()) return std::nullopt;
      if (take_from) {
        from_count *= dims[i++];
      } else {
        to_count *= to[j++];
      }
    } while (from_count != to_count || (i == first_i && j == first_j));
    auto stride = joint_stride(dims.subspan(first_i, i - first_i), strides.subspan(first_i, i - first_i));
    if (!stride) return std::nullopt;
    for (size_t k = j; k-- > first_j;) {
      result[k] = *stride;
      *stride *= to[k];
    }
  }
  return result;
}

}  // namespace fuselane
