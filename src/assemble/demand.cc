#include "assemble/demand.h"

namespace fuselane {
namespace {

class Walker {
 public:
  Walker(const Graph& graph, Demand& demand) : graph_(graph), demand_(demand) {}

  // Backwards, so that every reader of a value is seen before its producer.
  void block(const Block& block) {
    for (size_t i = block.nodes.size(); i-- > 0;) node(block.nodes[i]);
  }

 private:
  void node(NodeId id) {
    const Node& node = graph_[id];
    bool needed = false;
    for (ValueId output : node.outputs) needed = needed || (output && demand_.uses[output.index] > 0);
    if (!needed) return;
    demand_.nodes[id.index] = true;
    for (ValueId input : node.inputs) use(input);
    for (BlockId inner : node.blocks) {
      const Block& body = graph_[inner];
      for (size_t i = 0; i < body.outputs.size(); ++i) {
        if (node.outputs[i] && demand_.uses[node.outputs[i].index] > 0) use(body.outputs[i]);
      }
      block(body);
    }
  }

  void use(ValueId id) {
    if (id) ++demand_.uses[id.index];
  }

  const Graph& graph_;
  Demand& demand_;
};

}  // namespace

Demand demand_of(const Graph& graph, const std::vector<bool>& wanted) {
  Demand demand{std::vector<bool>(graph.node_count()), std::vector<uint32_t>(graph.value_count())};
  for (size_t i = 0; i < graph.main().outputs.size(); ++i) {
    if (wanted[i]) ++demand.uses[graph.main().outputs[i].index];
  }
  Walker(graph, demand).block(graph.main());
  return demand;
}

}  // namespace fuselane
