#include "optimize/folds.h"

#include <algorithm>

#include "graph/patch.h"
#include "graph/uses.h"

namespace fuselane {

bool Folds::is_folded(NodeId node) const {
  return std::ranges::all_of(graph_[node].outputs,
                             [&](ValueId output) { return !output || tensors_[output.index]; });
}

Result<size_t> Folds::apply(Graph& graph, std::string_view rule) && {
  if (graph.main().nodes.empty()) return 0;
  Uses uses(graph);
  Patch patch(graph, rule, graph.main().nodes[0]);
  size_t count = 0;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i]) continue;
    bool stays = std::ranges::any_of(uses.of(ValueId(i)),
                                     [&](const Use& use) { return !use.node || !is_folded(use.node); });
    if (!stays) continue;
    patch.replace(ValueId(i), patch.add_constant(std::move(*tensors_[i])));
    ++count;
  }
  if (count > 0) TRY(std::move(patch).apply(graph));
  return count;
}

}  // namespace fuselane
