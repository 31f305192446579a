// Vertical fusion: nodes that become one step, whose results in between are never in memory.
//
// The result of a function of elements waits where one node alone reads it, in the same block, and that node
// is a function of elements too: then it becomes part of the reader's. So does a product's, which is then
// what the reader computes of each sum before it is stored. Legal since nothing else reads the result, whose
// elements each belong to one element of the reader's result: their dims are the same, or it is made first.
// What a node reads stays where it is until the step that reads it has come.
//
// Whether there is a kernel for a group is known when it is complete. Where there is none, its nodes become
// steps of their own.
#include <algorithm>
#include <ranges>
#include <utility>

#include "assemble/assembler.h"
#include "assemble/kernels/planners.h"
#include "graph/ops.h"

namespace fuselane {
namespace {

bool is_product(Op op) { return op == Op::MatMul || op == Op::Gemm || op == Op::Conv; }

}  // namespace

// Null where the value does not wait.
const Assembler::Waiting* Assembler::waiting(ValueId id) const {
  auto at = std::ranges::find(waiting_, id, &Waiting::value);
  return at == waiting_.end() ? nullptr : &*at;
}

// It does not wait any longer.
Assembler::Waiting Assembler::take(const Waiting* waiting) {
  auto at = waiting_.begin() + (waiting - waiting_.data());
  Waiting taken = std::move(*at);
  waiting_.erase(at);
  return taken;
}

// Whether one node alone reads the value, or the value reshaped, and computes a function of its elements.
bool Assembler::goes_on(ValueId id) const {
  for (NodeId reader = demand_->readers[id.index]; reader;) {
    const Node& node = (*graph_)[reader];
    if (is_function_of_elements(node.op)) return true;
    if (!is_reshape(node.op) || node.outputs.size() != 1) return false;
    reader = demand_->readers[node.outputs[0].index];
  }
  return false;
}

// A waiting product's elements keep their order when they are reshaped: so does the product wait under its
// new dims, as long as the last one stays.
bool Assembler::wait_reshaped(NodeId id) {
  const Node& node = (*graph_)[id];
  if (!is_reshape(node.op)) return false;
  auto at = std::ranges::find(waiting_, node.inputs[0], &Waiting::value);
  if (at == waiting_.end() || at->expression) return false;
  // Neither convolutions, nor products of many matrices: those have axes of their own.
  const Node& product = (*graph_)[at->node];
  if (product.op == Op::Conv || fact(product.inputs[1]).dims.size() > 2) return false;
  const Dims& from = fact(node.inputs[0]).dims;
  const Dims& to = fact(node.outputs[0]).dims;
  if (from.empty() || to.empty() || from.back() != to.back()) return false;
  at->value = node.outputs[0];
  at->reshapes.push_back(id);
  return true;
}

bool Assembler::may_wait(const Node& node) {
  if (!options_.kernels || !options_.vertical || !options_.store || node.outputs.size() != 1) return false;
  if (!goes_on(node.outputs[0])) return false;
  NodeId reader = demand_->readers[node.outputs[0].index];
  // Only products may be reshaped before they go on.
  if (is_reshape((*graph_)[reader].op)) return node.op == Op::MatMul || node.op == Op::Gemm;
  return is_function_of_elements(node.op) || is_product(node.op);
}

// Whether the node's result waits for its reader.
Result<bool> Assembler::wait(NodeId id) {
  const Node& node = (*graph_)[id];
  if (wait_reshaped(id)) return true;
  if (!may_wait(node)) return false;
  const Fact& result = fact(node.outputs[0]);
  if (result.dtype != DType::Float32 || element_count(result.dims).value_or(0) == 0) return false;
  std::optional<Expression> expression;
  if (!is_product(node.op)) {
    expression = TRY(expression_of_group(id));
    if (!expression) return false;
  }
  waiting_.push_back({node.outputs[0], id, std::move(expression), {}});
  return true;
}

// What the node computes together with those that wait for it; nothing where it is no function of elements.
Result<std::optional<Expression>> Assembler::expression_of_group(NodeId id) {
  std::optional<Expression> expression = expression_of(Site(planning(), id));
  if (!expression) return std::nullopt;
  const Dims dims = fact((*graph_)[id].outputs[0]).dims;
  const std::vector<ValueId> operands = expression->operands;
  for (ValueId operand : operands) {
    const Waiting* inner = waiting(operand);
    if (!inner) continue;
    if (fact(operand).dims == dims) {
      if (!inner->expression) continue;  // a product: decided when the group is complete
      if (auto together = substituted(*expression, operand, *inner->expression)) {
        expression = std::move(together);
        continue;
      }
    }
    TRY(make(operand));
  }
  return expression;
}

// Makes the value now, whose group ends with it.
Status Assembler::make(ValueId id) {
  const Waiting* at = waiting(id);
  if (!at) return {};
  const Waiting taken = take(at);
  if (taken.expression && TRY(plan_group(*taken.expression, taken.node))) return {};
  TRY(plan_alone(taken.node));
  for (NodeId reshape : taken.reshapes) TRY(plan_alone(reshape));
  return {};
}

Status Assembler::plan_alone(NodeId id) {
  const Node& node = (*graph_)[id];
  for (ValueId input : node.inputs) {
    if (input) TRY(make(input));
  }
  Site site(planning(), id);
  TRY(plan_node(site));
  settle(node.outputs, id);
  builder_.consume_inputs(node);
  return {};
}

// A step for all nodes of the expression, the last of which is `last`; false where there is no kernel for it.
Result<bool> Assembler::plan_group(const Expression& expression, NodeId last) {
  // The product that comes last among the operands can be the one whose sums go on; others are made first.
  ValueId product;
  for (ValueId operand : expression.operands) {
    if (!waiting(operand)) continue;
    bool is_later = !product || waiting(operand)->node > waiting(product)->node;
    ValueId other = is_later ? std::exchange(product, operand) : operand;
    if (other) TRY(make(other));
  }
  if (product) {
    if (TRY(plan_product_group(expression, product, last))) return true;
    TRY(make(product));
  }
  Site site(planning(), group_of(expression, last));
  if (!plan_map(site)) return false;
  settle((*graph_)[last].outputs, last);
  for (NodeId node : expression.nodes) leave(node);
  return true;
}

Result<bool> Assembler::plan_product_group(const Expression& expression, ValueId product, NodeId last) {
  const NodeId id = waiting(product)->node;
  const Node& node = (*graph_)[id];
  Expression all = expression;
  all.nodes.insert(all.nodes.begin(), waiting(product)->reshapes.begin(), waiting(product)->reshapes.end());
  all.nodes.insert(all.nodes.begin(), id);
  Group group = group_of(all, last);
  group.node = id;
  std::vector<ValueId> order = {product};
  for (ValueId operand : expression.operands) {
    if (operand != product) order.push_back(operand);
  }
  group.steps = reordered(expression, order);
  group.operands = node.inputs;
  group.operands.insert(group.operands.end(), order.begin() + 1, order.end());
  Site site(planning(), std::move(group));
  if (!TRY(plan_with_kernels(site))) return false;
  settle((*graph_)[last].outputs, last);
  for (NodeId one : all.nodes) leave(one);
  return true;
}

Group Assembler::group_of(const Expression& expression, NodeId last) const {
  Group group{.node = last,
              .nodes = expression.nodes,
              .operands = expression.operands,
              .steps = expression.steps,
              .reads = {},
              .results = (*graph_)[last].outputs};
  for (NodeId node : expression.nodes) {
    for (ValueId input : (*graph_)[node].inputs) {
      if (input) group.reads.push_back(input);
    }
  }
  return group;
}

// Where layouts are not chosen, results lie row-major alone.
void Assembler::settle(const std::vector<ValueId>& results, NodeId node) {
  for (ValueId id : results) {
    if (!options_.layout && id) builder_.settle(id, node);
  }
}

// The node's work is part of a step that is there now.
void Assembler::leave(NodeId id) {
  const Node& node = (*graph_)[id];
  if (const Waiting* at = waiting(node.outputs[0])) (void)take(at);
  builder_.consume_inputs(node);
}

}  // namespace fuselane
