#include "library/activation.h"

#include "library/vector_math.h"

namespace fuselane {

namespace {

[[gnu::always_inline]] inline v128_t apply_any(const Activation& activation, v128_t x) {
  switch (activation.kind) {
    case ActivationKind::None:
      return x;
    case ActivationKind::Clamp:
      return clamp_f32x4(x, activation.a, activation.b);
    case ActivationKind::HardSigmoid:
      return clamp_f32x4(mul_add(wasm_f32x4_splat(activation.a), x, wasm_f32x4_splat(activation.b)), 0, 1);
    case ActivationKind::HardSwish:
      return wasm_f32x4_mul(
          x, clamp_f32x4(mul_add(x, wasm_f32x4_splat(1.0f / 6), wasm_f32x4_splat(0.5f)), 0, 1));
    case ActivationKind::LeakyRelu:
      return wasm_v128_bitselect(wasm_f32x4_mul(x, wasm_f32x4_splat(activation.a)), x,
                                 wasm_f32x4_lt(x, wasm_f32x4_splat(0)));
    case ActivationKind::Sigmoid:
      return sigmoid_f32x4(x);
    case ActivationKind::Silu:
      return wasm_f32x4_mul(x, sigmoid_f32x4(x));
    case ActivationKind::Tanh:
      return tanh_f32x4(x);
    case ActivationKind::Gelu: {
      v128_t erf = erf_f32x4(wasm_f32x4_mul(x, wasm_f32x4_splat(0.70710678f)));
      return wasm_f32x4_mul(wasm_f32x4_mul(x, wasm_f32x4_splat(0.5f)),
                            wasm_f32x4_add(erf, wasm_f32x4_splat(1)));
    }
    case ActivationKind::GeluTanh: {
      // (1 + tanh(u)) / 2 is sigmoid(2 u).
      v128_t twice =
          mul_add(wasm_f32x4_mul(x, x), wasm_f32x4_splat(0.0713548163f), wasm_f32x4_splat(1.59576912f));
      return wasm_f32x4_mul(x, sigmoid_f32x4(wasm_f32x4_mul(x, twice)));
    }
  }
  return x;
}

// The kind is a constant of the loop.
template <ActivationKind kKind>
[[gnu::noinline]] void row(const Activation& activation, const float* from, float* to, uint32_t count) {
  Activation known{kKind, activation.a, activation.b};
  each_vector(count, [&](uint32_t i, uint32_t lanes) {
    store_lanes(to + i, apply_any(known, load_lanes(from + i, lanes)), lanes);
  });
}

}  // namespace

v128_t apply_slow(const Activation& activation, v128_t x) { return apply_any(activation, x); }

void activate_row(const Activation& activation, const float* from, float* to, uint32_t count) {
  switch (activation.kind) {
    case ActivationKind::None:
      return row<ActivationKind::None>(activation, from, to, count);
    case ActivationKind::Clamp:
      return row<ActivationKind::Clamp>(activation, from, to, count);
    case ActivationKind::HardSigmoid:
      return row<ActivationKind::HardSigmoid>(activation, from, to, count);
    case ActivationKind::HardSwish:
      return row<ActivationKind::HardSwish>(activation, from, to, count);
    case ActivationKind::LeakyRelu:
      return row<ActivationKind::LeakyRelu>(activation, from, to, count);
    case ActivationKind::Sigmoid:
      return row<ActivationKind::Sigmoid>(activation, from, to, count);
    case ActivationKind::Silu:
      return row<ActivationKind::Silu>(activation, from, to, count);
    case ActivationKind::Tanh:
      return row<ActivationKind::Tanh>(activation, from, to, count);
    case ActivationKind::Gelu:
      return row<ActivationKind::Gelu>(activation, from, to, count);
    case ActivationKind::GeluTanh:
      return row<ActivationKind::GeluTanh>(activation, from, to, count);
  }
}

}  // namespace fuselane
