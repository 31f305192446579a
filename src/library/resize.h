// Resizing planes, channels last, by tables that say which input rows and columns each output row and column
// takes: so all coordinate rules of Resize are the planner's.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

// y[n][i][j] = x[n][rows[i]][columns[j]], pixels of `pixel_bytes` bytes. The loop is over n x output rows.
struct ResizeNearestArgs {
  const void* x = nullptr;
  void* y = nullptr;
  const uint32_t* rows = nullptr;     // oh of them, below h
  const uint32_t* columns = nullptr;  // ow of them, below w
  uint32_t n, h, w;
  uint32_t oh, ow;
  uint32_t pixel_bytes;
};
uint32_t resize_nearest(const void* args, uint32_t begin, uint32_t end);

// An output row or column is low_weight * input[low] + high_weight * input[high]. Where a weight is 0, both
// name the same one, so that infinities beside it do not matter.
struct LinearTap {
  uint32_t low, high;
  float low_weight, high_weight;
};

// Float32: along columns first, then along rows, in one pass. The loop is over n x output rows.
struct ResizeLinearArgs {
  const float* x = nullptr;
  float* y = nullptr;
  const LinearTap* rows = nullptr;     // oh of them
  const LinearTap* columns = nullptr;  // ow of them
  uint32_t n, h, w, channels;
  uint32_t oh, ow;
};
uint32_t resize_linear(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
