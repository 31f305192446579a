// What must hold of a module, so that its bytes are valid and do what it says:
//   - functions have distinct names; parameters are the first registers; a register has one of the five types
//   - blocks, loops and ifs nest and end; a label belongs to one of them and is branched to inside it only
//   - statements have the expression and the register they need and no others, of the types they need
//   - an expression has one user, operands of its instruction's number and types, and immediates in range:
//     an alignment is at most the width of the access, a lane exists, a register or function does
//   - instructions need no feature beyond `most`
//   - where a function has a result, all paths return one
#pragma once

#include "base/result.h"
#include "low/low.h"

namespace fuselane::low {

// Error: internal-error, with the function and the statement.
Status verify(const Module& module, Feature most = Feature::RelaxedSimd);

}  // namespace fuselane::low
