#include "library/matmul.h"

#include <algorithm>

namespace fuselane {
namespace {

// Four cache lines of a row; that many streams are written.
constexpr uint32_t kPackedTogether = 8;

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
