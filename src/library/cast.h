// Conversions between the element types that models convert between as they run.
#pragma once

#include <cstdint>

#include "library/kernel.h"
#include "types/dtype.h"

namespace fuselane {

// y[i] = x[i] as another type, among float32, int64, int32, uint8 and bool (cast_supports). Integers
// wrap; floats are cut towards zero, and what does not fit is as types/number.h stores it; all but zero is
// true. The loop is over chunks.
struct CastArgs {
  const void* x = nullptr;
  void* y = nullptr;
  uint32_t count;
  DType from;
  DType to;
};
uint32_t cast(const void* args, uint32_t begin, uint32_t end);
uint32_t cast_extent(uint32_t count);
bool cast_supports(DType dtype);

}  // namespace fuselane
