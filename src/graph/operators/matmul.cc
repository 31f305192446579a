// MatMul as numpy.matmul: matrices in the last two axes, the axes before them broadcast; an operand of rank 1
// is a row on the left and a column on the right, and that axis is not in the result; a bias is added to each
// row. Gemm: alpha * A * B + beta * C of matrices that may be read transposed, C broadcast.
#include "base/checked.h"
#include "graph/operators/broadcast.h"
#include "graph/operators/operators.h"
#include "graph/operators/product.h"

namespace fuselane {
namespace {

Status require_factors(const Inference& i) {
  TRY(i.require_kind(0, {DTypeKind::Float, DTypeKind::Signed, DTypeKind::Unsigned}));
  return i.require_same_dtype(0, 1);
}

Status require_inner(const Inference& i, const Dim& a, const Dim& b) {
  if (!a.known() || !b.known() || a.extent == b.extent) return {};
  return i.refuse(cat("the inner extents ", a.extent, " and ", b.extent, " of its factors differ"));
}

DimVector batch_of(const DimVector& dims) {
  return DimVector(dims.begin(), dims.size() < 2 ? dims.begin() : dims.end() - 2);
}
DimsView batch_of(DimsView dims) { return dims.first(dims.size() < 2 ? 0 : dims.size() - 2); }

// One product plus `bias` (one element for each column; null for none), stored from element `first` of y on.
void multiply_into(const Matrix& a, const Matrix& b, const ProductExtents& extents, const TensorView* bias,
                   const TensorView& y, int64_t first) {
  if (is_float(y.dtype)) {
    multiply_floats(a, b, extents, [&](int64_t row, int64_t column, std::span<const double> sums) {
      int64_t at = first + row * extents.columns + column;
      for (double sum : sums) y.set_number(at++, bias ? sum + bias->number(column++) : sum);
    });
  } else {
    multiply_integers(a, b, extents, [&](int64_t row, int64_t column, std::span<const int64_t> sums) {
      int64_t at = first + row * extents.columns + column;
      for (int64_t sum : sums) y.set_integer(at++, bias ? wrapping_add(sum, bias->integer(column++)) : sum);
    });
  }
}

// Gemm's third operand as if it had the result's shape.
struct Addend {
  const TensorView* tensor = nullptr;  // null when absent
  int64_t row_stride = 0;
  int64_t column_stride = 0;

  int64_t index(int64_t row, int64_t column) const { return row * row_stride + column * column_stride; }
};

Addend addend_of(const ReferenceCall& call) {
  if (!call.has_input(2)) return {};
  const TensorView& c = call.inputs[2];
  Addend addend{.tensor = &c};
  int64_t columns = c.rank() > 0 ? c.extent(c.rank() - 1) : 1;
  if (columns != 1) addend.column_stride = 1;
  if (c.rank() == 2 && c.extent(0) != 1) addend.row_stride = columns;
  return addend;
}

// Integers with factors of 1 stay integers; with others they are computed as floats and truncated.
void add_scaled(const ReferenceCall& call, const Matrix& a, const Matrix& b, const ProductExtents& extents) {
  const TensorView& y = call.outputs[0];
  const double alpha = call.node.number(Attr::Alpha);
  const double beta = call.node.number(Attr::Beta);
  const Addend addend = addend_of(call);
  auto store = [&](int64_t row, int64_t column, double sum) {
    double rest = addend.tensor ? beta * addend.tensor->number(addend.index(row, column)) : 0;
    y.set_number(row * extents.columns + column, addend.tensor ? alpha * sum + rest : alpha * sum);
  };
  if (is_float(y.dtype)) {
    multiply_floats(a, b, extents, [&](int64_t row, int64_t column, std::span<const double> sums) {
      for (double sum : sums) store(row, column++, sum);
    });
    return;
  }
  multiply_integers(a, b, extents, [&](int64_t row, int64_t column, std::span<const int64_t> sums) {
    for (int64_t sum : sums) {
      if (alpha == 1 && beta == 1) {
        int64_t rest = addend.tensor ? addend.tensor->integer(addend.index(row, column)) : 0;
        y.set_integer(row * extents.columns + column, wrapping_add(sum, rest));
      } else {
        store(row, column,
              y.dtype == DType::UInt64 ? static_cast<double>(static_cast<uint64_t>(sum))
                                       : static_cast<double>(sum));
      }
      ++column;
    }
  });
}

}  // namespace

Status shape_of_matmul(Inference& i) {
  TRY(require_factors(i));
  TRY(i.require_same_dtype(0, 2));
  for (size_t k = 0; k < 2; ++k) TRY(i.require_rank(k, 1, kMany));
  TRY(i.require_rank(2, 1, 1));
  i.set(0, i.dtype(0), std::nullopt);
  const DimVector* a = i.dims(0);
  const DimVector* b = i.dims(1);
  if (!a || !b) return {};
  TRY(require_inner(i, a->back(), b->size() == 1 ? (*b)[0] : (*b)[b->size() - 2]));
  auto batch = TRY(broadcast(std::optional(batch_of(*a)), std::optional(batch_of(*b))));
  if (!batch) return {};
  if (a->size() > 1) batch->push_back((*a)[a->size() - 2]);
  if (b->size() > 1) batch->push_back(b->back());
  const DimVector* bias = i.dims(2);
  if (bias && b->size() < 2) return i.refuse("a bias needs a right factor with columns");
  if (bias && (*bias)[0].known() && b->back().known() && (*bias)[0] != b->back()) {
    return i.refuse(cat("the bias has ", (*bias)[0].extent, " elements for ", b->back().extent, " columns"));
  }
  i.set(0, i.dtype(0), std::move(batch));
  return {};
}

Status reference_matmul(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& a = call.inputs[0];
  const TensorView& b = call.inputs[1];
  const TensorView& y = call.outputs[0];
  size_t matrix_axes = (a.rank() > 1 ? 1u : 0u) + (b.rank() > 1 ? 1u : 0u);
  ProductExtents extents{.rows = a.rank() > 1 ? a.extent(a.rank() - 2) : 1,
                         .columns = b.rank() > 1 ? b.extent(b.rank() - 1) : 1,
                         .inner = a.extent(a.rank() - 1)};
  int64_t matrix = extents.rows * extents.columns;
  const TensorView* bias = call.has_input(2) ? &call.inputs[2] : nullptr;
  BroadcastWalk walk(y.dims.first(y.dims.size() - matrix_axes), {batch_of(a.dims), batch_of(b.dims)});
  while (const BroadcastRun* run = walk.next()) {
    for (int64_t k = 0; k < run->count; ++k) {
      Matrix left{a, (run->offsets[0] + k * run->strides[0]) * extents.rows * extents.inner, extents.inner,
                  1};
      Matrix right{b, (run->offsets[1] + k * run->strides[1]) * extents.inner * extents.columns,
                   extents.columns, 1};
      multiply_into(left, right, extents, bias, y, (run->first + k) * matrix);
    }
  }
  return {};
}

Status shape_of_gemm(Inference& i) {
  TRY(require_factors(i));
  TRY(i.require_same_dtype(0, 2));
  for (size_t k = 0; k < 2; ++k) TRY(i.require_rank(k, 2, 2));
  const DimVector unknown(2);
  const DimVector& a = i.dims(0) ? *i.dims(0) : unknown;
  const DimVector& b = i.dims(1) ? *i.dims(1) : unknown;
  size_t trans_a = i.node.flag(Attr::TransA) ? 1 : 0;
  size_t trans_b = i.node.flag(Attr::TransB) ? 1 : 0;
  TRY(require_inner(i, a[1 - trans_a], b[trans_b]));
  DimVector result = {a[trans_a], b[1 - trans_b]};
  TRY(require_broadcast_to(i, 2, result));
  i.set(0, i.dtype(0), std::move(result));
  return {};
}

Status reference_gemm(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& a = call.inputs[0];
  const TensorView& b = call.inputs[1];
  bool trans_a = call.node.flag(Attr::TransA);
  bool trans_b = call.node.flag(Attr::TransB);
  Matrix left{a, 0, trans_a ? 1 : a.extent(1), trans_a ? a.extent(1) : 1};
  Matrix right{b, 0, trans_b ? 1 : b.extent(1), trans_b ? b.extent(1) : 1};
  ProductExtents extents{.rows = a.extent(trans_a ? 1 : 0),
                         .columns = b.extent(trans_b ? 0 : 1),
                         .inner = a.extent(trans_a ? 0 : 1)};
  add_scaled(call, left, right, extents);
  return {};
}

}  // namespace fuselane
