// An If whose condition is a constant becomes the nodes of the branch that is taken.
//
// Legal since the branch's nodes read what is in scope at the If, and stand where it stood; what they compute
// is then in scope wherever the If's results were.
#include "optimize/nodes.h"
#include "optimize/passes.h"

namespace fuselane {
namespace {

class BranchFolder {
 public:
  explicit BranchFolder(Graph& graph) : graph_(graph), instead_(graph.value_count()) {
    for (size_t i = 0; i < instead_.size(); ++i) instead_[i] = ValueId(i);
  }

  size_t run() {
    fold(Graph::kMain);
    if (count_ > 0) replace_results();
    return count_;
  }

 private:
  void fold(BlockId block) {
    for (size_t i = 0; i < graph_[block].nodes.size();) {
      NodeId id = graph_[block].nodes[i];
      // Where a branch is taken, its first node, or the one after the If, is next.
      if (graph_[id].op == Op::If && take_branch(block, i)) continue;
      for (BlockId inner : graph_[id].blocks) fold(inner);
      ++i;
    }
  }

  bool take_branch(BlockId block, size_t position) {
    NodeId id = graph_[block].nodes[position];
    const Node& node = graph_[id];
    auto condition = uniform_number(graph_, node.inputs[0]);
    if (!condition) return false;
    BlockId taken = node.blocks[*condition != 0 ? 0 : 1];
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i]) instead_[node.outputs[i].index] = graph_[taken].outputs[i];
    }
    auto& nodes = graph_.at(block).nodes;
    auto& inner = graph_.at(taken).nodes;
    auto place = nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(position));
    nodes.insert(place, inner.begin(), inner.end());
    inner.clear();
    ++count_;
    return true;
  }

  // The result of a branch may be the result of another If.
  void replace(ValueId& value) const {
    while (value && instead_[value.index] != value) value = instead_[value.index];
  }
  void replace_results() {
    for (NodeId id : nodes_in_order(graph_)) {
      for (ValueId& input : graph_.at(id).inputs) replace(input);
    }
    for (size_t i = 0; i < graph_.block_count(); ++i) {
      for (ValueId& output : graph_.at(BlockId(i)).outputs) replace(output);
    }
  }

  Graph& graph_;
  std::vector<ValueId> instead_;  // of each value: the one to read for it
  size_t count_ = 0;
};

}  // namespace

Result<size_t> fold_branches(Graph& graph, PassContext&) { return BranchFolder(graph).run(); }

}  // namespace fuselane
