// MatMul and Gemm as products over packed matrices. A constant right operand is packed when the model is
// prepared, a computed one in a step of its own.
#include <cstddef>

#include "assemble/kernels/blocking.h"
#include "assemble/kernels/planners.h"
#include "base/checked.h"
#include "library/matmul.h"

namespace fuselane {
namespace {

struct Product {
  int64_t batches = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  bool batched = false;     // the right operand has as many matrices as the left
  bool transposed = false;  // the right operand is [columns][depth]
};

// Rows [first, first + pack.depth) and columns [column, column + pack.columns) of matrix `matrix`.
Packing::Part matrix_part(Site& site, const Product& product, size_t bias, PackArgs pack, uint64_t matrix,
                          uint32_t column) {
  uint64_t before =
      matrix * pack.packed_batch + uint64_t{column / kPanelColumns} * panel_size(1, pack.all_rows);
  uint64_t element =
      product.transposed ? uint64_t{column} * pack.all_rows : uint64_t{pack.first} * pack.row_stride;
  element += matrix * static_cast<uint64_t>(product.depth * product.columns);
  std::vector<Packing::Operand> operands = {{.at = offsetof(PackArgs, b),
                                             .constant = site.constant(1),
                                             .offset = element * sizeof(float),
                                             .bytes = uint64_t{pack.depth} * pack.columns * sizeof(float)}};
  if (site.has(bias)) {
    operands.push_back({.at = offsetof(PackArgs, bias),
                        .constant = site.constant(bias),
                        .offset = column * sizeof(float),
                        .bytes = pack.columns * sizeof(float)});
  }
  return packing_part(pack, std::move(operands), panel_count(pack.columns), before * sizeof(float));
}

// A small constant goes in one part; of a large one each matrix in stretches of the file, which are rows, or
// columns where it is transposed.
std::vector<Packing::Part> matrix_parts(Site& site, const Product& product, size_t bias, const PackArgs& pack,
                                        uint32_t matrices) {
  uint64_t matrix_bytes = uint64_t{pack.columns} * pack.depth * sizeof(float);
  std::vector<Packing::Part> parts;
  if (matrix_bytes * matrices <= kPartBytes) {
    std::vector<Packing::Operand> operands = {whole_constant(site, 1, offsetof(PackArgs, b))};
    if (site.has(bias)) operands.push_back(whole_constant(site, bias, offsetof(PackArgs, bias)));
    parts.push_back(packing_part(pack, std::move(operands), matrices * panel_count(pack.columns)));
    return parts;
  }
  uint32_t all = product.transposed ? pack.columns : pack.depth;
  uint64_t line_bytes = matrix_bytes / all;
  uint32_t unit = product.transposed ? kPanelColumns : 1;
  auto step = static_cast<uint32_t>(std::max<uint64_t>(kPartBytes / line_bytes / unit, 1)) * unit;
  for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
    for (uint32_t first = 0; first < all; first += step) {
      PackArgs part = pack;
      (product.transposed ? part.columns : part.depth) = std::min(step, all - first);
      part.first = product.transposed ? 0 : first;
      parts.push_back(matrix_part(site, product, bias, part, matrix, product.transposed ? first : 0));
    }
  }
  return parts;
}

Result<BufferId> pack_right(Site& site, const Product& product, size_t bias) {
  auto columns = static_cast<uint32_t>(product.columns);
  auto depth = static_cast<uint32_t>(product.depth);
  PackArgs pack{.columns = columns,
                .depth = depth,
                .all_rows = depth,
                .row_stride = product.transposed ? 1 : columns,
                .column_stride = product.transposed ? depth : 1,
                .b_batch = product.batched ? columns * depth : 0,
                .packed_batch = static_cast<uint32_t>(packed_size(columns, 1, depth))};
  auto matrices = static_cast<uint32_t>(product.batched ? product.batches : 1);
  uint64_t bytes = uint64_t{pack.packed_batch} * matrices * sizeof(float);
  uint32_t extent = matrices * panel_count(columns);
  if (site.constant(1)) {
    return site.packed(packing_of(KernelId::MatMulPack, offsetof(PackArgs, packed), bytes,
                                  matrix_parts(site, product, bias, pack, matrices)));
  }
  BufferId from = site.input(1);
  BufferId to = site.scratch(bytes);
  std::vector<BufferId> reads = {from};
  if (site.has(bias)) {
    BufferId bias_buffer = site.input(bias);
    reads.push_back(bias_buffer);
    site.call(row(KernelId::MatMulPack), pack,
              {{offsetof(PackArgs, b), from},
               {offsetof(PackArgs, bias), bias_buffer},
               {offsetof(PackArgs, packed), to}},
              std::move(reads), {to}, extent, 4);
  } else {
    site.call(row(KernelId::MatMulPack), pack,
              {{offsetof(PackArgs, b), from}, {offsetof(PackArgs, packed), to}}, std::move(reads), {to},
              extent, 4);
  }
  return to;
}

Result<bool> plan_product(Site& site, const Product& product, size_t bias) {
  if (!fits32(product.batches * product.rows) || !fits32(product.depth * product.columns)) return false;
  if (product.rows == 0 || product.columns == 0 || product.batches == 0) return false;
  BufferId packed = TRY(pack_right(site, product, bias));
  BufferId a = site.input(0);
  BufferId c = site.output(0);
  // One matrix for all batches: the batches are rows of one product.
  int64_t rows = product.batched ? product.rows : product.rows * product.batches;
  auto batches = static_cast<uint32_t>(product.batched ? product.batches : 1);
  auto columns = static_cast<uint32_t>(product.columns);
  auto depth = static_cast<uint32_t>(product.depth);
  Blocking blocking = block_product(static_cast<uint64_t>(rows), panel_count(columns),
                                    static_cast<uint64_t>(depth), site.threads());
  MatMulArgs args{.rows = static_cast<uint32_t>(rows),
                  .columns = columns,
                  .depth = depth,
                  .a_stride = depth,
                  .c_stride = columns,
                  .a_batch = static_cast<uint32_t>(rows) * depth,
                  .packed_batch = static_cast<uint32_t>(packed_size(columns, 1, depth)),
                  .c_batch = static_cast<uint32_t>(rows) * columns,
                  .block_rows = blocking.rows,
                  .group_panels = blocking.panels,
                  .activation = activation_of(site.node())};
  site.call(
      row(KernelId::MatMul), args,
      {{offsetof(MatMulArgs, a), a}, {offsetof(MatMulArgs, packed), packed}, {offsetof(MatMulArgs, c), c}},
      {a, packed}, {c}, matmul_extent(args, batches), 1);
  return true;
}

// A bias that a packed matrix can carry: one float32 for each column, constant if the matrix is.
bool bias_fits(Site& site, size_t bias, int64_t columns) {
  if (!site.has(bias)) return true;
  auto count = element_count(site.dims(bias));
  bool row = !site.dims(bias).empty() && site.dims(bias).back() == columns && count == columns;
  return row && site.dtype(bias) == DType::Float32 && (!site.constant(1) || site.constant(bias));
}

}  // namespace

Result<bool> plan_matmul(Site& site) {
  const Dims& a = site.dims(0);
  const Dims& b = site.dims(1);
  if (site.dtype(0) != DType::Float32 || a.size() < 2 || b.size() < 2) return false;
  Product product{.rows = a[a.size() - 2], .columns = b.back(), .depth = a.back()};
  for (size_t i = 0; i + 2 < a.size(); ++i) product.batches *= a[i];
  if (b.size() > 2) {
    DimsView a_batch = DimsView(a).first(a.size() - 2);
    DimsView b_batch = DimsView(b).first(b.size() - 2);
    if (!std::ranges::equal(a_batch, b_batch)) return false;
    product.batched = product.batches != 1;
  }
  if (!bias_fits(site, 2, product.columns)) return false;
  return plan_product(site, product, 2);
}

Result<bool> plan_gemm(Site& site) {
  const Node& node = site.node();
  if (site.dtype(0) != DType::Float32 || node.flag(Attr::TransA) || node.number(Attr::Alpha) != 1)
    return false;
  if (site.has(2) && node.number(Attr::Beta) != 1) return false;
  Product product{.rows = site.dims(0)[0], .columns = site.result_dims(0)[1], .depth = site.dims(0)[1]};
  product.transposed = node.flag(Attr::TransB);
  if (!bias_fits(site, 2, product.columns)) return false;
  return plan_product(site, product, 2);
}

}  // namespace fuselane
