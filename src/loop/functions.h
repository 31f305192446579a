// Functions as values of a kernel: the same polynomials, bounds and special cases as the library's
// activations (library/vector_math.h), so that an answer does not depend on which of the two computed it, but
// for multiply-add where it is fused.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "loop/kernel.h"
#include "types/activation.h"

namespace fuselane::loop {

enum class Function : uint8_t {
#define FUNCTION(id, text, operands) id,
#include "loop/functions.def"
#undef FUNCTION
};
std::string_view text_of(Function function);
uint8_t operands_of(Function function);

// One line of a straight program over float32: operands are numbered first, then the steps. The result is the
// last step; of a program without steps, operand 0.
struct Step {
  Function function = Function::Add;
  uint8_t a = 0, b = 0;
  Activation activation = {};  // of Activate
  float number = 0;            // of Constant
  bool operator==(const Step&) const = default;
};

ValueId exp(Kernel& kernel, ValueId x);
ValueId log(Kernel& kernel, ValueId x);
ValueId tanh(Kernel& kernel, ValueId x);
ValueId erf(Kernel& kernel, ValueId x);
ValueId activate(Kernel& kernel, const Activation& activation, ValueId x);
ValueId apply_steps(Kernel& kernel, std::span<const Step> steps, std::vector<ValueId> operands);

}  // namespace fuselane::loop
