// Choosing slices along an axis by index: Gather, embeddings.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

// y[o][i] = x[o][indices[i]], slices of `slice_bytes` bytes; x is dense [outer][axis], y [outer][count].
// Indices below zero count from the end; kBadData when one is outside [-axis, axis). The loop is over outer x
// count.
struct GatherArgs {
  const void* x;
  const void* indices;  // int64, or int32
  void* y;
  uint32_t outer;
  uint32_t axis;
  uint32_t count;
  uint32_t slice_bytes;
  bool wide;  // whether indices are int64
};
uint32_t gather(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
