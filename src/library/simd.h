// wasm's SIMD intrinsics, natively through SIMDe. Kernels use the plain 128-bit set only: what relaxed SIMD
// gains is left to generated code, which can choose by engine.
#pragma once

#include <cstdint>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <simde/wasm/simd128.h>
#pragma clang diagnostic pop
#endif

namespace fuselane {

// Lanes of a vector of float32.
inline constexpr uint32_t kLanes = 4;

// a * b + c, rounded after each operation.
inline v128_t mul_add(v128_t a, v128_t b, v128_t c) { return wasm_f32x4_add(wasm_f32x4_mul(a, b), c); }

// The first `count` of four floats, 1 to 3; the other lanes are zero, and memory past them is not touched.
inline v128_t load_part(const float* from, uint32_t count) {
  v128_t value = wasm_v128_load32_zero(from);
  if (count > 1) value = wasm_v128_load32_lane(from + 1, value, 1);
  if (count > 2) value = wasm_v128_load32_lane(from + 2, value, 2);
  return value;
}
inline void store_part(float* to, v128_t value, uint32_t count) {
  wasm_v128_store32_lane(to, value, 0);
  if (count > 1) wasm_v128_store32_lane(to + 1, value, 1);
  if (count > 2) wasm_v128_store32_lane(to + 2, value, 2);
}

// The same for 1 to 4.
inline v128_t load_lanes(const float* from, uint32_t count) {
  return count == kLanes ? wasm_v128_load(from) : load_part(from, count);
}
inline void store_lanes(float* to, v128_t value, uint32_t count) {
  if (count == kLanes) {
    wasm_v128_store(to, value);
  } else {
    store_part(to, value, count);
  }
}

// All bits of the first `count` lanes, none of the others.
inline v128_t first_lanes(uint32_t count) {
  return wasm_u32x4_lt(wasm_i32x4_make(0, 1, 2, 3), wasm_i32x4_splat(static_cast<int32_t>(count)));
}

// Calls body(i, lanes) for each four of `count` elements and, with fewer lanes, for what is left. The body is
// inlined at both places, so that in the loop `lanes` is the constant 4.
template <class Body>
inline void each_vector(uint32_t count, Body body) {
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes) [[clang::always_inline]]
    body(i, kLanes);
  if (i < count) [[clang::always_inline]]
    body(i, count - i);
}

}  // namespace fuselane
