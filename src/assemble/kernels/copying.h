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

// One end of a copy: strides by dimension, and where the first element lies.
struct End {
  Dims strides;
  int64_t offset = 0;
};

// Loops in the order in which the elements lie where they go; the ends' offsets are the caller's.
std::optional<LoopNest> copy_nest(DimsView extents, const End& to, const End& from);

// The arguments that copy a tensor between memory with these strides, for which there is a nest.
CopyArgs strided_copy(DimsView dims, DType dtype, const Dims& to, const Dims& from);

// Result `output` is operand 0's memory in `layout`, from element `start` on, with these strides; false where
// it does not lie so, or could not be copied where it is needed dense.
bool view_of(Site& site, size_t output, Layout layout, int64_t start, Dims strides);
bool view_transposed(Site& site);
// A Concat whose operands lie next to each other already.
bool view_of_parts(Site& site, size_t axis);

// Axis i of a Transpose's result is axis permutation_of()[i] of its operand, which has as many.
std::vector<size_t> permutation_of(const Node& node, size_t rank);

void call_copy(Site& site, BufferId from, int64_t from_offset, BufferId to, int64_t to_offset,
               const LoopNest& nest, uint32_t size);

}  // namespace fuselane
