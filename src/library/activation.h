// Activations that kernels apply to what they are about to store.
#pragma once

#include <cstdint>

#include "library/simd.h"
#include "types/activation.h"

namespace fuselane {

// The kinds that are more than a few instructions; not inlined, so that tiles stay small.
v128_t apply_slow(const Activation& activation, v128_t x);

inline v128_t apply(const Activation& activation, v128_t x) {
  switch (activation.kind) {
    case ActivationKind::None:
      return x;
    case ActivationKind::Clamp:
      return wasm_f32x4_pmin(wasm_f32x4_pmax(x, wasm_f32x4_splat(activation.a)),
                             wasm_f32x4_splat(activation.b));
    case ActivationKind::HardSigmoid:
    case ActivationKind::HardSwish:
    case ActivationKind::LeakyRelu:
    case ActivationKind::Sigmoid:
    case ActivationKind::Silu:
    case ActivationKind::Tanh:
    case ActivationKind::Gelu:
    case ActivationKind::GeluTanh:
      return apply_slow(activation, x);
  }
  return x;
}

// to[i] = activation(from[i]); both may be the same.
void activate_row(const Activation& activation, const float* from, float* to, uint32_t count);

}  // namespace fuselane
