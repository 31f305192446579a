// Two-dimensional pooling, float32, channels last (see conv.h). Pooling over whole planes is a reduction.
#pragma once

#include <cstdint>

#include "library/conv.h"

namespace fuselane {

enum class PoolKind : uint8_t {
  Max,             // of what lies in the input, NaN if one is; -infinity where nothing does
  Average,         // of what lies in the input; NaN where nothing does
  AverageWithPads  // pads count as zeros, but not what lies past them
};

// The loop is over n x output rows.
struct PoolArgs {
  const float* x = nullptr;
  float* y = nullptr;
  Window window;
  uint32_t pad_bottom;  // for AverageWithPads
  uint32_t pad_right;
  uint32_t x_stride;  // floats from one input pixel to the next, at least the channels
  uint32_t y_stride;  // floats from one output pixel to the next, at least the channels
  PoolKind kind;
};
uint32_t pool(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
