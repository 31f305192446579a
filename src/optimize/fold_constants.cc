// Nodes that read nothing but constants are computed now, by the reference, which is what they mean.
//
// Bounded in three ways (FoldLimits): the size of operands and results, the work of all folds together, and
// growth: a result that is larger than its operands together and not small stays a node, since keeping it
// costs more than making it. A node that fails stays, to fail when it is run, if it is ever run.
#include <algorithm>

#include "graph/interpret.h"
#include "graph/uses.h"
#include "optimize/folds.h"
#include "optimize/nodes.h"
#include "optimize/passes.h"

namespace fuselane {
namespace {

// How many elements of its operands a node reads for one element of its result, at most.
int64_t reads_per_element(const Graph& graph, const Node& node) {
  auto count = [&](size_t i) -> int64_t {
    ValueId input = input_of(node, i);
    auto dims = input && graph[input].type.dims ? concrete(*graph[input].type.dims) : std::nullopt;
    return dims ? element_count(*dims).value_or(0) : 0;
  };
  auto largest_extent = [&](size_t i) {
    int64_t largest = 1;
    const auto& dims = graph[node.inputs[i]].type.dims;
    for (const Dim& dim : dims.value_or(DimVector())) largest = std::max(largest, dim.extent);
    return largest;
  };
  switch (node.op) {
    case Op::MatMul:
    case Op::Gemm:
      return largest_extent(0);
    case Op::Conv:
    case Op::ConvTranspose:
    case Op::LSTM:
    case Op::GRU:
      return std::max<int64_t>(count(1), 1);
    default:  // NOLINT: of all other operators the operands are read about once
      return 1;
  }
}

class Folder {
 public:
  Folder(const Graph& graph, PassContext& context)
      : graph_(graph), context_(context), uses_(graph), folds_(graph), read_(graph.value_count()) {}

  Status run() {
    for (NodeId id : nodes_in_order(graph_)) {
      if (!is_candidate(graph_[id])) continue;
      TRY(fold(graph_[id]));
    }
    return {};
  }
  Folds take() { return std::move(folds_); }

 private:
  bool is_constant(ValueId value) const { return folds_.find(value) || graph_[value].constant; }

  bool is_candidate(const Node& node) const {
    if (!node.blocks.empty()) return false;
    if (!std::ranges::all_of(node.inputs, [&](ValueId v) { return !v || is_constant(v); })) return false;
    // The first round has done what it could; a result nobody reads is not worth computing.
    return std::ranges::any_of(node.outputs, [&](ValueId v) { return v && !uses_.of(v).empty(); });
  }

  // The results' types, as far as constants in memory say.
  Result<std::vector<ValueType>> result_types(const Node& node) const {
    std::vector<Operand> operands(node.inputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      ValueId input = node.inputs[i];
      if (!input) continue;
      const Tensor* tensor = value_of(input);
      operands[i] = {
          .present = true,
          .type = tensor ? tensor_type(tensor->dtype(), symbolic(tensor->dims())) : graph_[input].type,
          .value = tensor};
    }
    return infer(node, operands, {});
  }

  const Tensor* value_of(ValueId value) const {
    const Tensor* tensor = folds_.find(value);
    return tensor ? tensor : read_[value.index].get();
  }
  int64_t bytes_of_operand(ValueId value) const {
    const Tensor* tensor = value_of(value);
    if (tensor) return static_cast<int64_t>(tensor->bytes().size());
    return bytes_of(graph_[value].type).value_or(0);
  }

  // Whether folding the node costs no more than the limits allow, and by how much work.
  std::optional<int64_t> work_within_limits(const Node& node, const std::vector<ValueType>& types) const {
    const FoldLimits& limits = context_.limits;
    int64_t operands = 0;
    bool others_read = false;
    for (ValueId input : node.inputs) {
      if (!input) continue;
      int64_t bytes = bytes_of_operand(input);
      if (bytes > limits.value_bytes) return std::nullopt;
      operands += bytes;
      others_read = others_read || (bytes > limits.grown_bytes && uses_.of(input).size() > 1);
    }
    int64_t results = 0;
    int64_t elements = 0;
    for (size_t i = 0; i < types.size(); ++i) {
      if (!node.outputs[i]) continue;
      auto bytes = bytes_of(types[i]);
      if (!bytes || *bytes > limits.value_bytes) return std::nullopt;
      results += *bytes;
      elements += *element_count(*concrete(*types[i].dims));
    }
    // A large operand that others read stays in memory anyway, so that all of the result is growth.
    if (results > limits.grown_bytes && (others_read || results > operands)) return std::nullopt;
    int64_t reads = reads_per_element(graph_, node);
    // A reduction reads all of its operand, whatever is left of it.
    int64_t work = std::max(elements, operands / 8);
    if (work > 0 && reads > limits.work / work) return std::nullopt;
    return work * reads;
  }

  // Whether all operands are at hand; those in the model's files are read.
  Result<bool> read_operands(const Node& node) {
    for (ValueId input : node.inputs) {
      if (!input || value_of(input)) continue;
      const Constant& constant = *graph_.constant_of(input);
      if (constant.source >= context_.sources.size() || !context_.sources[constant.source]) return false;
      read_[input.index] = std::make_unique<Tensor>(TRY(read_constant(constant, context_.sources)));
    }
    return true;
  }

  Status fold(const Node& node) {
    auto types = result_types(node);
    if (!types) return {};
    auto work = work_within_limits(node, *types);
    if (!work || !TRY(read_operands(node))) return {};
    context_.limits.work -= *work;
    std::vector<const Tensor*> operands;
    for (ValueId input : node.inputs) operands.push_back(input ? value_of(input) : nullptr);
    auto results = evaluate(node, operands);
    if (!results) return {};
    for (size_t i = 0; i < results->size(); ++i) {
      if (node.outputs[i]) folds_.add(node.outputs[i], std::move((*results)[i]));
    }
    return {};
  }

  const Graph& graph_;
  PassContext& context_;
  Uses uses_;
  Folds folds_;
  std::vector<std::unique_ptr<Tensor>> read_;  // of each value, once read from its file
};

}  // namespace

Result<size_t> fold_constants(Graph& graph, PassContext& context) {
  Folder folder(graph, context);
  TRY(folder.run());
  return folder.take().apply(graph, "fold_constants");
}

}  // namespace fuselane
