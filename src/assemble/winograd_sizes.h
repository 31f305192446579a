// Which convolutions are computed by Winograd's filtering (library/winograd.h), and by tiles of which size:
// of what there is memory for, what takes the least time.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace fuselane {

// In a block: each reads all of the weights, for which fewer would not pay.
inline constexpr uint32_t kLeastTiles = 48;

// A 3x3 convolution of stride 1 that can be computed so.
struct FilteredConv {
  int64_t images;
  int64_t rows, columns;  // of results
  int64_t depth, features;
};

// The size of the tiles, at most `largest`, by which it takes the least time; 0: it is faster direct.
uint32_t winograd_size(const FilteredConv& conv, uint32_t largest);

// By NodeId the largest size that there is memory for, 4 or 2; 0: none, and for nodes that cannot be computed
// so. Weights become 4 times as many for tiles of 4 x 4 results, 16/9 for 2 x 2: all packed weights together
// take at most `memory` times the bytes of the graph's constants. A size of tiles saves time in proportion to
// a layer's results times its weights, so those with the most results come first; among those of which
// nothing or the same is known, those with the fewest weights.
std::vector<uint8_t> winograd_sizes(const Graph& graph, double memory);

}  // namespace fuselane
