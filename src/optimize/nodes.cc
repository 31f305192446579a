#include "optimize/nodes.h"

#include <algorithm>
#include <cmath>

namespace fuselane {
namespace {

void collect(const Graph& graph, const Block& block, std::vector<NodeId>& nodes) {
  for (NodeId node : block.nodes) {
    for (BlockId inner : graph[node].blocks) collect(graph, graph[inner], nodes);
    nodes.push_back(node);
  }
}

}  // namespace

std::vector<NodeId> nodes_in_order(const Graph& graph) {
  std::vector<NodeId> nodes;
  collect(graph, graph.main(), nodes);
  return nodes;
}

const Node* made_by(const Graph& graph, ValueId value, Op op) {
  if (!value || !graph[value].producer) return nullptr;
  const Node& node = graph[graph[value].producer];
  return node.op == op ? &node : nullptr;
}

std::optional<double> uniform_number(const Graph& graph, ValueId value) {
  const Tensor* tensor = value ? graph.known(value) : nullptr;
  if (!tensor || tensor->count() == 0 || !is_number(tensor->dtype())) return std::nullopt;
  double first = tensor->number(0);
  for (int64_t i = 0; i < tensor->count(); ++i) {
    double number = tensor->number(i);
    if (number != first || std::signbit(number) != std::signbit(first)) return std::nullopt;
  }
  return first;
}

std::optional<double> number_beside(const Graph& graph, const Node& node, size_t k) {
  const auto& dims = graph[node.inputs[1 - k]].type.dims;
  const auto& own = graph[node.inputs[k]].type.dims;
  bool is_one = own && (own->empty() || (dims && dims->size() >= own->size())) &&
                std::ranges::all_of(*own, [](const Dim& dim) { return dim == Dim(1); });
  if (!is_one && !same_dims(graph[node.outputs[0]].type.dims, dims)) return std::nullopt;
  return uniform_number(graph, node.inputs[k]);
}

bool same_dims(const std::optional<DimVector>& a, const std::optional<DimVector>& b) {
  return a && b && std::ranges::equal(*a, *b, same_extent);
}

std::optional<int64_t> bytes_of(const ValueType& type) {
  auto dims = type.dims ? concrete(*type.dims) : std::nullopt;
  auto count = dims ? element_count(*dims) : std::nullopt;
  return count ? bytes_of(type.dtype, *count) : std::nullopt;
}

bool is_elementwise_of_one(Op op) {
  switch (op) {
    case Op::Abs:
    case Op::Neg:
    case Op::Floor:
    case Op::Ceil:
    case Op::Sqrt:
    case Op::Exp:
    case Op::Log:
    case Op::Erf:
    case Op::Tanh:
    case Op::Sigmoid:
    case Op::Relu:
    case Op::LeakyRelu:
    case Op::HardSigmoid:
    case Op::HardSwish:
    case Op::Not:
    case Op::Identity:
    case Op::Cast:
    case Op::Clip:
      return true;
    default:  // NOLINT: the others read several operands, or elements at other places
      return false;
  }
}

}  // namespace fuselane
