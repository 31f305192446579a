#include "library/layer_norm.h"

#include <cmath>

#include "library/row_sum.h"

namespace fuselane {
namespace {

// The variance is that of the differences from the mean: the difference of mean squares would lose all digits
// when the mean is large. A row stays in the cache between its passes.
[[gnu::noinline]] void normalize_row(const LayerNormArgs& args, uint32_t row, const float* x, float* y) {
  auto length = static_cast<float>(args.length);
  v128_t mean =
      wasm_f32x4_splat(args.centered ? row_sum(x, args.length, [](v128_t v) { return v; }) / length : 0);
  float squares = row_sum(x, args.length, [&](v128_t v) {
    v128_t difference = wasm_f32x4_sub(v, mean);
    return wasm_f32x4_mul(difference, difference);
  });
  v128_t factor = wasm_f32x4_splat(1 / std::sqrt(squares / length + args.epsilon));
  if (args.channels > 0) {
    uint32_t channel = row % args.channels;
    if (args.scale) factor = wasm_f32x4_mul(factor, wasm_v128_load32_splat(args.scale + channel));
    v128_t shift = args.bias ? wasm_v128_load32_splat(args.bias + channel) : wasm_f32x4_splat(0);
    each_vector(args.length, [&](uint32_t i, uint32_t lanes) {
      store_lanes(y + i, mul_add(wasm_f32x4_sub(load_lanes(x + i, lanes), mean), factor, shift), lanes);
    });
    return;
  }
  each_vector(args.length, [&](uint32_t i, uint32_t lanes) {
    v128_t v = wasm_f32x4_mul(wasm_f32x4_sub(load_lanes(x + i, lanes), mean), factor);
    if (args.scale) v = wasm_f32x4_mul(v, load_lanes(args.scale + i, lanes));
    if (args.bias) v = wasm_f32x4_add(v, load_lanes(args.bias + i, lanes));
    store_lanes(y + i, v, lanes);
  });
}

}  // namespace

uint32_t layer_norm(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const LayerNormArgs*>(raw);
  for (uint32_t row = begin; row < end; ++row)
    normalize_row(args, row, args.x + size_t{row} * args.length, args.y + size_t{row} * args.length);
  return kDone;
}

}  // namespace fuselane
