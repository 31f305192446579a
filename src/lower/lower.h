// Loops to instructions: kernels of the loop IR in, a module of the low IR out.
//
// Each kernel becomes an exported function (args, begin, end) -> i32 that runs the iterations [begin, end) of
// its parallel loops, flattened in their order, and returns 0; what is marked Call, or where nothing is, one
// iteration, becomes a function of its own. What the loop verifier has accepted can still be declined here,
// with a sentence: a schedule that would need a form of code that does not exist.
//
// On the way: loops' variables and addresses by strength reduction (a register that grows with the loop),
// what does not change in a loop computed before it, constants of addresses in the offset of the access, sums
// in registers, tails by shorter loops and at last by a part of a vector.
#pragma once

#include <span>

#include "base/result.h"
#include "loop/kernel.h"
#include "low/low.h"
#include "types/target.h"

namespace fuselane {

// No buffer lies below this address: what is left of an element's address without the constant in the offset
// of its access can be so much before the buffer, as in x[4 - i].
inline constexpr uint32_t kFirstBuffer = 4096;

// Errors: unsupported-model.
Result<low::Module> lower(std::span<const loop::Kernel> kernels, const Target& target);

}  // namespace fuselane
