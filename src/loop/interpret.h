// What a kernel means, one element after another: the oracle of moves and of generated code. Marks change
// nothing here, and sums are taken in the order of the Reduce loops.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "base/result.h"
#include "loop/kernel.h"

namespace fuselane::loop {

struct Arguments {
  // Of the buffers in memory, in their order.
  std::vector<std::variant<std::span<float>, std::span<int32_t>>> buffers;
  std::vector<int64_t> sizes;  // in the order of the kernel's sizes
  bool fuses = false;          // mul_add rounds once
};

// Runs the iterations [begin, end) of the kernel's parallel loops, flattened in their order, as a kernel is
// called; a kernel without parallel loops has one. Errors: invalid-argument when the arguments do not fit the
// kernel, invalid-data for an access outside of a buffer.
Status interpret(const Kernel& kernel, const Arguments& arguments, int64_t begin, int64_t end);
// All iterations.
Status interpret(const Kernel& kernel, const Arguments& arguments);

// What a kernel touches, so that callers can bring it: for each buffer in memory, in their order, along each
// dimension 1 + the largest index that there is, what may be read past the end included; 0 where it is not
// accessed. Strides do not matter. Found by running the kernel on zeros, of long loops the first and the last
// iteration: indices grow or fall along each loop, but for remainders, for which all iterations are run.
// Errors: invalid-argument when the sizes do not fit the kernel, and for an index that can be negative.
Result<std::vector<std::vector<int64_t>>> extents_touched(const Kernel& kernel,
                                                          std::span<const int64_t> sizes);

}  // namespace fuselane::loop
