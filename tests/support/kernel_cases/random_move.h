// Moves that may be legal.
#pragma once

#include <vector>

#include "base/rng.h"
#include "loop/kernel.h"
#include "loop/moves.h"

namespace fuselane {

// On the kernel's loops as they are now; often one that makes lanes possible. `number` makes new names.
loop::Move random_move(const loop::Kernel& kernel, int number, Rng& rng);

// One that is not legal, whatever the kernel: names, factors or forms that do not exist.
loop::Move wrong_move(const loop::Kernel& kernel, Rng& rng);

}  // namespace fuselane
