// Small questions that passes ask of a graph.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace fuselane {

// All nodes in an order in which every operand is computed before it is read and a node's blocks before the
// node.
std::vector<NodeId> nodes_in_order(const Graph& graph);

// The node that computes the value, when it is of this operator; null otherwise.
const Node* made_by(const Graph& graph, ValueId value, Op op);

// Operand i; none where it is absent.
inline ValueId input_of(const Node& node, size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : ValueId();
}

// Operators that compute each element of their result from the element of operand 0 at the same place and
// from numbers: the result has its shape, and the element's place does not matter.
bool is_elementwise_of_one(Op op);

// The one number that all elements are, where they are in memory; nothing for NaN and for no elements.
std::optional<double> uniform_number(const Graph& graph, ValueId value);

// The number that operand k of a node of two operands is, where it is one and the result has the other
// operand's shape, though not all of that may be known.
std::optional<double> number_beside(const Graph& graph, const Node& node, size_t k);

// Whether the dimensions are certain to be the same.
bool same_dims(const std::optional<DimVector>& a, const std::optional<DimVector>& b);

// The bytes of a value whose dimensions are known; nothing otherwise.
std::optional<int64_t> bytes_of(const ValueType& type);

}  // namespace fuselane
