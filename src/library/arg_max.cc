#include "library/arg_max.h"

#include <algorithm>
#include <cmath>

#include "library/simd.h"

namespace fuselane {
namespace {

// The best value so far in each lane, and where it is.
struct Best {
  v128_t value;
  v128_t index;
};

// Whether element a is to be found rather than element b.
bool prefers(const float* x, uint32_t a, uint32_t b, bool last) {
  bool nan_a = std::isnan(x[a]);
  bool nan_b = std::isnan(x[b]);
  if (nan_a != nan_b) return nan_a;
  if (!nan_a && x[a] != x[b]) return x[a] > x[b];
  return last ? a > b : a < b;
}

uint32_t arg_max_row(const float* x, uint32_t length, bool last) {
  uint32_t best = 0;
  uint32_t i = 0;
  if (length >= 2 * kLanes) {
    Best lanes{wasm_v128_load(x), wasm_i32x4_make(0, 1, 2, 3)};
    v128_t index = lanes.index;
    for (i = kLanes; i + kLanes <= length; i += kLanes) {
      v128_t value = wasm_v128_load(x + i);
      index = wasm_i32x4_add(index, wasm_i32x4_splat(kLanes));
      v128_t worse = last ? wasm_f32x4_lt(value, lanes.value) : wasm_f32x4_le(value, lanes.value);
      // Neither worse nor, where the best is NaN, a number; among NaNs the last one if that is asked for.
      v128_t number = wasm_f32x4_eq(lanes.value, lanes.value);
      if (last) number = wasm_v128_or(number, wasm_f32x4_ne(value, value));
      v128_t take = wasm_v128_andnot(number, worse);
      lanes.value = wasm_v128_bitselect(value, lanes.value, take);
      lanes.index = wasm_v128_bitselect(index, lanes.index, take);
    }
    uint32_t indices[kLanes];
    wasm_v128_store(indices, lanes.index);
    best = indices[0];
    for (uint32_t at : indices) best = prefers(x, at, best, last) ? at : best;
  }
  for (; i < length; ++i) best = prefers(x, i, best, last) ? i : best;
  return best;
}

}  // namespace

uint32_t arg_max(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ArgMaxArgs*>(raw);
  for (uint32_t row = begin; row < end; ++row)
    args.y[row] = arg_max_row(args.x + size_t{row} * args.length, args.length, args.last);
  return kDone;
}

}  // namespace fuselane
