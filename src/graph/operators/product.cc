#include "graph/operators/product.h"

#include <algorithm>
#include <vector>

#include "base/checked.h"

namespace fuselane {
namespace {

// Columns computed together: their sums and a row of the panel stay in the first-level cache.
constexpr int64_t kPanelColumns = 256;

double multiply_add(double sum, double a, double b) { return sum + a * b; }
int64_t multiply_add(int64_t sum, int64_t a, int64_t b) { return wrapping_add(sum, wrapping_mul(a, b)); }

void load_run(const TensorView& from, int64_t first, int64_t stride, std::span<double> to) {
  int64_t at = first;
  if (from.dtype == DType::Float32) {
    for (double& number : to) number = from.as<float>()[at], at += stride;
  } else {
    for (double& number : to) number = from.number(at), at += stride;
  }
}
void load_run(const TensorView& from, int64_t first, int64_t stride, std::span<int64_t> to) {
  int64_t at = first;
  for (int64_t& number : to) number = from.integer(at), at += stride;
}

// One template for both kinds of numbers: this inner loop is most of a network's time in the reference. It
// does not know element types, because panels of B and rows of A are widened before it.
template <class Number, class Sink>
void multiply(const Matrix& a, const Matrix& b, const ProductExtents& extents, const Sink& sink) {
  // Without elements the other extents are not bounded by any tensor's size.
  if (extents.rows == 0 || extents.columns == 0) return;
  int64_t width = std::min(kPanelColumns, extents.columns);
  std::vector<Number> panel(static_cast<size_t>(width * extents.inner));
  std::vector<Number> row(static_cast<size_t>(extents.inner));
  std::vector<Number> sums(static_cast<size_t>(width));
  for (int64_t column = 0; column < extents.columns; column += width) {
    auto count = static_cast<size_t>(std::min(width, extents.columns - column));
    for (int64_t k = 0; k < extents.inner; ++k) {
      int64_t first = b.first + k * b.row_stride + column * b.column_stride;
      load_run(b.tensor, first, b.column_stride, {panel.data() + k * width, count});
    }
    for (int64_t m = 0; m < extents.rows; ++m) {
      load_run(a.tensor, a.first + m * a.row_stride, a.column_stride, row);
      std::fill(sums.begin(), sums.end(), Number{0});
      for (size_t k = 0; k < row.size(); ++k) {
        const Number* from = panel.data() + k * static_cast<size_t>(width);
        Number* to = sums.data();
        for (size_t n = 0; n < count; ++n) to[n] = multiply_add(to[n], row[k], from[n]);
      }
      sink(m, column, {sums.data(), count});
    }
  }
}

}  // namespace

void multiply_floats(const Matrix& a, const Matrix& b, const ProductExtents& extents, const FloatSink& sink) {
  multiply<double>(a, b, extents, sink);
}
void multiply_integers(const Matrix& a, const Matrix& b, const ProductExtents& extents, const IntSink& sink) {
  multiply<int64_t>(a, b, extents, sink);
}

}  // namespace fuselane
