// Matrix products over random sizes, strides and activations against sums in double.
#include "library/matmul.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

TEST(ProductTile, EveryRowAndColumnCount) {
  Rng rng(2);
  for (uint32_t rows = 1; rows <= kTileRows; ++rows) {
    for (uint32_t columns = 1; columns <= kPanelColumns; ++columns) {
      TileShape shape{.positions = pick(rng, 1, 5), .depth = pick(rng, 1, 9), .activation = {}};
      shape.activation = random_activation(rng);
      std::vector<float> panel = random_floats(rng, panel_size(shape.positions, shape.depth));
      // Every row of every position is a block of its own.
      std::vector<std::vector<float>> blocks;
      std::vector<const float*> pointers(size_t{shape.positions} * kTileRows, nullptr);
      for (uint32_t p = 0; p < shape.positions; ++p) {
        for (uint32_t r = 0; r < rows; ++r) {
          blocks.push_back(random_floats(rng, shape.depth));
          pointers[p * kTileRows + r] = blocks.back().data();
        }
      }
      uint32_t stride = columns + pick(rng, 0, 3);
      std::vector<float> c(size_t{rows - 1} * stride + columns, kUnwritten);
      product_tile(shape, rows, pointers.data(), panel.data(), c.data(), stride, columns);
      for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t j = 0; j < stride && r * stride + j < c.size(); ++j) {
          float got = c[r * stride + j];
          if (j >= columns) {
            EXPECT_EQ(got, kUnwritten);
            continue;
          }
          Sum sum;
          sum.add(panel[j]);
          for (uint32_t p = 0; p < shape.positions; ++p) {
            for (uint32_t d = 0; d < shape.depth; ++d) {
              sum.add(double{pointers[p * kTileRows + r][d]} *
                      panel[kPanelColumns * (1 + p * shape.depth + d) + j]);
            }
          }
          expect_sum(shape.activation, sum, got, "tile");
        }
      }
    }
  }
}

struct Product {
  MatMulArgs args{};
  PackArgs pack{};
  uint32_t batches = 1;
  std::vector<float> a, b, bias, packed, c;
};

Product random_product(Rng& rng) {
  Product p;
  uint32_t rows = pick(rng, 1, 23);
  uint32_t columns = pick(rng, 1, 37);
  uint32_t depth = pick(rng, 0, 40);
  p.batches = pick(rng, 1, 3);
  bool shared_b = rng.below(2) == 0;
  bool transposed = rng.below(2) == 0;
  uint32_t row_stride = transposed ? 1 : columns + pick(rng, 0, 3);
  uint32_t column_stride = transposed ? depth + pick(rng, 0, 3) : 1;
  uint32_t b_size = depth == 0 ? 0 : (depth - 1) * row_stride + (columns - 1) * column_stride + 1;
  uint32_t b_batches = shared_b ? 1 : p.batches;
  auto packed_count = static_cast<uint32_t>(packed_size(columns, 1, depth));
  uint32_t a_stride = depth + pick(rng, 0, 3);
  uint32_t c_stride = columns + pick(rng, 0, 3);
  bool shared_a = rng.below(4) == 0;
  uint32_t a_size = (rows - 1) * a_stride + depth;
  uint32_t c_size = (rows - 1) * c_stride + columns;
  p.a = random_floats(rng, size_t{a_size} * (shared_a ? 1 : p.batches));
  p.b = random_floats(rng, size_t{b_size} * b_batches);
  p.bias = random_floats(rng, columns);
  p.packed.assign(size_t{packed_count} * b_batches, kUnwritten);
  p.c.assign(size_t{c_size} * p.batches, kUnwritten);
  p.pack = {.b = p.b.data(),
            .bias = rng.below(2) == 0 ? p.bias.data() : nullptr,
            .packed = nullptr,
            .columns = columns,
            .depth = depth,
            .all_rows = depth,
            .row_stride = row_stride,
            .column_stride = column_stride,
            .b_batch = b_size,
            .packed_batch = packed_count};
  p.args = {.a = p.a.data(),
            .packed = p.packed.data(),
            .c = nullptr,
            .rows = rows,
            .columns = columns,
            .depth = depth,
            .a_stride = a_stride,
            .c_stride = c_stride,
            .a_batch = shared_a ? 0 : a_size,
            .packed_batch = shared_b ? 0 : packed_count,
            .c_batch = c_size,
            .block_rows = 4 * pick(rng, 1, 4),
            .group_panels = pick(rng, 1, 4),
            .activation = random_activation(rng)};
  run_kernel(rng, matmul_pack, p.pack, &PackArgs::packed, b_batches * panel_count(columns), p.packed);
  return p;
}

TEST(MatMul, AgreesWithDouble) {
  Rng rng(3);
  for (int round = 0; round < 400; ++round) {
    Product p = random_product(rng);
    const MatMulArgs& args = p.args;
    run_kernel(rng, matmul, args, &MatMulArgs::c, matmul_extent(args, p.batches), p.c);
    for (uint32_t batch = 0; batch < p.batches; ++batch) {
      for (uint32_t i = 0; i < args.rows; ++i) {
        const float* a = p.a.data() + size_t{batch} * args.a_batch + size_t{i} * args.a_stride;
        const float* b = p.b.data() + (args.packed_batch ? size_t{batch} * p.pack.b_batch : 0);
        const float* c = p.c.data() + size_t{batch} * args.c_batch + size_t{i} * args.c_stride;
        for (uint32_t j = 0; j < args.columns; ++j) {
          Sum sum;
          if (p.pack.bias) sum.add(p.bias[j]);
          for (uint32_t k = 0; k < args.depth; ++k)
            sum.add(double{a[k]} * b[size_t{k} * p.pack.row_stride + size_t{j} * p.pack.column_stride]);
          expect_sum(args.activation, sum, c[j], "matmul");
        }
        for (uint32_t j = args.columns; i + 1 < args.rows && j < args.c_stride; ++j)
          EXPECT_EQ(c[j], kUnwritten);
      }
    }
    if (HasFatalFailure()) return;
  }
}

TEST(MatMul, NaNAndInfinityReachTheirRowAndColumnOnly) {
  Rng rng(4);
  for (int round = 0; round < 50; ++round) {
    Product p = random_product(rng);
    p.args.activation = {};
    if (p.args.depth == 0) continue;
    uint32_t row = pick(rng, 0, p.args.rows - 1);
    p.a[size_t{row} * p.args.a_stride + pick(rng, 0, p.args.depth - 1)] = kNaN;
    run_kernel(rng, matmul, p.args, &MatMulArgs::c, matmul_extent(p.args, p.batches), p.c);
    for (uint32_t i = 0; i < p.args.rows; ++i) {
      for (uint32_t j = 0; j < p.args.columns; ++j)
        EXPECT_EQ(std::isnan(p.c[size_t{i} * p.args.c_stride + j]), i == row);
    }
  }
}

}  // namespace
}  // namespace fuselane
