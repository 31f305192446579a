#include "graph/interpret.h"

#include "graph/ops.h"
#include "graph/print.h"
#include "graph/verify.h"

namespace fuselane {
namespace {

using Shared = std::shared_ptr<const Tensor>;

class Interpreter {
 public:
  Interpreter(const Graph& graph, Sources sources, const Observer& observer)
      : graph_(graph), sources_(sources), observer_(observer), values_(graph.value_count()) {}

  Result<std::vector<Tensor>> run(std::vector<Tensor> feeds) {
    const Block& main = graph_.main();
    if (feeds.size() != main.inputs.size()) {
      return fail(ErrorCode::InvalidInput,
                  cat("the model takes ", main.inputs.size(), " inputs, not ", feeds.size()));
    }
    for (size_t i = 0; i < feeds.size(); ++i) {
      const Value& input = graph_[main.inputs[i]];
      if (!fits(input.type, tensor_type(feeds[i].dtype(), symbolic(feeds[i].dims())))) {
        return fail_about(ErrorCode::InvalidInput, input.name,
                          cat("input '", input.name, "' must be ", print(graph_, input.type), ", not ",
                              text_of(feeds[i].dtype(), feeds[i].dims())));
      }
      bind(main.inputs[i], std::make_shared<const Tensor>(std::move(feeds[i])));
    }
    TRY(block(main));
    std::vector<Tensor> results;
    for (ValueId output : main.outputs) {
      Shared value = TRY(get(output));
      Tensor copy = TRY(Tensor::copy_of(value->view()));
      copy.strings() = value->strings();
      results.push_back(std::move(copy));
    }
    return results;
  }

 private:
  void bind(ValueId id, Shared value) {
    if (observer_) observer_(id, *value);
    values_[id.index] = std::move(value);
  }

  Result<Shared> get(ValueId id) {
    Shared& slot = values_[id.index];
    if (slot) return slot;
    const Constant* constant = graph_.constant_of(id);
    if (!constant)
      return fail(ErrorCode::InternalError, cat("'", graph_[id].name, "' is read before it is computed"));
    slot = constant->data ? constant->data
                          : std::make_shared<const Tensor>(TRY(read_constant(*constant, sources_)));
    return slot;
  }

  Status block(const Block& block) {
    for (NodeId id : block.nodes) TRY(node(graph_[id]));
    return {};
  }

  Status node(const Node& node) {
    if (!node.blocks.empty()) return branch(node);
    std::vector<Shared> held;
    std::vector<const Tensor*> inputs;
    for (ValueId input : node.inputs) {
      held.push_back(input ? TRY(get(input)) : nullptr);
      inputs.push_back(held.back().get());
    }
    std::vector<Tensor> results = TRY(evaluate(node, inputs));
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i]) bind(node.outputs[i], std::make_shared<const Tensor>(std::move(results[i])));
    }
    return {};
  }

  Status branch(const Node& node) {
    Shared condition = TRY(get(node.inputs[0]));
    if (condition->count() != 1) {
      return fail(ErrorCode::InvalidData, cat(describe(node), ": its condition must be one element"));
    }
    const Block& taken = graph_[node.blocks[condition->integer(0) != 0 ? 0 : 1]];
    TRY(block(taken));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i]) bind(node.outputs[i], TRY(get(taken.outputs[i])));
    }
    return {};
  }

  const Graph& graph_;
  Sources sources_;
  const Observer& observer_;
  std::vector<Shared> values_;
};

}  // namespace

Result<std::vector<Tensor>> evaluate(const Node& node, std::span<const Tensor* const> inputs) {
  std::vector<Operand> operands(inputs.size());
  std::vector<TensorView> input_views(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    input_views[i] = inputs[i]->view();
    operands[i] = {.present = true,
                   .type = tensor_type(inputs[i]->dtype(), symbolic(inputs[i]->dims())),
                   .value = inputs[i]};
  }
  std::vector<ValueType> types = TRY(infer(node, operands, {}));
  std::vector<Tensor> results(types.size());
  std::vector<TensorView> result_views(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    if (!node.outputs[i]) continue;
    auto dims = types[i].dims ? concrete(*types[i].dims) : std::nullopt;
    if (!dims)
      return fail(ErrorCode::InternalError,
                  cat(describe(node), ": the shape of result ", i, " is not known"));
    results[i] = TRY(Tensor::allocate(types[i].dtype, *std::move(dims)));
    result_views[i] = results[i].view();
  }
  TRY(run_reference({.node = node, .inputs = input_views, .outputs = result_views}));
  return results;
}

Result<std::vector<Tensor>> interpret(const Graph& graph, Sources sources, std::vector<Tensor> feeds,
                                      const Observer& observer) {
  return Interpreter(graph, sources, observer).run(std::move(feeds));
}

}  // namespace fuselane
