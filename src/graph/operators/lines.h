// The lines of a tensor along one axis.
#pragma once

#include "types/tensor.h"

namespace fuselane {

// Line l holds the elements first(l) + k * stride for k < extent. Lines are in the order of the tensor's
// elements, so that line l is element l of a result without the axis.
struct Lines {
  int64_t extent = 0;
  int64_t stride = 1;
  int64_t count = 0;  // 0 where the tensor has no elements

  Lines(const TensorView& tensor, int64_t axis)
      : extent(tensor.extent(axis)),
        stride(strides_of(tensor.dims)[static_cast<size_t>(axis)]),
        count(extent == 0 ? 0 : tensor.count / extent) {}
  int64_t first(int64_t line) const { return line / stride * stride * extent + line % stride; }
};

}  // namespace fuselane
