// Tiles of products against sums in double, and the packed matrices that they read.
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

TEST(MatMulPack, PanelsHoldBiasesThenRowsThenZeros) {
  Rng rng(3);
  for (int round = 0; round < 400; ++round) {
    uint32_t columns = pick(rng, 1, 37), depth = pick(rng, 0, 40), batches = pick(rng, 1, 3);
    bool transposed = rng.below(2) == 0;
    uint32_t row_stride = transposed ? 1 : columns + pick(rng, 0, 3);
    uint32_t column_stride = transposed ? depth + pick(rng, 0, 3) : 1;
    uint32_t b_batch = depth == 0 ? 0 : (depth - 1) * row_stride + (columns - 1) * column_stride + 1;
    auto packed_batch = static_cast<uint32_t>(packed_size(columns, 1, depth));
    std::vector<float> b = random_floats(rng, size_t{b_batch} * batches);
    std::vector<float> bias = random_floats(rng, columns);
    std::vector<float> packed(size_t{packed_batch} * batches, kUnwritten);
    PackArgs args{.b = b.data(),
                  .bias = rng.below(2) == 0 ? bias.data() : nullptr,
                  .columns = columns,
                  .depth = depth,
                  .all_rows = depth,
                  .row_stride = row_stride,
                  .column_stride = column_stride,
                  .b_batch = b_batch,
                  .packed_batch = packed_batch};
    run_kernel(rng, matmul_pack, args, &PackArgs::packed, batches * panel_count(columns), packed);
    for (uint32_t batch = 0; batch < batches; ++batch) {
      const float* at = packed.data() + size_t{batch} * packed_batch;
      for (uint32_t panel = 0; panel < panel_count(columns); ++panel) {
        for (uint32_t row = 0; row <= depth; ++row) {
          for (uint32_t lane = 0; lane < kPanelColumns; ++lane) {
            uint32_t j = panel * kPanelColumns + lane;
            float want =
                j >= columns ? 0
                : row == 0
                    ? (args.bias ? bias[j] : 0)
                    : b[size_t{batch} * b_batch + size_t{row - 1} * row_stride + size_t{j} * column_stride];
            ASSERT_EQ(*at++, want);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace fuselane
