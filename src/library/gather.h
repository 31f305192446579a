// Choosing slices along an axis by index: Gather, embeddings.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

// y[o][i] = x[o][indices[i]], slices of `slice_bytes` bytes; x is dense [outer][axis], y [outer][count].
// Indices below zero count from the end; kBadData when one is outside [-axis, axis). The loop is over outer x
// count.
struct GatherArgs {
  const void* x = nullptr;
  const void* indices = nullptr;  // int64, or int32
  void* y = nullptr;
  uint32_t outer;
  uint32_t axis;
  uint32_t count = 0;
  uint32_t slice_bytes = 0;
  bool wide = false;  // whether indices are int64
};
uint32_t gather(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
