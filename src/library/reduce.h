// Reductions of one group of neighbouring axes, float32.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

enum class ReduceKind : uint8_t { Sum, Mean, Max, Min, L2 };

// x is dense [outer][reduced][inner] with reduced >= 1, y [outer][inner]. NaN gives NaN, in Max and Min too.
// The loop is over outer x blocks of inner.
struct ReduceArgs {
  const float* x = nullptr;
  float* y = nullptr;
  uint32_t outer;
  uint32_t reduced;
  uint32_t inner;
  ReduceKind kind;
};
uint32_t reduce(const void* args, uint32_t begin, uint32_t end);
uint32_t reduce_extent(const ReduceArgs& args);

// Where the largest of each row of `length` >= 1 elements is, the first or the last of equals; NaN counts as
// larger than all numbers. The loop is over rows.
struct ArgMaxArgs {
  const float* x = nullptr;
  int64_t* y = nullptr;
  uint32_t rows;
  uint32_t length;
  bool last;
};
uint32_t arg_max(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
