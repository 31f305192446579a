// A task's kernel with arguments: random extents and strides, elements of a kind, and nothing beside them: a
// buffer ends with the last element that may be touched, and what lies between its rows is kGap.
#pragma once

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "loop/kernel.h"
#include "loop/task.h"

namespace fuselane {

// No kernel may read or write it: a NaN that no arithmetic makes.
inline constexpr uint32_t kGapBits = 0x7fe5a5a5;
inline const float kGap = std::bit_cast<float>(kGapBits);

enum class Data : uint8_t {
  Integers,  // small ones, whose sums are exact in any order
  Specials,  // numbers of several magnitudes, with NaN, infinities, zeros of both signs, denormal and huge
             // ones
};

struct Case {
  std::map<std::string, int64_t> sizes;
  std::vector<std::vector<float>> buffers;  // the last is the result, all kGap
  // Where the elements of each result are in the result's buffer, and for the buffers of operands of
  // functions of elements where theirs are.
  std::vector<size_t> results;
  std::vector<std::vector<size_t>> operands;

  // Sizes in the kernel's order; those that a schedule added are random factors.
  std::vector<int64_t> sizes_for(const loop::Kernel& kernel, Rng& rng);
  int64_t size(const char* name) const { return sizes.at(name); }
  std::string text() const;  // of its sizes
};

Case random_case(const loop::Task& task, Data data, Rng& rng);

}  // namespace fuselane
