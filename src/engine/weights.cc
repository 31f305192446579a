#include "engine/weights.h"

namespace fuselane {

Result<Weights> Weights::read(const Graph& graph, Sources sources) {
  std::vector<bool> needed(graph.value_count());
  auto need = [&](ValueId id) {
    if (id) needed[id.index] = true;
  };
  for (size_t b = 0; b < graph.block_count(); ++b) {
    const Block& block = graph[BlockId(b)];
    for (NodeId node : block.nodes) {
      for (ValueId input : graph[node].inputs) need(input);
    }
    for (ValueId output : block.outputs) need(output);
  }
  Weights weights;
  weights.tensors_.resize(graph.constant_count());
  for (size_t v = 0; v < graph.value_count(); ++v) {
    const Constant* constant = graph.constant_of(ValueId(v));
    if (!constant || !needed[v]) continue;
    auto& slot = weights.tensors_[graph[ValueId(v)].constant.index];
    if (constant->data) {
      slot = constant->data;
    } else {
      auto tensor = read_constant(*constant, sources);
      if (!tensor) {
        Error error = std::move(tensor.error());
        error.subject = graph[ValueId(v)].name;
        error.message = cat("constant '", graph[ValueId(v)].name, "': ", error.message);
        return std::unexpected(std::move(error));
      }
      slot = std::make_shared<const Tensor>(*std::move(tensor));
    }
    weights.bytes_ += static_cast<int64_t>(slot->bytes().size());
  }
  return weights;
}

}  // namespace fuselane
