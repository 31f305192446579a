#include "library/product_tile.h"

namespace fuselane {
namespace {

void store_row(float* c, v128_t low, v128_t high, uint32_t columns) {
  if (columns >= kLanes) {
    wasm_v128_store(c, low);
    if (columns > kLanes) store_lanes(c + kLanes, high, columns - kLanes);
  } else {
    store_part(c, low, columns);
  }
}

// Not inlined: V8 replaces baseline code by optimized code between calls only, so a tile is a call.
template <uint32_t kRows>
[[gnu::noinline]] void tile(const TileShape& shape, const float* const* rows, const float* panel, float* c,
                            uint32_t c_stride, uint32_t columns) {
  v128_t low[kRows];
  v128_t high[kRows];
  for (uint32_t r = 0; r < kRows; ++r) {
    low[r] = wasm_v128_load(panel);
    high[r] = wasm_v128_load(panel + kLanes);
  }
  const float* w = panel + kPanelColumns;
  for (uint32_t p = 0; p < shape.positions; ++p, rows += kTileRows) {
    const float* from[kRows];
    for (uint32_t r = 0; r < kRows; ++r) from[r] = rows[r];
    for (uint32_t d = 0; d < shape.depth; ++d, w += kPanelColumns) {
      v128_t w_low = wasm_v128_load(w);
      v128_t w_high = wasm_v128_load(w + kLanes);
      for (uint32_t r = 0; r < kRows; ++r) {
        v128_t x = wasm_v128_load32_splat(from[r]++);
        low[r] = mul_add(x, w_low, low[r]);
        high[r] = mul_add(x, w_high, high[r]);
      }
    }
  }
  for (uint32_t r = 0; r < kRows; ++r, c += c_stride) {
    store_row(c, apply(shape.activation, low[r]), apply(shape.activation, high[r]), columns);
  }
}

// One row has two chains of additions, each waiting for the last: four partial sums keep the adder busy.
template <>
[[gnu::noinline]] void tile<1>(const TileShape& shape, const float* const* rows, const float* panel, float* c,
                               uint32_t, uint32_t columns) {
  v128_t low[4];
  v128_t high[4];
  for (uint32_t i = 0; i < 4; ++i) low[i] = high[i] = wasm_f32x4_splat(0);
  low[0] = wasm_v128_load(panel);
  high[0] = wasm_v128_load(panel + kLanes);
  const float* w = panel + kPanelColumns;
  for (uint32_t p = 0; p < shape.positions; ++p, rows += kTileRows) {
    const float* x = *rows;
    uint32_t d = 0;
    for (; d + 4 <= shape.depth; d += 4, w += 4 * kPanelColumns) {
      for (uint32_t i = 0; i < 4; ++i) {
        v128_t element = wasm_v128_load32_splat(x + d + i);
        low[i] = mul_add(element, wasm_v128_load(w + i * kPanelColumns), low[i]);
        high[i] = mul_add(element, wasm_v128_load(w + i * kPanelColumns + kLanes), high[i]);
      }
    }
    for (; d < shape.depth; ++d, w += kPanelColumns) {
      v128_t element = wasm_v128_load32_splat(x + d);
      low[0] = mul_add(element, wasm_v128_load(w), low[0]);
      high[0] = mul_add(element, wasm_v128_load(w + kLanes), high[0]);
    }
  }
  v128_t sum_low = wasm_f32x4_add(wasm_f32x4_add(low[0], low[1]), wasm_f32x4_add(low[2], low[3]));
  v128_t sum_high = wasm_f32x4_add(wasm_f32x4_add(high[0], high[1]), wasm_f32x4_add(high[2], high[3]));
  store_row(c, apply(shape.activation, sum_low), apply(shape.activation, sum_high), columns);
}

}  // namespace

void product_tile(const TileShape& shape, uint32_t row_count, const float* const* rows, const float* panel,
                  float* c, uint32_t c_stride, uint32_t columns) {
  switch (row_count) {
    case 4:
      return tile<4>(shape, rows, panel, c, c_stride, columns);
    case 3:
      return tile<3>(shape, rows, panel, c, c_stride, columns);
    case 2:
      return tile<2>(shape, rows, panel, c, c_stride, columns);
    default:
      return tile<1>(shape, rows, panel, c, c_stride, columns);
  }
}

}  // namespace fuselane
