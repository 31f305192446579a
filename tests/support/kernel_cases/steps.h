// Programs of functions (loop/functions.h), step by step.
#pragma once

#include <vector>

#include "loop/functions.h"

namespace fuselane {

// The results of a program for operands of one length, by the loop interpreter. Expects of every step that it
// is what its function is in double precision of the operands and steps before it, exactly where arithmetic
// rounds once. `fuses`: mul_add rounds once.
std::vector<float> values_of(const std::vector<loop::Step>& steps, std::vector<std::vector<float>> operands,
                             bool fuses);

}  // namespace fuselane
