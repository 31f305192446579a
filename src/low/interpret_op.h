// What single instructions compute, for interpret.cc.
#pragma once

#include "low/interpret.h"

namespace fuselane::low {

struct Operation {
  Op op = Op::I32Const;
  uint8_t lane = 0;
  bool fused_madd = true;
  Value a, b, c;               // the operands
  const char* trap = nullptr;  // set where there is no result
};

// Instructions without memory, calls and constants; one function passes on to the next what is not its own.
Value apply_number(Operation& it);
Value apply_vector(Operation& it);
// A load's result from the bytes it read, and for a load of a lane the vector it goes to.
Value apply_load(Op op, uint8_t lane, const Value& read, const Value& vector);

}  // namespace fuselane::low
