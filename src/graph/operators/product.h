// The product of two matrices that lie in tensors in any strided way, for MatMul and Gemm.
#pragma once

#include <functional>
#include <span>

#include "types/tensor.h"

namespace fuselane {

struct Matrix {
  const TensorView& tensor;
  int64_t first = 0;  // the element at row 0, column 0
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

struct ProductExtents {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t inner = 0;
};

// Receives the sums of one row from `column` on.
using FloatSink = std::function<void(int64_t row, int64_t column, std::span<const double> sums)>;
using IntSink = std::function<void(int64_t row, int64_t column, std::span<const int64_t> sums)>;

// Every element of the product once. Floats are multiplied and summed in double, in the order of the inner
// index; integers wrap at 64 bits. An inner extent of 0 gives zeros.
void multiply_floats(const Matrix& a, const Matrix& b, const ProductExtents& extents, const FloatSink& sink);
void multiply_integers(const Matrix& a, const Matrix& b, const ProductExtents& extents, const IntSink& sink);

}  // namespace fuselane
