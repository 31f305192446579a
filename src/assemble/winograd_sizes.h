// Which convolutions of a graph may be computed by Winograd's filtering (library/winograd.h), by what their
// weights become: 4 times as many for tiles of 4 x 4 results, 16/9 for 2 x 2.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace fuselane {

// By NodeId the size of tiles, 4 or 2; 0 for nodes that may not. Together their packed weights take at most
// as much more as all constants of the graph: those with the fewest weights come first, which are used for
// the most results each in networks that halve resolutions and double channels.
std::vector<uint8_t> winograd_sizes(const Graph& graph);

}  // namespace fuselane
