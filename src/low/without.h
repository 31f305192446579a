// A function that does less: of code that was written out for several iterations, that for some of them.
#pragma once

#include <vector>

#include "low/low.h"

namespace fuselane::low {

// `function` without the effects whose expressions are marked in `dropped` (by ExprId), and without all that
// was computed for these alone: registers that no effect, condition or result depends on. A loop that is left
// with nothing to do still counts. Functions that give a result must do nothing else, wherever they are
// called here for a register that may be dropped. Parameters, labels and the order of what stays are as they
// were.
Function without(const Function& function, const std::vector<bool>& dropped);

}  // namespace fuselane::low
