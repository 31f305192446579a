// One ONNX node while it becomes nodes of the graph: what a rewrite reads (operands, attributes) and writes.
//
// Attributes are taken: each request marks the attribute as understood, and one that nobody took is an error,
// so that nothing a model says is passed over silently.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "import/onnx/model.h"

namespace fuselane {

class GraphBuilder;  // import/onnx/build.h

class NodeImport {
 public:
  NodeImport(GraphBuilder& builder, BlockId block, const NodeDef& node, int64_t opset,
             std::vector<ValueId> operands);

  const NodeDef& def;
  const int64_t opset;          // of the node's domain
  std::vector<ValueId> inputs;  // an id that names nothing is an absent operand; the last one is present

  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  ValueId input(size_t i) const { return i < inputs.size() ? inputs[i] : ValueId(); }
  const ValueType& type(size_t i) const;
  std::optional<int64_t> rank(size_t i) const;
  std::string text_of_type(size_t i) const;  // "f32[8,3,3,3]"
  const Tensor* known(size_t i) const;       // the operand's elements when they are in memory
  size_t output_count() const { return def.outputs.size(); }
  bool wants(size_t i) const { return i < def.outputs.size() && !def.outputs[i].empty(); }

  // Taking attributes. Errors: invalid-model when it is of another kind.
  Result<std::optional<int64_t>> integer(std::string_view name);
  Result<int64_t> integer(std::string_view name, int64_t otherwise);
  Result<std::optional<double>> number(std::string_view name);
  Result<std::optional<std::string>> text(std::string_view name);
  Result<std::optional<std::vector<int64_t>>> integers(std::string_view name);
  Result<std::optional<std::vector<double>>> numbers(std::string_view name);
  Result<const AttributeDef*> tensor(std::string_view name);  // null when left out
  void ignore(std::string_view name);
  // All that are left, as attributes of the graph's operator; `otherwise` holds for those not stated. Error
  // when a required one is missing.
  Result<Attributes> rest(Op op, Attributes otherwise = {});
  // Error when one was not taken.
  Status check_taken() const;

  // A constant of the graph named after the node's first result.
  Result<ValueId> constant(std::string_view suffix, Tensor tensor);
  Result<ValueId> integer_list(std::string_view suffix, std::span<const int64_t> values);
  // The shape of an operand as a list of integers: a constant where all extents are known.
  Result<ValueId> shape_of(size_t i);
  // A node whose only result is named after the first result of this one.
  Result<ValueId> emit(std::string_view suffix, Op op, std::vector<ValueId> operands,
                       Attributes attributes = {});
  // The node that computes all results, or only one of them.
  Status finish(Op op, std::vector<ValueId> operands, Attributes attributes = {});
  Status finish_output(size_t i, Op op, std::vector<ValueId> operands, Attributes attributes = {});

  std::unexpected<Error> refuse(std::string_view sentence) const;       // invalid-model
  std::unexpected<Error> unsupported(std::string_view sentence) const;  // unsupported-model

  GraphBuilder& builder() { return builder_; }

 private:
  const AttributeDef* take(std::string_view name);
  Result<AttrValue> convert(const AttributeDef& attribute, AttrKind kind) const;
  std::string result_name(std::string_view suffix) const;

  GraphBuilder& builder_;
  BlockId block_;
  std::vector<bool> taken_;  // which attributes of def
};

}  // namespace fuselane
