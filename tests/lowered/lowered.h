// Kernels as instructions, and what the interpreter of instructions makes of a case.
#pragma once

#include "loop/kernel.h"
#include "low/low.h"
#include "tests/lowered/image.h"
#include "types/target.h"

namespace fuselane {

struct Lowered {
  loop::Kernel kernel;
  low::Module module;  // verified
};
// Errors: those of lower(), and the verifier's.
Result<Lowered> lowered(loop::Kernel kernel, const Target& target);

// Calls the kernel for each piece of its range. Error: invalid-data for a trap.
Status run_pieces(const low::Module& module, Image& image, const std::vector<int32_t>& cuts, bool fused);

// The result's buffer after one call. Expects the same bits of calls for random pieces, and that no memory
// outside of the result is written. `fused`: madd rounds once.
std::vector<float> run_lowered(const Lowered& lowered, Case& c, bool fused, Rng& rng);

}  // namespace fuselane
