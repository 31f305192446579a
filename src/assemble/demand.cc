#include "assemble/demand.h"

namespace fuselane {
namespace {

class Walker {
 public:
  Walker(const Graph& graph, Demand& demand) : graph_(graph), demand_(demand), blocks_(graph.node_count()) {}

  // Backwards, so that every reader of a value is seen before its producer.
  void block(BlockId id) {
    const Block& block = graph_[id];
    for (size_t i = block.nodes.size(); i-- > 0;) {
      blocks_[block.nodes[i].index] = id;
      node(block.nodes[i]);
      // Those in blocks inside have been seen, too.
      for (ValueId output : graph_[block.nodes[i]].outputs) {
        if (!output) continue;
        NodeId& reader = demand_.readers[output.index];
        if (reader && blocks_[reader.index] != id) reader = NodeId();
      }
    }
  }

 private:
  void node(NodeId id) {
    const Node& node = graph_[id];
    bool needed = false;
    for (ValueId output : node.outputs) needed = needed || (output && demand_.uses[output.index] > 0);
    if (!needed) return;
    demand_.nodes[id.index] = true;
    for (ValueId input : node.inputs) use(input, id);
    for (BlockId inner : node.blocks) {
      const Block& body = graph_[inner];
      for (size_t i = 0; i < body.outputs.size(); ++i) {
        if (node.outputs[i] && demand_.uses[node.outputs[i].index] > 0) use(body.outputs[i], NodeId());
      }
      block(inner);
    }
  }

  void use(ValueId id, NodeId reader) {
    if (!id) return;
    bool is_first = demand_.uses[id.index]++ == 0;
    NodeId& known = demand_.readers[id.index];
    known = is_first || known == reader ? reader : NodeId();
  }

  const Graph& graph_;
  Demand& demand_;
  std::vector<BlockId> blocks_;  // by NodeId
};

}  // namespace

Demand demand_of(const Graph& graph, const std::vector<bool>& wanted) {
  Demand demand{.nodes = std::vector<bool>(graph.node_count()),
                .uses = std::vector<uint32_t>(graph.value_count()),
                .readers = std::vector<NodeId>(graph.value_count())};
  for (size_t i = 0; i < graph.main().outputs.size(); ++i) {
    if (wanted[i]) ++demand.uses[graph.main().outputs[i].index];
  }
  Walker(graph, demand).block(Graph::kMain);
  return demand;
}

}  // namespace fuselane
