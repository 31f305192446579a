// Indices as numbers, when the sizes have some.
#pragma once

#include <span>
#include <vector>

#include "loop/kernel.h"

namespace fuselane::loop {

// The kernel's sizes, as they are among its arguments.
std::vector<SymbolId> sizes_of(const Kernel& kernel);

// `values` has a number for each symbol of the kernel; those of sizes and of loops that are being run matter.
// Divisors that are not positive count as 1.
int64_t evaluate(const Kernel& kernel, const Index& index, std::span<const int64_t> values);

// Iterations of the kernel's parallel loops together, for sizes in the order of sizes_of(): the range that it
// is called with. 1 where there is no parallel loop.
int64_t parallel_extent(const Kernel& kernel, std::span<const int64_t> sizes);

}  // namespace fuselane::loop
