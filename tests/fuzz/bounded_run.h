// Running graphs that nobody has vetted: inputs made up for any declaration, and a budget.
#pragma once

#include <optional>
#include <vector>

#include "graph/interpret.h"

namespace fuselane {

// A tensor for every input of the graph, with 2 for each extent that is not known; zeros or random numbers,
// by `seed`. Nothing when an input is no tensor of numbers, or large.
std::optional<std::vector<Tensor>> feeds_for(const Graph& graph, uint64_t seed);

// Whether the graph runs to its end or to an error without a large tensor or a long loop in between.
bool runs_within_budget(const Graph& graph, Sources sources, const std::vector<Tensor>& feeds);

}  // namespace fuselane
