// What holds of a kernel between moves, and what lower/ may rely on.
#pragma once

#include "base/result.h"
#include "loop/kernel.h"

namespace fuselane::loop {

// Checks that ids are in range and operands come before their users, operations have operands of their types
// and shifts constant counts, accesses have an index for each dimension and use loops around them only,
// stores are to written buffers of their type, whatever is in a register is written by a nest without Space
// loops of its own, results are read in the stores of nests that reduce, loops stand once, splits are of
// loops that are no more and into loops of one nest, and check_loops(). Code: invalid-argument.
Status verify(const Kernel& kernel);

}  // namespace fuselane::loop
