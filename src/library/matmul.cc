#include "library/matmul.h"

#include <algorithm>

namespace fuselane {
namespace {

uint32_t blocks_of(const MatMulArgs& args) { return (args.rows + args.block_rows - 1) / args.block_rows; }
uint32_t groups_of(const MatMulArgs& args) {
  return (panel_count(args.columns) + args.group_panels - 1) / args.group_panels;
}

void run_block(const MatMulArgs& args, uint32_t batch, uint32_t block, uint32_t group) {
  const float* a = args.a + size_t{batch} * args.a_batch;
  float* c = args.c + size_t{batch} * args.c_batch;
  const float* packed = args.packed + size_t{batch} * args.packed_batch;
  uint32_t first_row = block * args.block_rows;
  uint32_t last_row = std::min(args.rows, first_row + args.block_rows);
  uint32_t first_panel = group * args.group_panels;
  uint32_t last_panel = std::min(panel_count(args.columns), first_panel + args.group_panels);
  TileShape shape{.positions = 1, .depth = args.depth, .activation = args.activation};
  for (uint32_t panel = first_panel; panel < last_panel; ++panel) {
    uint32_t column = panel * kPanelColumns;
    const float* weights = packed + size_t{panel} * panel_size(1, args.depth);
    uint32_t columns = std::min(kPanelColumns, args.columns - column);
    for (uint32_t row = first_row; row < last_row; row += kTileRows) {
      const float* rows[kTileRows];
      for (uint32_t r = 0; r < kTileRows; ++r)
        rows[r] = a + size_t{std::min(row + r, last_row - 1)} * args.a_stride;
      product_tile(shape, std::min(kTileRows, last_row - row), rows, weights,
                   c + size_t{row} * args.c_stride + column, args.c_stride, columns);
    }
  }
}

// `columns` of them from b on, which has `columns` elements in each of its rows at least.
[[gnu::noinline]] void pack_panel(const PackArgs& args, const float* b, const float* bias, uint32_t columns,
                                  float* to) {
  if (args.first == 0) {
    for (uint32_t j = 0; j < kPanelColumns; ++j) to[j] = bias && j < columns ? bias[j] : 0;
  }
  to += size_t{kPanelColumns} * (1 + args.first);
  bool whole_rows = columns == kPanelColumns && args.column_stride == 1;
  for (uint32_t k = 0; k < args.depth; ++k, to += kPanelColumns) {
    const float* from = b + size_t{k} * args.row_stride;
    if (whole_rows) {
      wasm_v128_store(to, wasm_v128_load(from));
      wasm_v128_store(to + kLanes, wasm_v128_load(from + kLanes));
      continue;
    }
    for (uint32_t j = 0; j < kPanelColumns; ++j)
      to[j] = j < columns ? from[size_t{j} * args.column_stride] : 0;
  }
}

}  // namespace

uint32_t matmul_extent(const MatMulArgs& args, uint32_t batches) {
  return batches * blocks_of(args) * groups_of(args);
}

uint32_t matmul(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const MatMulArgs*>(raw);
  uint32_t groups = groups_of(args);
  uint32_t blocks = blocks_of(args);
  for (uint32_t i = begin; i < end; ++i) {
    run_block(args, i / (groups * blocks), i / groups % blocks, i % groups);
  }
  return kDone;
}

uint32_t matmul_pack(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const PackArgs*>(raw);
  uint32_t panels = panel_count(args.columns);
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t column = i % panels * kPanelColumns;
    size_t first = size_t{i / panels} * args.b_batch + size_t{column} * args.column_stride;
    float* to = args.packed + size_t{i / panels} * args.packed_batch +
                size_t{i % panels} * panel_size(1, args.all_rows);
    pack_panel(args, args.depth > 0 ? args.b + first : nullptr, args.bias ? args.bias + column : nullptr,
               std::min(kPanelColumns, args.columns - column), to);
  }
  return kDone;
}

}  // namespace fuselane
