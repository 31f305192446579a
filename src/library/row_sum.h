// Reductions along contiguous float32, in an order that depends on the length alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "library/simd.h"

namespace fuselane {

// Longer rows are added up in halves, so that the rounding error grows with the logarithm of the length.
inline constexpr uint32_t kSumBlock = 1024;

inline float sum_of_lanes(v128_t v) {
  v = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
  v = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
  return wasm_f32x4_extract_lane(v, 0);
}
inline float max_of_lanes(v128_t v) {
  v = wasm_f32x4_max(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
  v = wasm_f32x4_max(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
  return wasm_f32x4_extract_lane(v, 0);
}

// Partial sums of term(x), 16 at a time.
template <class Term>
v128_t partial_sums(const float* x, uint32_t count, Term term) {
  if (count > kSumBlock) {
    uint32_t half = count / 2 / kLanes * kLanes;
    return wasm_f32x4_add(partial_sums(x, half, term), partial_sums(x + half, count - half, term));
  }
  v128_t sums[4];
  for (v128_t& sum : sums) sum = wasm_f32x4_splat(0);
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (uint32_t j = 0; j < 4; ++j)
      sums[j] = wasm_f32x4_add(sums[j], term(wasm_v128_load(x + i + j * kLanes)));
  }
  for (; i < count; i += kLanes) {
    uint32_t lanes = std::min(kLanes, count - i);
    sums[0] = wasm_f32x4_add(sums[0], wasm_v128_and(term(load_lanes(x + i, lanes)), first_lanes(lanes)));
  }
  return wasm_f32x4_add(wasm_f32x4_add(sums[0], sums[1]), wasm_f32x4_add(sums[2], sums[3]));
}

// The sum of term(x) over the row.
template <class Term>
float row_sum(const float* x, uint32_t count, Term term) {
  return sum_of_lanes(partial_sums(x, count, term));
}

// The largest of a row of at least one element; NaN wins.
inline float row_max(const float* x, uint32_t count) {
  v128_t largest[2];
  for (v128_t& one : largest) one = wasm_v128_load32_splat(x);
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    largest[0] = wasm_f32x4_max(largest[0], wasm_v128_load(x + i));
    largest[1] = wasm_f32x4_max(largest[1], wasm_v128_load(x + i + kLanes));
  }
  for (; i + kLanes <= count; i += kLanes) largest[0] = wasm_f32x4_max(largest[0], wasm_v128_load(x + i));
  for (; i < count; ++i) largest[1] = wasm_f32x4_max(largest[1], wasm_v128_load32_splat(x + i));
  return max_of_lanes(wasm_f32x4_max(largest[0], largest[1]));
}

}  // namespace fuselane
