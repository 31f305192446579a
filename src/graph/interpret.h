// The reference interpreter: runs a graph node by node with the operators' references, one tensor at a time,
// nothing shared or reused. The oracle of the tests, and the constant folder's tool.
#pragma once

#include <functional>
#include <vector>

#include "graph/constants.h"
#include "graph/graph.h"

namespace fuselane {

// Applies one node without blocks to operands in memory (null = absent); derives the result types from
// exactly these. Results nobody wants come back empty. Errors: those of the shape rule and of the reference,
// naming the node.
Result<std::vector<Tensor>> evaluate(const Node& node, std::span<const Tensor* const> inputs);

// Sees every value as it is computed, the operands' owners included.
using Observer = std::function<void(ValueId, const Tensor&)>;

// `feeds` in the order of the main block's inputs. Errors: invalid-input for a feed that does not fit its
// declared type, and those of evaluate().
Result<std::vector<Tensor>> interpret(const Graph& graph, Sources sources, std::vector<Tensor> feeds,
                                      const Observer& observer = {});

}  // namespace fuselane
