// What Shape's attributes say, for passes too.
#pragma once

#include <utility>

#include "graph/node.h"

namespace fuselane {

// The dimensions [first, last) that start and end of a Shape choose, clamped to the rank.
std::pair<int64_t, int64_t> chosen_dims(const Node& node, int64_t rank);

}  // namespace fuselane
