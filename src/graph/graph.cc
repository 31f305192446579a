#include "graph/graph.h"

namespace fuselane {

SymbolId Graph::symbol(std::string_view symbol_name) {
  auto [at, is_new] = symbol_ids_.emplace(symbol_name, SymbolId(symbols_.size()));
  if (is_new) symbols_.emplace_back(symbol_name);
  return at->second;
}

ValueId Graph::find(std::string_view value_name) const {
  auto at = names_.find(std::string(value_name));
  return at == names_.end() ? ValueId() : at->second;
}

std::string Graph::fresh_name(std::string_view base) const {
  std::string candidate(base);
  for (int suffix = 1; names_.contains(candidate); ++suffix) candidate = cat(base, ".", suffix);
  return candidate;
}

ValueId Graph::add_value(std::string value_name, ValueType type) {
  ValueId id(values_.size());
  names_.emplace(value_name, id);
  values_.push_back({.name = std::move(value_name), .type = std::move(type), .producer = {}, .constant = {}});
  return id;
}

ValueId Graph::add_input(BlockId block, std::string value_name, ValueType type) {
  ValueId id = add_value(std::move(value_name), std::move(type));
  at(block).inputs.push_back(id);
  return id;
}

ValueId Graph::add_constant(std::string value_name, Constant constant) {
  ValueId id = add_value(std::move(value_name), tensor_type(constant.dtype, symbolic(constant.dims)));
  values_[id.index].constant = ConstantId(constants_.size());
  constants_.push_back(std::move(constant));
  return id;
}

ValueId Graph::add_constant(std::string value_name, Tensor tensor) {
  Constant constant;
  constant.dtype = tensor.dtype();
  constant.dims = tensor.dims();
  constant.data = std::make_shared<const Tensor>(std::move(tensor));
  return add_constant(std::move(value_name), std::move(constant));
}

BlockId Graph::add_block() {
  blocks_.emplace_back();
  return BlockId(blocks_.size() - 1);
}

NodeId Graph::add_node(Node node) {
  NodeId id(nodes_.size());
  for (ValueId output : node.outputs) {
    if (output) at(output).producer = id;
  }
  for (BlockId block : node.blocks) at(block).owner = id;
  nodes_.push_back(std::move(node));
  return id;
}

NodeId Graph::append(BlockId block, Node node) {
  NodeId id = add_node(std::move(node));
  at(block).nodes.push_back(id);
  return id;
}

void Graph::reserve(size_t values, size_t nodes) {
  values_.reserve(values);
  nodes_.reserve(nodes);
  names_.reserve(values);
}

std::vector<Operand> operands_of(const Graph& graph, const Node& node) {
  std::vector<Operand> operands(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    ValueId id = node.inputs[i];
    if (id) operands[i] = {.present = true, .type = graph[id].type, .value = graph.known(id)};
  }
  return operands;
}

std::vector<std::vector<ValueType>> block_results_of(const Graph& graph, const Node& node) {
  std::vector<std::vector<ValueType>> results;
  for (BlockId block : node.blocks) {
    auto& types = results.emplace_back();
    for (ValueId output : graph[block].outputs) types.push_back(graph[output].type);
  }
  return results;
}

}  // namespace fuselane
