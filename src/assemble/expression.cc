#include "assemble/expression.h"

#include <algorithm>

#include "library/loop_nest.h"

namespace fuselane {
namespace {

// Of a nest that has the result, too.
constexpr size_t kMostOperands = kMostArrays - 1;
// Longer bodies have more values than there are registers, and code that other chains do not share.
constexpr size_t kMostSteps = 24;

uint8_t position_of(const std::vector<ValueId>& operands, ValueId value) {
  return static_cast<uint8_t>(std::ranges::find(operands, value) - operands.begin());
}

// Adds the steps, whose operands are what `places` says.
void add_steps(std::vector<loop::Step>& to, const std::vector<loop::Step>& steps, std::vector<uint8_t> places,
               size_t operands) {
  for (loop::Step step : steps) {
    if (operands_of(step.function) > 0) step.a = places[step.a];
    if (operands_of(step.function) > 1) step.b = places[step.b];
    places.push_back(static_cast<uint8_t>(operands + to.size()));
    to.push_back(step);
  }
}

}  // namespace

std::optional<Expression> substituted(const Expression& outer, ValueId value, const Expression& inner) {
  Expression result;
  auto add_operand = [&](ValueId operand) {
    if (operand != value && !std::ranges::contains(result.operands, operand))
      result.operands.push_back(operand);
  };
  std::ranges::for_each(inner.operands, add_operand);
  std::ranges::for_each(outer.operands, add_operand);
  if (result.operands.size() > kMostOperands || inner.steps.size() + outer.steps.size() > kMostSteps)
    return std::nullopt;
  std::vector<uint8_t> places;
  for (ValueId operand : inner.operands) places.push_back(position_of(result.operands, operand));
  add_steps(result.steps, inner.steps, places, result.operands.size());
  auto last = static_cast<uint8_t>(result.operands.size() + result.steps.size() - 1);
  places.clear();
  for (ValueId operand : outer.operands)
    places.push_back(operand == value ? last : position_of(result.operands, operand));
  add_steps(result.steps, outer.steps, places, result.operands.size());
  result.nodes = inner.nodes;
  result.nodes.insert(result.nodes.end(), outer.nodes.begin(), outer.nodes.end());
  return result;
}

std::vector<loop::Step> reordered(const Expression& expression, const std::vector<ValueId>& order) {
  std::vector<uint8_t> places;
  for (ValueId operand : expression.operands) places.push_back(position_of(order, operand));
  std::vector<loop::Step> steps;
  add_steps(steps, expression.steps, places, order.size());
  return steps;
}

}  // namespace fuselane
