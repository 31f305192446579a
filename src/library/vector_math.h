// exp, tanh, erf, log, sigmoid of four float32 at once. Inline, so that loops over rows have no call in them.
//
// Units in the last place they are off at most are measured over every 61st float32 bit pattern against
// double (ulp of the exact result; subnormal arguments and results included). NaN gives NaN.
#pragma once

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

// Within 0.98 ulp; 0 below -103.97, infinity above 88.72. x = n ln 2 + r with |r| <= ln 2 / 2; 2^n is applied
// in two halves, so that results that are subnormal or near the largest float come out right. The polynomial
// is Cephes' for expf.
inline v128_t exp_f32x4(v128_t x) {
  v128_t bounded = clamp_f32x4(x, -104.0f, 89.0f);
  v128_t n = wasm_f32x4_nearest(wasm_f32x4_mul(bounded, wasm_f32x4_splat(1.44269504f)));
  v128_t r = wasm_f32x4_sub(bounded, wasm_f32x4_mul(n, wasm_f32x4_splat(0.693359375f)));
  r = wasm_f32x4_sub(r, wasm_f32x4_mul(n, wasm_f32x4_splat(-2.12194440e-4f)));
  v128_t p = polynomial(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                        1.6666665459e-1f, 5.0000001201e-1f);
  v128_t e = wasm_f32x4_add(mul_add(p, wasm_f32x4_mul(r, r), r), wasm_f32x4_splat(1));
  v128_t k = wasm_i32x4_trunc_sat_f32x4(n);
  v128_t half = wasm_i32x4_shr(k, 1);
  v128_t bias = wasm_i32x4_splat(127);
  v128_t low = wasm_i32x4_shl(wasm_i32x4_add(half, bias), 23);
  v128_t high = wasm_i32x4_shl(wasm_i32x4_add(wasm_i32x4_sub(k, half), bias), 23);
  return wasm_f32x4_mul(wasm_f32x4_mul(e, low), high);
}

// Within 1.3 ulp. Near zero by the odd polynomial of Cephes' tanhf, elsewhere by 1 - 2 / (exp(2|x|) + 1),
// which is 1 from 9.02 on.
inline v128_t tanh_f32x4(v128_t x) {
  v128_t magnitude = wasm_f32x4_abs(x);
  v128_t z = wasm_f32x4_mul(x, x);
  v128_t p = polynomial(z, -5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f,
                        -3.33332819422e-1f);
  v128_t small = mul_add(wasm_f32x4_mul(p, z), x, x);
  v128_t e = exp_f32x4(wasm_f32x4_add(magnitude, magnitude));
  v128_t large = wasm_f32x4_sub(wasm_f32x4_splat(1),
                                wasm_f32x4_div(wasm_f32x4_splat(2), wasm_f32x4_add(e, wasm_f32x4_splat(1))));
  v128_t sign = wasm_v128_and(x, wasm_f32x4_splat(-0.0f));
  return wasm_v128_or(wasm_v128_bitselect(small, large, wasm_f32x4_lt(magnitude, wasm_f32x4_splat(0.625f))),
                      sign);
}

// Within 1.2 ulp. Below 0.925 by an odd polynomial, elsewhere 1 - exp(q(|x|)): minimax fits (N. Juffa's
// single-precision erff).
inline v128_t erf_f32x4(v128_t x) {
  v128_t t = wasm_f32x4_abs(x);
  v128_t s = wasm_f32x4_mul(x, x);
  v128_t q = polynomial(t, -1.72853470e-5f, 3.83197126e-4f, -3.88396438e-3f, 2.42546219e-2f, -1.06777877e-1f,
                        -6.34846687e-1f, -1.28717512e-1f);
  q = mul_add(q, t, wasm_f32x4_neg(t));
  v128_t large = wasm_f32x4_sub(wasm_f32x4_splat(1), exp_f32x4(q));
  v128_t p = polynomial(s, -5.96761703e-4f, 4.99119423e-3f, -2.67681349e-2f, 1.12819925e-1f, -3.76125336e-1f,
                        1.28379166e-1f);
  v128_t small = mul_add(p, x, x);
  v128_t sign = wasm_v128_and(x, wasm_f32x4_splat(-0.0f));
  v128_t result = wasm_v128_bitselect(large, small, wasm_f32x4_gt(t, wasm_f32x4_splat(0.921875f)));
  result = wasm_v128_or(result, sign);
  return wasm_v128_bitselect(result, x, wasm_f32x4_eq(x, x));
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

// Within 9e-8; 0 where the exact result is subnormal.
inline v128_t sigmoid_f32x4(v128_t x) {
  v128_t one = wasm_f32x4_splat(1);
  return wasm_f32x4_div(one, wasm_f32x4_add(one, exp_f32x4(wasm_f32x4_neg(x))));
}

}  // namespace fuselane
