// Normalisation of rows, float32.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

// y = (x - mean) / sqrt(variance + epsilon) * scale + bias over each row of `length` elements, mean and
// variance those of the row. `scale` and `bias` have a row's length; each may be null. y may be x. Without
// scale and bias the rows of an instance normalisation are the planes of its channels. The loop is over rows.
struct LayerNormArgs {
  const float* x = nullptr;
  const float* scale = nullptr;
  const float* bias = nullptr;
  float* y = nullptr;
  uint32_t rows;
  uint32_t length;
  float epsilon;
};
uint32_t layer_norm(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
