// Values as matrices and as pixels: what kernels take that know one stride for rows.
#pragma once

#include <optional>

#include "assemble/site.h"

namespace fuselane {

// How matrices with dense columns lie, in elements.
struct MatrixStrides {
  uint64_t batch = 0;
  uint64_t row = 0;
};
// A tensor as such matrices: the last axis in memory, as `layout` has them, is the columns, the first
// `batch_axes` are the batches, those between are the rows. Nothing where no such strides walk it.
std::optional<MatrixStrides> matrix_strides(DimsView dims, DimsView strides, Layout layout,
                                            size_t batch_axes);
MatrixStrides dense_matrices(uint64_t rows, uint64_t columns);

// Channels last: a buffer, and the elements from one of its pixels to the next.
struct Pixels {
  BufferId buffer;
  uint32_t stride;
};
// The stride that take_pixels() will give.
uint32_t pixel_stride(const Site& site, size_t input);
// The operand as it lies, or dense where its pixels have no stride.
Pixels take_pixels(Site& site, size_t input);
// Memory for result 0; over one of these operands where Site::output_strided_over() may.
Pixels make_pixels(Site& site, std::span<const size_t> over = {});
// The stride that make_pixels() will give.
uint32_t result_stride(const Site& site);

}  // namespace fuselane
