// Graph to graph: the passes in their order. The graph computes the same results from the same feeds
// afterwards; its inputs and the names of its outputs stay, while values in between come and go.
#pragma once

#include <functional>

#include "optimize/passes.h"

namespace fuselane {

struct OptimizeOptions {
  Sources sources = {};  // of the graph's constants; without them only constants in memory are folded
  PassSet passes = PassSet::all();
  FoldLimits limits = {};
  bool verify = false;  // after each pass; what a pass broke is an internal-error that names it
  // Sees the graph after each run of a pass, also when that changed nothing.
  std::function<void(Pass pass, const Graph& graph)> after_pass = {};
};

// Errors: those of the passes. The graph is then in the state before the pass that failed, or, where
// verifying found the mistake, after it.
Status optimize(Graph& graph, const OptimizeOptions& options = {});

// Reads a list such as "all,-fold_shapes" or "remove_dead,fold_constants", from left to right: a name adds
// the pass, '-' before it takes it out; "all" and "none" start over. Code: invalid-argument.
Result<PassSet> pass_set_of_text(std::string_view text);

}  // namespace fuselane
