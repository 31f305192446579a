// What the operators that move elements share: copies of any type of fixed size, by its bits, and the checks
// of operands that list axes or extents.
#pragma once

#include <vector>

#include "graph/inference.h"
#include "types/tensor.h"

namespace fuselane {

// Refuses strings, which have no place in a TensorView. Code: unsupported-model.
Status require_fixed_size(const Inference& inference, size_t operand);
// A list operand: int32 or int64, of rank 1 (or a scalar where `scalar_too`).
Status require_list(const Inference& inference, size_t operand, bool scalar_too = false);
// How many elements list operand i has, if known.
std::optional<int64_t> length_of_list(const Inference& inference, size_t operand);
// The same for a list with one element for each axis of a tensor; refuses one that is longer than a rank can
// be.
Result<std::optional<size_t>> rank_by_list(const Inference& inference, size_t operand);
// The axes in [0, rank) that `axes` name; refuses one outside, and one named twice.
Result<std::vector<int64_t>> distinct_axes(const Inference& inference, std::vector<int64_t> axes,
                                           int64_t rank);

std::vector<int64_t> integers_of(const TensorView& view);

// Elements first, first + stride, first + 2 stride, ...; a stride may be 0 or negative.
struct Run {
  int64_t first = 0;
  int64_t stride = 1;
};
// Copies `count` elements between tensors of one type that do not overlap.
void copy_run(const TensorView& from, Run source, const TensorView& to, Run destination, int64_t count);

// A box of elements: one extent and two strides an axis. Whoever fills it in keeps both ends inside their
// tensors.
struct StridedCopy {
  Dims extents;
  Dims from_strides;
  Dims to_strides;
  int64_t from_first = 0;
  int64_t to_first = 0;
};
void copy_strided(const TensorView& from, const TensorView& to, const StridedCopy& copy);

}  // namespace fuselane
