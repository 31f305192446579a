// Nests of loops over several strided arrays: what elementwise kernels with broadcasting and copies run over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "types/shape.h"

namespace fuselane {

inline constexpr uint32_t kMostLoops = 6;
inline constexpr uint32_t kMostArrays = 8;

// Loops outermost first, at least one; for each array the elements from one step of a loop to the next.
struct LoopNest {
  uint32_t loops;
  uint32_t extent[kMostLoops];
  int32_t stride[kMostArrays][kMostLoops];

  uint32_t last() const { return loops - 1; }
};

// Strides of a dense array of `dims` under loops over `to`, which `dims` broadcast to: 0 along axes that are
// missing or 1.
Dims broadcast_strides(DimsView dims, DimsView to);

// The fewest loops that visit the same elements in the same order: loops of one step go, neighbours become
// one where every array runs on. Nothing when more than kMostLoops remain or a number has no place in the
// nest. `strides` holds one list for each array, at most kMostArrays.
std::optional<LoopNest> collapse(DimsView extents, std::span<const Dims> strides);

// Whether the last loop walks the first array element by element, and each of the others (up to `arrays`)
// likewise or not at all, but at least one of them: what elementwise kernels ask of their nest, and what
// broadcasting of dense arrays gives.
bool has_plain_rows(const LoopNest& nest, uint32_t arrays);

// Units of the parallel loop of a nest whose last loop is cut into pieces of `chunk` steps.
uint32_t piece_count(const LoopNest& nest, uint32_t chunk);

// Walks the first `loops` loops of a nest, and the offsets of its arrays with them.
class NestCursor {
 public:
  NestCursor(const LoopNest& nest, uint32_t arrays, uint32_t loops, uint32_t step)
      : nest_(nest), arrays_(arrays), loops_(loops) {
    for (uint32_t loop = loops; loop-- > 0; step /= nest.extent[loop]) {
      index_[loop] = step % nest.extent[loop];
      for (uint32_t a = 0; a < arrays; ++a)
        offset_[a] += static_cast<ptrdiff_t>(index_[loop]) * nest.stride[a][loop];
    }
  }
  ptrdiff_t offset(uint32_t array) const { return offset_[array]; }
  void next() {
    for (uint32_t loop = loops_; loop-- > 0;) {
      bool wraps = ++index_[loop] == nest_.extent[loop];
      ptrdiff_t steps = wraps ? 1 - static_cast<ptrdiff_t>(nest_.extent[loop]) : 1;
      for (uint32_t a = 0; a < arrays_; ++a) offset_[a] += steps * nest_.stride[a][loop];
      if (!wraps) return;
      index_[loop] = 0;
    }
  }

 private:
  const LoopNest& nest_;
  uint32_t arrays_;
  uint32_t loops_;
  uint32_t index_[kMostLoops] = {};
  ptrdiff_t offset_[kMostArrays] = {};
};

// Calls visit(cursor, first, count) for the pieces [begin, end): steps [first, first + count) of the last
// loop, where the cursor stands in the others.
template <class Visit>
void each_piece(const LoopNest& nest, uint32_t arrays, uint32_t chunk, uint32_t begin, uint32_t end,
                Visit visit) {
  uint32_t inner = nest.extent[nest.last()];
  uint32_t chunks = (inner + chunk - 1) / chunk;
  if (begin >= end) return;
  NestCursor cursor(nest, arrays, nest.last(), begin / chunks);
  uint32_t first = begin % chunks * chunk;
  for (uint32_t i = begin; i < end; ++i) {
    visit(cursor, first, std::min(chunk, inner - first));
    first += chunk;
    if (first >= inner) {
      first = 0;
      cursor.next();
    }
  }
}

}  // namespace fuselane
