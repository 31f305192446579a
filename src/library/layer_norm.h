// Normalisation of rows, float32.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

// y = (x - mean) / sqrt(variance + epsilon) * scale + bias over each row of `length` elements, mean and
// variance those of the row; with `centered` 0 the mean counts as 0. `scale` and `bias` have a row's length,
// or, where `channels` is not 0, an element for each of so many rows in turn: the planes of an instance
// normalisation. Each may be null. y may be x. The loop is over rows.
struct LayerNormArgs {
  const float* x = nullptr;
  const float* scale = nullptr;
  const float* bias = nullptr;
  float* y = nullptr;
  uint32_t rows;
  uint32_t length;
  uint32_t channels = 0;
  float epsilon;
  uint32_t centered = 1;
};
uint32_t layer_norm(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
