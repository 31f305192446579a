#include "library/matmul.h"

#include <algorithm>

namespace fuselane {
namespace {

// Four cache lines of a row; that many streams are written.
constexpr uint32_t kPackedTogether = 8;

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

// Rows of a matrix whose rows lie one element after another, into whole panels side by side: each row's
// cache lines are read once for all of them. (With rows 4 kB apart they are not there any more for the next
// panel.)
[[gnu::noinline]] void pack_panels(const PackArgs& args, const float* b, float* to, uint32_t panels) {
  const size_t size = panel_size(1, args.all_rows);
  to += size_t{kPanelColumns} * (1 + args.first);
  for (uint32_t k = 0; k < args.depth; ++k, to += kPanelColumns) {
    const float* from = b + size_t{k} * args.row_stride;
    for (uint32_t p = 0; p < panels; ++p, from += kPanelColumns) {
      wasm_v128_store(to + p * size, wasm_v128_load(from));
      wasm_v128_store(to + p * size + kLanes, wasm_v128_load(from + kLanes));
    }
  }
}

// `columns` of them from b on, which has `columns` elements in each of its rows at least.
[[gnu::noinline]] void pack_panel(const PackArgs& args, const float* b, uint32_t columns, float* to) {
  to += size_t{kPanelColumns} * (1 + args.first);
  for (uint32_t k = 0; k < args.depth; ++k, to += kPanelColumns) {
    const float* from = b + size_t{k} * args.row_stride;
    for (uint32_t j = 0; j < kPanelColumns; ++j)
      to[j] = j < columns ? from[size_t{j} * args.column_stride] : 0;
  }
}

void pack_bias(const float* bias, uint32_t columns, float* to) {
  for (uint32_t j = 0; j < kPanelColumns; ++j) to[j] = bias && j < columns ? bias[j] : 0;
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
  const uint32_t panels = panel_count(args.columns);
  const uint32_t whole = args.column_stride == 1 ? args.columns / kPanelColumns : 0;
  for (uint32_t i = begin; i < end;) {
    const uint32_t panel = i % panels;
    // Panels of one matrix up to `end`, together as long as they are whole.
    const uint32_t count = panel < whole ? std::min({whole - panel, end - i, kPackedTogether}) : 1;
    const uint32_t column = panel * kPanelColumns;
    const size_t first = size_t{i / panels} * args.b_batch + size_t{column} * args.column_stride;
    float* to =
        args.packed + size_t{i / panels} * args.packed_batch + size_t{panel} * panel_size(1, args.all_rows);
    for (uint32_t p = 0; p < count && args.first == 0; ++p) {
      const uint32_t at = column + p * kPanelColumns;
      pack_bias(args.bias ? args.bias + at : nullptr, std::min(kPanelColumns, args.columns - at),
                to + size_t{p} * panel_size(1, args.all_rows));
    }
    if (args.depth > 0 && panel < whole) pack_panels(args, args.b + first, to, count);
    if (args.depth > 0 && panel >= whole)
      pack_panel(args, args.b + first, std::min(kPanelColumns, args.columns - column), to);
    i += count;
  }
  return kDone;
}

}  // namespace fuselane
