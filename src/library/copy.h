// Moving elements of any type: Transpose, Slice, Split, Concat, Expand, Pad and changes of layout are copies
// under a loop nest, or several.
#pragma once

#include <cstdint>

#include "library/kernel.h"
#include "library/loop_nest.h"

namespace fuselane {

// to[...] = from[...] over a nest whose arrays are `to` and `from`; the pointers are those of the first
// element visited, strides may be negative, in `from` also 0. The two do not overlap. Elements have 1, 2, 4
// or 8 bytes. The order of the loops is the order in `to` for best speed. The loop is over pieces of the
// nest.
struct CopyArgs {
  const void* from = nullptr;
  void* to = nullptr;
  LoopNest nest = {};
  uint32_t element_size;
};
uint32_t copy(const void* args, uint32_t begin, uint32_t end);
uint32_t copy_extent(const CopyArgs& args);

// Every element of a nest over `to` becomes `value`, of which the lowest `element_size` bytes count.
struct FillArgs {
  void* to = nullptr;
  LoopNest nest = {};
  uint32_t element_size;
  uint64_t value;
};
uint32_t fill(const void* args, uint32_t begin, uint32_t end);
uint32_t fill_extent(const FillArgs& args);

}  // namespace fuselane
