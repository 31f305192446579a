// Random broadcasts, and the plain walk over the elements of their results.
#pragma once

#include "library/loop_nest.h"
#include "tests/unit/library/kernel_case.h"

namespace fuselane {

// Dims of a result and of operands that broadcast to it. The result's elements need not be dense: each row of
// its last axes may be followed by a gap.
struct Broadcast {
  Dims to;
  std::vector<Dims> operands;
  std::vector<Dims> strides;  // of the result, then of the operands
  LoopNest nest{};
  size_t result_size = 0;

  size_t operand_size(size_t operand) const {
    return static_cast<size_t>(element_count(operands[operand]).value_or(0));
  }
  // Calls visit(offset in the result, in each operand...) for every element.
  template <class Visit>
  void each_element(Visit visit) const {
    int64_t count = element_count(to).value_or(0);
    std::vector<size_t> at(strides.size());
    for (int64_t i = 0; i < count; ++i) {
      std::ranges::fill(at, 0);
      int64_t rest = i;
      for (size_t axis = to.size(); axis-- > 0; rest /= to[axis]) {
        for (size_t a = 0; a < strides.size(); ++a)
          at[a] += static_cast<size_t>(rest % to[axis] * strides[a][axis]);
      }
      visit(at);
    }
  }
};

// The last axis is now and then longer than a chunk.
inline Broadcast random_broadcast(Rng& rng, size_t operand_count) {
  Broadcast b;
  size_t rank = rng.below(6);
  for (size_t axis = 0; axis < rank; ++axis) b.to.push_back(static_cast<int64_t>(1 + rng.below(5)));
  if (rank > 0 && rng.below(4) == 0) b.to.back() = rng.between(1, 40);
  if (rng.below(32) == 0) b.to = {2, 4100};
  rank = b.to.size();
  // Every axis is there in full in one operand at least.
  for (size_t o = 0; o < operand_count; ++o) {
    b.operands.push_back(b.to);
    for (size_t axis = 0; axis < rank; ++axis) {
      if (o > 0 && rng.below(3) == 0) b.operands[o][axis] = 1;
    }
    if (o > 0 && rng.below(4) == 0) {
      b.operands[o].erase(b.operands[o].begin(),
                          b.operands[o].begin() + static_cast<int64_t>(rng.below(rank + 1)));
    }
  }
  std::swap(b.operands[0], b.operands[rng.below(operand_count)]);
  Dims wider = b.to;
  if (rank > 1 && b.to.back() > 1 && rng.below(3) == 0) wider[rank - 1] += 3;
  b.strides.push_back(strides_of(wider));
  b.result_size = static_cast<size_t>(element_count(wider).value_or(0));
  for (const Dims& operand : b.operands) b.strides.push_back(broadcast_strides(operand, b.to));
  b.nest = collapse(b.to, b.strides).value();
  return b;
}

}  // namespace fuselane
