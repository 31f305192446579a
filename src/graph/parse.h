// The inverse of print(). Errors: invalid-text with line and column. What is parsed is well formed (names
// defined before use, kinds of attributes); call verify() for the rest.
#pragma once

#include <string_view>

#include "graph/graph.h"

namespace fuselane {

Result<Graph> parse_graph(std::string_view text);

}  // namespace fuselane
