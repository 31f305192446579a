// From a model as it is written to the graph: names are resolved through the scopes of subgraphs, nodes are
// put in order, rewritten to the graph's operators and given the types that the shape rules derive.
//
// Values of the main graph keep their names; values of subgraphs and those that rewrites make get a suffix
// where their name is taken. Constants enter the graph when something reads them.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"
#include "import/onnx/model.h"

namespace fuselane {

class GraphBuilder {
 public:
  // The model has a graph, and check_operators() found nothing.
  GraphBuilder(const ModelDef& model, WireWindow& window, Graph& graph)
      : model_(model), window_(window), graph_(graph) {}

  Status run();

  // What rewrites use.
  Graph& graph() { return graph_; }
  WireWindow& window() { return window_; }
  std::string fresh_name(std::string_view base);
  // The value a node of the innermost scope computes under this name; none when the name is empty.
  Result<ValueId> define_output(const std::string& name);
  // Places the node and gives its results their types: derived ones, completed where the model says more.
  Status append(BlockId block, Node node, const NodeDef& def);

 private:
  // What a name stands for. Constants have no value until they are read.
  struct Slot {
    ValueId value{};
    const TensorDef* tensor = nullptr;
    const NodeDef* constant = nullptr;
  };
  struct Scope {
    std::unordered_map<std::string_view, Slot> slots;
    std::unordered_map<std::string_view, const TypeDef*> declared;
  };

  Status define(std::string_view name, Slot slot);
  Result<ValueId> resolve(std::string_view name);  // none when nothing defines it
  Result<ValueId> add_constant(std::string_view name, size_t depth, const Slot& slot);

  void reserve_names(const GraphDef& graph);
  Status build_graph(const GraphDef& graph, BlockId block);
  Status add_inputs(const GraphDef& graph, BlockId block);
  Status add_outputs(const GraphDef& graph, BlockId block);
  Status check_declared(const ValueInfoDef& output, ValueId value);
  Status build_node(const NodeDef& node, BlockId block);
  Status build_if(const NodeDef& node, BlockId block, std::vector<ValueId> inputs);

  // Nothing when the declaration says nothing that can be used.
  std::optional<ValueType> type_of(const TypeDef& declared);
  void complete(ValueType& derived, const TypeDef& declared);

  const ModelDef& model_;
  WireWindow& window_;
  Graph& graph_;
  int64_t opset_ = 0;
  std::vector<Scope> scopes_;
  std::unordered_set<std::string_view> reserved_;  // names of the main graph
  std::unordered_map<std::string, int> suffixes_;
  std::vector<const TypeDef*> declared_;  // by value; null when the model does not say
};

// build_constant.cc: the value of a Constant node.
Result<Constant> constant_of_node(const NodeDef& node, WireWindow& window);

}  // namespace fuselane
