// Copies and fills under loop nests, as planners call them.
#pragma once

#include <optional>

#include "assemble/site.h"
#include "library/copy.h"

namespace fuselane {

// Bytes of an element that kernels can copy; 0 for others (4-bit types, complex128).
uint32_t copy_size(DType dtype);

// Whether kernels can copy elements of the operand, and all numbers fit.
bool is_copyable(const Site& site, size_t input, size_t output);

// In which layout an operator on operand `input` works: as it lies, if it has an order to keep.
Layout keep_layout(const Site& site, size_t input);

// Strides by dimension, in elements, of a tensor that lies in `layout`.
Dims strides_in(DimsView dims, Layout layout);

// One end of a copy: strides by dimension, and where the first element lies.
struct End {
  Dims strides;
  int64_t offset = 0;
};

// Loops in the order in which `layout` walks the dimensions; the ends' offsets are the caller's.
std::optional<LoopNest> copy_nest(DimsView extents, const End& to, const End& from, Layout layout);

void call_copy(Site& site, BufferId from, int64_t from_offset, BufferId to, int64_t to_offset,
               const LoopNest& nest, uint32_t size);

}  // namespace fuselane
