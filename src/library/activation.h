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

// Units in the last place they are off at most, measured over every 61st float32 bit pattern against double
// (ulp of the exact result; subnormal arguments and results included). NaN gives NaN.
v128_t exp_f32x4(v128_t x);   // 0.98; 0 below -103.97, infinity above 88.72
v128_t tanh_f32x4(v128_t x);  // 1.3
v128_t erf_f32x4(v128_t x);   // 1.2
v128_t log_f32x4(v128_t x);   // 0.80; zero gives -infinity, below zero NaN
// Within 9e-8; 0 where the exact result is subnormal.
inline v128_t sigmoid_f32x4(v128_t x) {
  v128_t one = wasm_f32x4_splat(1);
  return wasm_f32x4_div(one, wasm_f32x4_add(one, exp_f32x4(wasm_f32x4_neg(x))));
}

// x itself where it is NaN, so that NaN stays NaN: hence pmax and pmin, of which V8 makes one x86 instruction
// each, where it needs seven for max and min.
inline v128_t clamp_f32x4(v128_t x, float low, float high) {
  return wasm_f32x4_pmin(wasm_f32x4_pmax(x, wasm_f32x4_splat(low)), wasm_f32x4_splat(high));
}

// The kinds that are more than a few instructions; not inlined, so that tiles stay small.
v128_t apply_slow(const Activation& activation, v128_t x);

inline v128_t apply(const Activation& activation, v128_t x) {
  switch (activation.kind) {
    case ActivationKind::None:
      return x;
    case ActivationKind::Clamp:
      return clamp_f32x4(x, activation.a, activation.b);
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
