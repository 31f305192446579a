#include "library/activation.h"

namespace fuselane {
namespace {

v128_t splat(float value) { return wasm_f32x4_splat(value); }

// Horner's rule, highest power first.
template <class... Rest>
v128_t polynomial(v128_t x, float first, Rest... rest) {
  v128_t sum = splat(first);
  ((sum = mul_add(sum, x, splat(rest))), ...);
  return sum;
}

}  // namespace

// x = n ln 2 + r with |r| <= ln 2 / 2; 2^n is applied in two halves, so that results that are subnormal or
// near the largest float come out right. The polynomial is Cephes' for expf.
v128_t exp_f32x4(v128_t x) {
  v128_t bounded = clamp_f32x4(x, -104.0f, 89.0f);
  v128_t n = wasm_f32x4_nearest(wasm_f32x4_mul(bounded, splat(1.44269504f)));
  v128_t r = wasm_f32x4_sub(bounded, wasm_f32x4_mul(n, splat(0.693359375f)));
  r = wasm_f32x4_sub(r, wasm_f32x4_mul(n, splat(-2.12194440e-4f)));
  v128_t p = polynomial(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                        1.6666665459e-1f, 5.0000001201e-1f);
  v128_t e = wasm_f32x4_add(mul_add(p, wasm_f32x4_mul(r, r), r), splat(1));
  v128_t k = wasm_i32x4_trunc_sat_f32x4(n);
  v128_t half = wasm_i32x4_shr(k, 1);
  v128_t bias = wasm_i32x4_splat(127);
  v128_t low = wasm_i32x4_shl(wasm_i32x4_add(half, bias), 23);
  v128_t high = wasm_i32x4_shl(wasm_i32x4_add(wasm_i32x4_sub(k, half), bias), 23);
  return wasm_f32x4_mul(wasm_f32x4_mul(e, low), high);
}

// Near zero by the odd polynomial of Cephes' tanhf, elsewhere by 1 - 2 / (exp(2|x|) + 1), which is 1
// from 9.02 on.
v128_t tanh_f32x4(v128_t x) {
  v128_t magnitude = wasm_f32x4_abs(x);
  v128_t z = wasm_f32x4_mul(x, x);
  v128_t p = polynomial(z, -5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f,
                        -3.33332819422e-1f);
  v128_t small = mul_add(wasm_f32x4_mul(p, z), x, x);
  v128_t e = exp_f32x4(wasm_f32x4_add(magnitude, magnitude));
  v128_t large = wasm_f32x4_sub(splat(1), wasm_f32x4_div(splat(2), wasm_f32x4_add(e, splat(1))));
  v128_t sign = wasm_v128_and(x, splat(-0.0f));
  return wasm_v128_or(wasm_v128_bitselect(small, large, wasm_f32x4_lt(magnitude, splat(0.625f))), sign);
}

// Below 0.925 by an odd polynomial, elsewhere 1 - exp(q(|x|)): minimax fits (N. Juffa's single-precision
// erff).
v128_t erf_f32x4(v128_t x) {
  v128_t t = wasm_f32x4_abs(x);
  v128_t s = wasm_f32x4_mul(x, x);
  v128_t q = polynomial(t, -1.72853470e-5f, 3.83197126e-4f, -3.88396438e-3f, 2.42546219e-2f, -1.06777877e-1f,
                        -6.34846687e-1f, -1.28717512e-1f);
  q = mul_add(q, t, wasm_f32x4_neg(t));
  v128_t large = wasm_f32x4_sub(splat(1), exp_f32x4(q));
  v128_t p = polynomial(s, -5.96761703e-4f, 4.99119423e-3f, -2.67681349e-2f, 1.12819925e-1f, -3.76125336e-1f,
                        1.28379166e-1f);
  v128_t small = mul_add(p, x, x);
  v128_t sign = wasm_v128_and(x, splat(-0.0f));
  v128_t result = wasm_v128_bitselect(large, small, wasm_f32x4_gt(t, splat(0.921875f)));
  result = wasm_v128_or(result, sign);
  return wasm_v128_bitselect(result, x, wasm_f32x4_eq(x, x));
}

// x = m 2^e with m in [sqrt 1/2, sqrt 2); Cephes' polynomial for logf. Zero gives -infinity, below zero NaN.
v128_t log_f32x4(v128_t x) {
  v128_t tiny = wasm_f32x4_lt(x, splat(1.17549435e-38f));
  v128_t scaled = wasm_v128_bitselect(wasm_f32x4_mul(x, splat(8388608.0f)), x, tiny);
  v128_t bits = wasm_i32x4_sub(scaled, wasm_i32x4_splat(0x3f3504f3));
  v128_t e = wasm_f32x4_convert_i32x4(wasm_i32x4_shr(bits, 23));
  e = wasm_f32x4_sub(e, wasm_v128_and(tiny, splat(23)));
  v128_t m = wasm_i32x4_add(wasm_v128_and(bits, wasm_i32x4_splat(0x007fffff)), wasm_i32x4_splat(0x3f3504f3));
  v128_t f = wasm_f32x4_sub(m, splat(1));
  v128_t p =
      polynomial(f, 7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
                 1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f);
  v128_t z = wasm_f32x4_mul(f, f);
  v128_t y = wasm_f32x4_mul(wasm_f32x4_mul(p, f), z);
  y = mul_add(e, splat(-2.12194440e-4f), y);
  y = wasm_f32x4_sub(y, wasm_f32x4_mul(z, splat(0.5f)));
  v128_t result = mul_add(e, splat(0.693359375f), wasm_f32x4_add(f, y));
  v128_t infinity = splat(__builtin_inff());
  result = wasm_v128_bitselect(x, result, wasm_f32x4_eq(x, infinity));
  result = wasm_v128_bitselect(wasm_f32x4_neg(infinity), result, wasm_f32x4_eq(x, splat(0)));
  // Not below or equal to zero and not above: NaN, like everything below zero.
  return wasm_v128_bitselect(result, splat(__builtin_nanf("")), wasm_f32x4_ge(x, splat(0)));
}

v128_t apply_slow(const Activation& activation, v128_t x) {
  switch (activation.kind) {
    case ActivationKind::None:
    case ActivationKind::Clamp:
      return apply(activation, x);
    case ActivationKind::HardSigmoid:
      return clamp_f32x4(mul_add(splat(activation.a), x, splat(activation.b)), 0, 1);
    case ActivationKind::HardSwish:
      return wasm_f32x4_mul(x, clamp_f32x4(mul_add(x, splat(1.0f / 6), splat(0.5f)), 0, 1));
    case ActivationKind::LeakyRelu:
      return wasm_v128_bitselect(wasm_f32x4_mul(x, splat(activation.a)), x, wasm_f32x4_lt(x, splat(0)));
    case ActivationKind::Sigmoid:
      return sigmoid_f32x4(x);
    case ActivationKind::Silu:
      return wasm_f32x4_mul(x, sigmoid_f32x4(x));
    case ActivationKind::Tanh:
      return tanh_f32x4(x);
    case ActivationKind::Gelu: {
      v128_t erf = erf_f32x4(wasm_f32x4_mul(x, splat(0.70710678f)));
      return wasm_f32x4_mul(wasm_f32x4_mul(x, splat(0.5f)), wasm_f32x4_add(erf, splat(1)));
    }
  }
  return x;
}

}  // namespace fuselane
