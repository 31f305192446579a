// A change of a graph: constants and nodes are built beside it, values are declared to be replaced, and the
// whole is applied or dropped.
//
// What holds: the new nodes go, in the order in which they were added, right before one node of the graph, so
// that they may read what is defined there. A replaced value is read nowhere afterwards, save by the patch's
// own nodes, which read exactly the operands that they state: replacing y by Relu(y) is not a cycle. Nodes of
// which no result is read any more are taken out, and so are those that only they have read.
//
// A patch refers to the graph as it was when the patch was made: apply it, or drop it, before the next
// change. Errors name the rule; all are internal-error, since a patch that does not fit is a mistake of its
// pass.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace fuselane {

class Uses;  // graph/uses.h

class Patch {
 public:
  // `before` must be a node of a block.
  Patch(const Graph& graph, std::string_view rule, NodeId before);

  // The ids that these return are those that the values have in the graph once the patch is applied.
  ValueId add_constant(Tensor tensor);
  // One result. Errors: those of the shape rule.
  Result<ValueId> add_node(Op op, std::vector<ValueId> inputs, Attributes attributes = {});
  // As many results as `wanted` has elements; one that is not wanted has no id.
  Result<std::vector<ValueId>> add_node(Op op, std::vector<ValueId> inputs, Attributes attributes,
                                        const std::vector<bool>& wanted);

  // Every use of `old_value` is to read `new_value`, which may be of the patch or of the graph.
  void replace(ValueId old_value, ValueId new_value);
  // The node is to go, although it need not be dead by the replacements alone; its results may not be read
  // then.
  void remove(NodeId node);

  // Of a value of the graph or of the patch.
  const ValueType& type_of(ValueId value) const;
  const Tensor* known(ValueId value) const;

  // Changes the graph, or leaves it as it is and says why: the graph is not the one the patch was made for;
  // an operand is not defined where the new nodes go; a replacement has another type, or is not defined at a
  // use; a node to be removed is still read. A new value is named after the value it replaces, and its
  // recorded type keeps what was known of that.
  Status apply(Graph& graph) &&;

 private:
  struct NewValue {
    ValueType type;
    std::shared_ptr<const Tensor> constant;
  };
  struct Replacement {
    ValueId old_value;
    ValueId new_value;
  };

  bool is_new(ValueId value) const { return value.index >= first_value_; }
  bool exists(ValueId value) const { return value && value.index < first_value_ + values_.size(); }
  std::unexpected<Error> refuse(std::string_view sentence) const;
  std::string name_of(ValueId value) const;

  Status check_nodes(const Uses& uses) const;
  Status check_replacement(const Uses& uses, const Replacement& replacement,
                           const std::vector<bool>& dead) const;
  Result<std::vector<bool>> dead_nodes(const Uses& uses) const;
  void add_values(Graph& graph) const;
  void refine_type(Graph& graph, const Replacement& replacement) const;

  const Graph& graph_;
  std::string rule_;
  NodeId before_;
  size_t first_value_;  // values of the patch have this id and the following
  size_t first_node_;
  std::vector<NewValue> values_;
  std::vector<Node> nodes_;
  std::vector<Replacement> replacements_;
  std::vector<NodeId> removals_;
};

}  // namespace fuselane
