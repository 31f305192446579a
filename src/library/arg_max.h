// Where the largest elements of rows are, float32.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

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
