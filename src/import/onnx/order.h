// In which order the nodes of a graph can be built.
#pragma once

#include <vector>

#include "base/result.h"
#include "import/onnx/model.h"

namespace fuselane {

// Indices of graph.nodes such that every node comes after those it reads from, its subgraphs' reads included.
// ONNX asks for files in such an order, and what is in order stays as it is; other files are sorted. Errors,
// invalid-model: a value computed twice, and nodes that need one another, listed along their cycle.
Result<std::vector<size_t>> order_nodes(const GraphDef& graph);

}  // namespace fuselane
