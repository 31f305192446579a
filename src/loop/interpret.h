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
};

// Runs the iterations [begin, end) of the kernel's parallel loops, flattened in their order, as a kernel is
// called; a kernel without parallel loops has one. Errors: invalid-argument when the arguments do not fit the
// kernel, invalid-data for an access outside of a buffer.
Status interpret(const Kernel& kernel, const Arguments& arguments, int64_t begin, int64_t end);
// All iterations.
Status interpret(const Kernel& kernel, const Arguments& arguments);

}  // namespace fuselane::loop
