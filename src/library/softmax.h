// Softmax and its logarithm along one axis, float32.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

// x and y are dense [outer][axis][inner] and may be the same. Each result is exp(x - max) / sum of exp(x -
// max), or x - max - log of that sum; a line with NaN, with +infinity or of -infinity alone is NaN
// throughout, as the formula gives. The loop is over outer x blocks of inner.
struct SoftmaxArgs {
  const float* x = nullptr;
  float* y = nullptr;
  uint32_t outer;
  uint32_t axis;
  uint32_t inner;
  bool logarithm;
};
uint32_t softmax(const void* args, uint32_t begin, uint32_t end);
uint32_t softmax_extent(const SoftmaxArgs& args);

}  // namespace fuselane
