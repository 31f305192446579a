// What of a graph is needed for some of its outputs.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace fuselane {

struct Demand {
  std::vector<bool> nodes;     // by NodeId: whether it is needed, if its block runs
  std::vector<uint32_t> uses;  // by ValueId: reads by needed nodes and as results of blocks and of the model
  // By ValueId: the node that alone reads it, in the block that has it; none where there is no such node.
  std::vector<NodeId> readers;
};

// `wanted` says for each output of the model whether it is asked for.
Demand demand_of(const Graph& graph, const std::vector<bool>& wanted);

}  // namespace fuselane
