#include "tests/fuzz/bounded_run.h"

#include <algorithm>
#include <memory>

#include "base/rng.h"

namespace fuselane {
namespace {

constexpr int64_t kMostElements = 50'000;
// Multiplications of a product, a convolution or a recurrence, estimated from above: about 0.1 s under the
// sanitizers.
constexpr int64_t kMostWork = 20'000'000;

bool is_small(DimsView dims) {
  auto count = element_count(dims);
  return count && *count <= kMostElements;
}

class BoundedRun {
 public:
  BoundedRun(const Graph& graph, Sources sources)
      : graph_(graph), sources_(sources), values_(graph.value_count()) {}

  bool run(const std::vector<Tensor>& feeds) {
    for (size_t i = 0; i < feeds.size(); ++i) {
      auto copy = Tensor::copy_of(feeds[i].view());
      if (!copy) return false;
      bind(graph_.main().inputs[i], std::move(*copy));
    }
    block(graph_.main());
    return within_;
  }

 private:
  using Shared = std::shared_ptr<const Tensor>;

  void bind(ValueId id, Tensor tensor) {
    values_[id.index] = std::make_shared<const Tensor>(std::move(tensor));
  }

  // Null when the value cannot be had: the run ends there, or leaves the budget.
  Shared get(ValueId id) {
    Shared& slot = values_[id.index];
    if (slot) return slot;
    const Constant* constant = graph_.constant_of(id);
    if (!constant) return nullptr;
    if (!is_small(constant->dims)) {
      within_ = false;
      return nullptr;
    }
    auto tensor = read_constant(*constant, sources_);
    if (tensor) bind(id, std::move(*tensor));
    return slot;
  }

  bool block(const Block& block) {
    return std::ranges::all_of(block.nodes, [&](NodeId id) { return node(graph_[id]); });
  }

  // False when the run ends: by an error of the node, or because it leaves the budget.
  bool node(const Node& node) {
    std::vector<Shared> held;
    std::vector<const Tensor*> inputs;
    for (ValueId input : node.inputs) {
      held.push_back(input ? get(input) : nullptr);
      if (input && !held.back()) return false;
      inputs.push_back(held.back().get());
    }
    if (!node.blocks.empty()) return branch(node, *inputs[0]);
    if (!fits(node, inputs)) return false;
    auto results = evaluate(node, inputs);
    if (!results) return false;
    for (size_t i = 0; i < results->size(); ++i) {
      if (node.outputs[i]) bind(node.outputs[i], std::move((*results)[i]));
    }
    return true;
  }

  bool branch(const Node& node, const Tensor& condition) {
    if (condition.count() != 1) return false;
    const Block& taken = graph_[node.blocks[condition.integer(0) != 0 ? 0 : 1]];
    if (!block(taken)) return false;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      Shared value = get(taken.outputs[i]);
      if (!value) return false;
      if (node.outputs[i]) values_[node.outputs[i].index] = value;
    }
    return true;
  }

  bool fits(const Node& node, const std::vector<const Tensor*>& inputs) {
    std::vector<Operand> operands(inputs.size());
    int64_t second = 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i]) continue;
      operands[i] = {true, tensor_type(inputs[i]->dtype(), symbolic(inputs[i]->dims())), inputs[i]};
      if (i > 0) second = std::max(second, inputs[i]->count());
    }
    auto types = infer(node, operands, {});
    if (!types) return false;
    bool elementwise = second <= 1;
    for (const ValueType& type : *types) {
      auto dims = type.dims ? concrete(*type.dims) : std::nullopt;
      if (!dims) continue;
      if (!is_small(*dims) || (!elementwise && *element_count(*dims) > kMostWork / second))
        return within_ = false;
    }
    return true;
  }

  const Graph& graph_;
  Sources sources_;
  std::vector<Shared> values_;
  bool within_ = true;
};

}  // namespace

std::optional<std::vector<Tensor>> feeds_for(const Graph& graph, uint64_t seed) {
  Rng rng(seed);
  bool zeros = rng.below(2) == 0;
  std::vector<Tensor> feeds;
  for (ValueId input : graph.main().inputs) {
    const ValueType& type = graph[input].type;
    if (type.kind != ValueKind::Tensor || !is_number(type.dtype)) return std::nullopt;
    Dims dims = {2};
    if (type.dims) dims.clear();
    for (size_t i = 0; type.dims && i < type.dims->size(); ++i) {
      dims.push_back((*type.dims)[i].known() ? (*type.dims)[i].extent : 2);
    }
    if (!is_small(dims)) return std::nullopt;
    auto tensor = Tensor::allocate(type.dtype, dims);
    if (!tensor) return std::nullopt;
    for (int64_t i = 0; !zeros && i < tensor->count(); ++i) tensor->view().set_number(i, rng.unit() * 4 - 2);
    feeds.push_back(std::move(*tensor));
  }
  return feeds;
}

bool runs_within_budget(const Graph& graph, Sources sources, const std::vector<Tensor>& feeds) {
  return BoundedRun(graph, sources).run(feeds);
}

}  // namespace fuselane
