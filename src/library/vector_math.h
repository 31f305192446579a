// exp, tanh, erf, log, sigmoid of four float32 at once. Inline, so that loops over rows have no call in them.
//
// Units in the last place they are off at most are measured over every 61st float32 bit pattern against
// double (ulp of the exact result; subnormal arguments and results included). NaN gives NaN.
#pragma once

#include <cstddef>

#include "library/simd.h"

namespace fuselane {

// x itself where it is NaN, so that NaN stays NaN: hence pmax and pmin, of which V8 makes one x86 instruction
// each, where it needs seven for max and min.
inline v128_t clamp_f32x4(v128_t x, float low, float high) {
  return wasm_f32x4_pmin(wasm_f32x4_pmax(x, wasm_f32x4_splat(low)), wasm_f32x4_splat(high));
}

// Horner's rule, highest power first.
template <class... Rest>
inline v128_t polynomial(v128_t x, float first, Rest... rest) {
  v128_t sum = wasm_f32x4_splat(first);
  ((sum = mul_add(sum, x, wasm_f32x4_splat(rest))), ...);
  return sum;
}

// x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
struct Reduced {
  v128_t n_bits;  // of 1.5 * 2^23 + n
  v128_t r;
};

inline Reduced reduced_f32x4(v128_t x) {
  constexpr float kRounder = 12582912.0f;
  v128_t sum = mul_add(x, wasm_f32x4_splat(1.44269504f), wasm_f32x4_splat(kRounder));
  v128_t n = wasm_f32x4_sub(sum, wasm_f32x4_splat(kRounder));
  v128_t r = mul_add(n, wasm_f32x4_splat(-0.693359375f), x);
  return {sum, mul_add(n, wasm_f32x4_splat(2.12194440e-4f), r)};
}

// Within 0.98 ulp; 0 below -103.97, infinity above 88.72. 2^n is applied in two halves, so that results that
// are subnormal or near the largest float come out right. The polynomial is Cephes' for expf.
inline v128_t exp_f32x4(v128_t x) {
  auto [n_bits, r] = reduced_f32x4(clamp_f32x4(x, -104.0f, 89.0f));
  v128_t p = polynomial(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                        1.6666665459e-1f, 5.0000001201e-1f);
  v128_t e = wasm_f32x4_add(mul_add(p, wasm_f32x4_mul(r, r), r), wasm_f32x4_splat(1));
  v128_t k = wasm_i32x4_sub(n_bits, wasm_f32x4_splat(12582912.0f));
  v128_t half = wasm_i32x4_shr(k, 1);
  v128_t bias = wasm_i32x4_splat(127);
  v128_t low = wasm_i32x4_shl(wasm_i32x4_add(half, bias), 23);
  v128_t high = wasm_i32x4_shl(wasm_i32x4_add(wasm_i32x4_sub(k, half), bias), 23);
  return wasm_f32x4_mul(wasm_f32x4_mul(e, low), high);
}

// The constants of ExpOfNormal, in its members' order. A variable, so that they are loaded: V8 takes three
// instructions for each constant of a vector, and compilers make them anew in every iteration of a loop.
extern float exp_of_normal_constants[12];

// Within 3 ulp, in half the instructions; 0 below -87.7 and infinity above 88.37, where 2^n has no normal
// exponent. The polynomial has the least largest error among those of degree 5 that are 1 at 0. NaN stays NaN
// by the product.
//
// An object holds the constants in registers: loops make one before they begin.
class ExpOfNormal {
 public:
  v128_t operator()(v128_t x) const {
    x = wasm_f32x4_pmin(wasm_f32x4_pmax(x, low_), high_);
    v128_t sum = mul_add(x, log2_e_, rounder_);
    v128_t n = wasm_f32x4_sub(sum, rounder_);
    v128_t r = mul_add(n, lower_, mul_add(n, upper_, x));
    v128_t p = c_[0];
    for (int i = 1; i < 5; ++i) p = mul_add(p, r, c_[i]);
    p = mul_add(p, r, one_);
    return wasm_f32x4_mul(p, wasm_i32x4_add(wasm_i32x4_shl(sum, 23), one_));
  }

 private:
  static v128_t constant(size_t i) { return wasm_v128_load32_splat(exp_of_normal_constants + i); }

  v128_t low_ = constant(0), high_ = constant(1);
  v128_t log2_e_ = constant(2), rounder_ = constant(3);
  v128_t upper_ = constant(4), lower_ = constant(5);
  v128_t one_ = constant(6);
  v128_t c_[5] = {constant(7), constant(8), constant(9), constant(10), constant(11)};
};
inline v128_t exp_of_normal_f32x4(v128_t x) { return ExpOfNormal()(x); }

// x P(x^2) / Q(x^2) within -1 and 1, for odd functions that tend to these: fits with the least largest
// relative error up to `bound`, where they are a little more than 1.
inline v128_t odd_quotient_f32x4(v128_t x, v128_t p, v128_t q) {
  return clamp_f32x4(wasm_f32x4_div(wasm_f32x4_mul(x, p), q), -1, 1);
}

// Within 7 ulp, on average 1; 1 from 9 on.
inline v128_t tanh_f32x4(v128_t x) {
  x = clamp_f32x4(x, -9.0f, 9.0f);
  v128_t s = wasm_f32x4_mul(x, x);
  return odd_quotient_f32x4(
      x, polynomial(s, 1.3354673811e-8f, 2.0609091735e-5f, 3.4955886658e-3f, 1.3381026685e-1f, 1.0f),
      polynomial(s, 7.7765632932e-7f, 3.2856356120e-4f, 2.5876984000e-2f, 4.6714341640e-1f, 1.0f));
}

// Within 7 ulp, on average 1; 1 from 3.95 on.
inline v128_t erf_f32x4(v128_t x) {
  x = clamp_f32x4(x, -3.95f, 3.95f);
  v128_t s = wasm_f32x4_mul(x, x);
  return odd_quotient_f32x4(
      x,
      polynomial(s, 1.9603977107e-8f, -1.9509081994e-6f, 1.4380893844e-4f, 3.8078092039e-3f, 5.0923138857e-2f,
                 2.0258201659e-1f, 1.1283791065f),
      polynomial(s, 9.7984017339e-4f, 1.4575675130e-2f, 1.1609414220e-1f, 5.1286512613e-1f, 1.0f));
}

// Within 0.80 ulp; zero gives -infinity, below zero NaN. x = m 2^e with m in [sqrt 1/2, sqrt 2); Cephes'
// polynomial for logf.
inline v128_t log_f32x4(v128_t x) {
  v128_t tiny = wasm_f32x4_lt(x, wasm_f32x4_splat(1.17549435e-38f));
  v128_t scaled = wasm_v128_bitselect(wasm_f32x4_mul(x, wasm_f32x4_splat(8388608.0f)), x, tiny);
  v128_t bits = wasm_i32x4_sub(scaled, wasm_i32x4_splat(0x3f3504f3));
  v128_t e = wasm_f32x4_convert_i32x4(wasm_i32x4_shr(bits, 23));
  e = wasm_f32x4_sub(e, wasm_v128_and(tiny, wasm_f32x4_splat(23)));
  v128_t m = wasm_i32x4_add(wasm_v128_and(bits, wasm_i32x4_splat(0x007fffff)), wasm_i32x4_splat(0x3f3504f3));
  v128_t f = wasm_f32x4_sub(m, wasm_f32x4_splat(1));
  v128_t p =
      polynomial(f, 7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
                 1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f);
  v128_t z = wasm_f32x4_mul(f, f);
  v128_t y = wasm_f32x4_mul(wasm_f32x4_mul(p, f), z);
  y = mul_add(e, wasm_f32x4_splat(-2.12194440e-4f), y);
  y = wasm_f32x4_sub(y, wasm_f32x4_mul(z, wasm_f32x4_splat(0.5f)));
  v128_t result = mul_add(e, wasm_f32x4_splat(0.693359375f), wasm_f32x4_add(f, y));
  v128_t infinity = wasm_f32x4_splat(__builtin_inff());
  result = wasm_v128_bitselect(x, result, wasm_f32x4_eq(x, infinity));
  result = wasm_v128_bitselect(wasm_f32x4_neg(infinity), result, wasm_f32x4_eq(x, wasm_f32x4_splat(0)));
  // Not below or equal to zero and not above: NaN, like everything below zero.
  return wasm_v128_bitselect(result, wasm_f32x4_splat(__builtin_nanf("")),
                             wasm_f32x4_ge(x, wasm_f32x4_splat(0)));
}

// Within 1.2e-7; 0 below -88.37.
inline v128_t sigmoid_f32x4(v128_t x) {
  v128_t one = wasm_f32x4_splat(1);
  return wasm_f32x4_div(one, wasm_f32x4_add(one, exp_of_normal_f32x4(wasm_f32x4_neg(x))));
}

}  // namespace fuselane
