// Activations that kernels apply to what they are about to store.
#pragma once

#include <cstdint>

#include "library/simd.h"

namespace fuselane {

enum class ActivationKind : uint8_t {
  None,
  Clamp,        // min(max(x, a), b), NaN stays NaN: Relu, Clip
  HardSigmoid,  // min(max(a * x + b, 0), 1)
  HardSwish,    // x * min(max(x / 6 + 1/2, 0), 1)
  LeakyRelu,    // x < 0 ? a * x : x
  Sigmoid,
  Silu,  // x * sigmoid(x)
  Tanh,
  Gelu,  // x / 2 * (1 + erf(x / sqrt 2))
};

struct Activation {
  ActivationKind kind = ActivationKind::None;
  float a = 0;
  float b = 0;
};

// exp within 2 units in the last place over the whole range; 0 below -104, infinity above 88.73. NaN stays
// NaN.
v128_t exp_f32x4(v128_t x);
v128_t tanh_f32x4(v128_t x);
v128_t erf_f32x4(v128_t x);
v128_t log_f32x4(v128_t x);
inline v128_t sigmoid_f32x4(v128_t x) {
  v128_t one = wasm_f32x4_splat(1);
  return wasm_f32x4_div(one, wasm_f32x4_add(one, exp_f32x4(wasm_f32x4_neg(x))));
}

// The kinds that are more than a few instructions; not inlined, so that tiles stay small.
v128_t apply_slow(const Activation& activation, v128_t x);

inline v128_t apply(const Activation& activation, v128_t x) {
  switch (activation.kind) {
    case ActivationKind::None:
      return x;
    case ActivationKind::Clamp:
      return wasm_f32x4_min(wasm_f32x4_max(x, wasm_f32x4_splat(activation.a)),
                            wasm_f32x4_splat(activation.b));
    case ActivationKind::HardSigmoid:
    case ActivationKind::HardSwish:
    case ActivationKind::LeakyRelu:
    case ActivationKind::Sigmoid:
    case ActivationKind::Silu:
    case ActivationKind::Tanh:
    case ActivationKind::Gelu:
      return apply_slow(activation, x);
  }
  return x;
}

}  // namespace fuselane
