// What the interpreter of loops makes of a case.
#pragma once

#include "tests/support/kernel_cases/cases.h"

namespace fuselane {

// The result's buffer. Runs the kernel in random pieces.
std::vector<float> run_loops(const loop::Kernel& kernel, Case& c, Rng& rng);

// A range in random pieces, none of them empty: where each begins, and the end.
std::vector<int32_t> random_cuts(int64_t extent, Rng& rng);

}  // namespace fuselane
