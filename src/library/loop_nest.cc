#include "library/loop_nest.h"

#include <limits>

namespace fuselane {
namespace {

// A loop while collapsing: its extent and its stride in each array.
struct Loop {
  int64_t extent;
  int64_t stride[kMostArrays];
};

bool fits(const Loop& loop, size_t arrays) {
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  if (loop.extent > kLargest) return false;
  for (size_t a = 0; a < arrays; ++a) {
    if (loop.stride[a] > kLargest || loop.stride[a] < -kLargest) return false;
  }
  return true;
}

// Legal where going once around the inner loop is one step of the outer one, in every array.
bool runs_on(const Loop& outer, const Loop& inner, size_t arrays) {
  for (size_t a = 0; a < arrays; ++a) {
    if (outer.stride[a] != inner.extent * inner.stride[a]) return false;
  }
  return true;
}

}  // namespace

Dims broadcast_strides(DimsView dims, DimsView to) {
  Dims dense = strides_of(dims);
  Dims strides(to.size(), 0);
  size_t missing = to.size() - dims.size();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] != 1) strides[missing + axis] = dense[axis];
  }
  return strides;
}

std::optional<LoopNest> collapse(DimsView extents, std::span<const Dims> strides) {
  std::vector<Loop> kept;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 1) continue;
    Loop loop{.extent = extents[axis], .stride = {}};
    for (size_t a = 0; a < strides.size(); ++a) loop.stride[a] = strides[a][axis];
    if (!fits(loop, strides.size())) return std::nullopt;
    if (!kept.empty() && runs_on(kept.back(), loop, strides.size())) {
      loop.extent *= kept.back().extent;
      if (!fits(loop, strides.size())) return std::nullopt;
      kept.back() = loop;
    } else {
      kept.push_back(loop);
    }
  }
  if (kept.empty()) {
    kept.push_back({.extent = 1, .stride = {}});
    std::fill_n(kept[0].stride, kMostArrays, 1);
  }
  if (kept.size() > kMostLoops) return std::nullopt;
  LoopNest nest{};
  nest.loops = static_cast<uint32_t>(kept.size());
  for (uint32_t loop = 0; loop < nest.loops; ++loop) {
    nest.extent[loop] = static_cast<uint32_t>(kept[loop].extent);
    for (size_t a = 0; a < strides.size(); ++a)
      nest.stride[a][loop] = static_cast<int32_t>(kept[loop].stride[a]);
  }
  return nest;
}

bool has_plain_rows(const LoopNest& nest, uint32_t arrays) {
  if (nest.stride[0][nest.last()] != 1) return false;
  bool moves = false;
  for (uint32_t a = 1; a < arrays; ++a) {
    int32_t stride = nest.stride[a][nest.last()];
    if (stride != 0 && stride != 1) return false;
    moves |= stride == 1;
  }
  return moves;
}

uint32_t piece_count(const LoopNest& nest, uint32_t chunk) {
  uint32_t count = (nest.extent[nest.last()] + chunk - 1) / chunk;
  for (uint32_t loop = 0; loop < nest.last(); ++loop) count *= nest.extent[loop];
  return count;
}

}  // namespace fuselane
