// Builds the graph again from what its results need: nodes of which no result is read go, results that nobody
// wants lose their id, an If gives only what is read of it, and constants and values that nothing refers to
// leave the tables, and with them the memory.
//
// Legal since no operator does anything but compute its results. Inputs stay, read or not: callers feed them.
#include <algorithm>

#include "optimize/passes.h"

namespace fuselane {
namespace {

class Survivors {
 public:
  explicit Survivors(const Graph& graph)
      : graph_(graph), is_read_(graph.value_count()), is_alive_(graph.node_count()) {
    for (ValueId output : graph.main().outputs) read(output);
    visit(graph.main());
  }

  bool is_read(ValueId value) const { return value && is_read_[value.index]; }
  bool is_alive(NodeId node) const { return is_alive_[node.index]; }

 private:
  void read(ValueId value) {
    if (value) is_read_[value.index] = true;
  }

  // From the last node to the first: all who read a node's results have been seen before it.
  void visit(const Block& block) {
    for (size_t i = block.nodes.size(); i-- > 0;) visit(block.nodes[i]);
  }
  void visit(NodeId id) {
    const Node& node = graph_[id];
    if (std::ranges::none_of(node.outputs, [&](ValueId output) { return is_read(output); })) return;
    is_alive_[id.index] = true;
    for (ValueId input : node.inputs) read(input);
    for (BlockId inner : node.blocks) {
      const Block& block = graph_[inner];
      for (size_t i = 0; i < block.outputs.size(); ++i) {
        if (is_read(node.outputs[i])) read(block.outputs[i]);
      }
      visit(block);
    }
  }

  const Graph& graph_;
  std::vector<bool> is_read_;
  std::vector<bool> is_alive_;
};

// The graph again, with those values, nodes and constants alone. Order and names stay; ids do not.
class Rebuild {
 public:
  Rebuild(const Graph& graph, const Survivors& survivors)
      : graph_(graph), survivors_(survivors), new_id_(graph.value_count()) {}

  Graph run() {
    result_.name = graph_.name;
    result_.sources = graph_.sources;
    result_.output_names = graph_.output_names;
    for (const std::string& symbol : graph_.symbols()) result_.symbol(symbol);
    std::vector<bool> keeps = kept_values();
    for (size_t i = 0; i < graph_.value_count(); ++i) {
      if (!keeps[i]) continue;
      const Value& value = graph_[ValueId(i)];
      new_id_[i] = value.constant ? result_.add_constant(value.name, graph_[value.constant])
                                  : result_.add_value(value.name, value.type);
    }
    fill(Graph::kMain, graph_.main(), [](size_t) { return true; });
    return std::move(result_);
  }

  size_t removed() const { return removed_; }

 private:
  std::vector<bool> kept_values() const {
    std::vector<bool> keeps(graph_.value_count());
    for (size_t i = 0; i < keeps.size(); ++i) keeps[i] = survivors_.is_read(ValueId(i));
    for (size_t b = 0; b < graph_.block_count(); ++b) {
      for (ValueId input : graph_[BlockId(b)].inputs) keeps[input.index] = true;
    }
    return keeps;
  }

  ValueId mapped(ValueId value) const { return value ? new_id_[value.index] : ValueId(); }

  template <class Keeps>
  void fill(BlockId to, const Block& from, Keeps keeps) {
    for (ValueId input : from.inputs) result_.at(to).inputs.push_back(mapped(input));
    for (NodeId id : from.nodes) {
      if (survivors_.is_alive(id)) {
        node(to, graph_[id]);
      } else {
        ++removed_;
      }
    }
    for (size_t i = 0; i < from.outputs.size(); ++i) {
      if (keeps(i)) result_.at(to).outputs.push_back(mapped(from.outputs[i]));
    }
  }

  void node(BlockId to, const Node& from) {
    Node copy = from;
    for (ValueId& input : copy.inputs) input = mapped(input);
    for (ValueId& output : copy.outputs) {
      if (output && !survivors_.is_read(output)) ++removed_;
      output = survivors_.is_read(output) ? mapped(output) : ValueId();
    }
    auto keeps = [&](size_t i) { return survivors_.is_read(from.outputs[i]); };
    if (!from.blocks.empty()) std::erase(copy.outputs, ValueId());
    for (BlockId& block : copy.blocks) {
      BlockId fresh = result_.add_block();
      fill(fresh, graph_[block], keeps);
      block = fresh;
    }
    result_.append(to, std::move(copy));
  }

  const Graph& graph_;
  const Survivors& survivors_;
  std::vector<ValueId> new_id_;
  Graph result_;
  size_t removed_ = 0;
};

}  // namespace

Result<size_t> remove_dead(Graph& graph, PassContext&) {
  Survivors survivors(graph);
  Rebuild rebuild(graph, survivors);
  graph = rebuild.run();
  return rebuild.removed();
}

}  // namespace fuselane
