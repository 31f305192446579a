// Functions of elements over values: what one node computes, or several together.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "loop/functions.h"

namespace fuselane {

struct Expression {
  std::vector<ValueId> operands;  // each once
  std::vector<loop::Step> steps;  // of the operands
  std::vector<NodeId> nodes;      // whose work it is, operands' first
};

// `outer` with `inner` in the place of operand `value`. Nothing when that would be too much for one kernel.
std::optional<Expression> substituted(const Expression& outer, ValueId value, const Expression& inner);

// The steps when the operands stand in another order; `order` has all of them.
std::vector<loop::Step> reordered(const Expression& expression, const std::vector<ValueId>& order);

}  // namespace fuselane
