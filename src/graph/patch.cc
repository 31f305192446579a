#include "graph/patch.h"

#include <algorithm>

#include "graph/ops.h"
#include "graph/print.h"
#include "graph/uses.h"
#include "graph/verify.h"

namespace fuselane {
namespace {

// Which nodes nobody needs, found from candidates by counting the readings that are left of each value.
class Reaper {
 public:
  // `readings` counts the uses of each value of graph and patch as they will be; `instead` says, of each
  // value, which one the graph's nodes and blocks will read for it.
  Reaper(const Graph& graph, const std::vector<Node>& new_nodes, std::vector<size_t> readings,
         std::vector<ValueId> instead)
      : graph_(graph),
        new_nodes_(new_nodes),
        readings_(std::move(readings)),
        instead_(std::move(instead)),
        dead_(graph.node_count() + new_nodes.size()) {}

  void consider(NodeId candidate) {
    std::vector<NodeId> pending{candidate};
    while (!pending.empty()) {
      NodeId id = pending.back();
      pending.pop_back();
      if (!id || dead_[id.index] || is_read(node(id))) continue;
      bury(id, pending);
    }
  }
  bool is_read(const Node& node) const {
    return std::ranges::any_of(node.outputs,
                               [&](ValueId output) { return output && readings_[output.index] > 0; });
  }
  const Node& node(NodeId id) const {
    return id.index < graph_.node_count() ? graph_[id] : new_nodes_[id.index - graph_.node_count()];
  }
  std::vector<bool> take() { return std::move(dead_); }

 private:
  NodeId producer_of(ValueId value) const {
    if (value.index < graph_.value_count()) return graph_[value].producer;
    for (size_t i = 0; i < new_nodes_.size(); ++i) {
      if (std::ranges::contains(new_nodes_[i].outputs, value)) return NodeId(graph_.node_count() + i);
    }
    return NodeId();
  }

  // The node and all in its blocks; whatever they read is read once less.
  void bury(NodeId id, std::vector<NodeId>& pending) {
    bool is_new = id.index >= graph_.node_count();
    dead_[id.index] = true;
    for (ValueId input : node(id).inputs) {
      if (input) release(is_new ? input : instead_[input.index], pending);
    }
    for (BlockId inner : node(id).blocks) {
      for (NodeId inside : graph_[inner].nodes) {
        if (!dead_[inside.index]) bury(inside, pending);
      }
      for (ValueId output : graph_[inner].outputs) release(instead_[output.index], pending);
    }
  }

  void release(ValueId value, std::vector<NodeId>& pending) {
    if (--readings_[value.index] == 0) pending.push_back(producer_of(value));
  }

  const Graph& graph_;
  const std::vector<Node>& new_nodes_;
  std::vector<size_t> readings_;
  std::vector<ValueId> instead_;
  std::vector<bool> dead_;
};

}  // namespace

Patch::Patch(const Graph& graph, std::string_view rule, NodeId before)
    : graph_(graph),
      rule_(rule),
      before_(before),
      first_value_(graph.value_count()),
      first_node_(graph.node_count()) {}

std::unexpected<Error> Patch::refuse(std::string_view sentence) const {
  return fail(ErrorCode::InternalError, cat("rule '", rule_, "': ", sentence));
}

std::string Patch::name_of(ValueId value) const {
  if (!exists(value)) return "a value that does not exist";
  return is_new(value) ? cat("new value ", value.index - first_value_) : cat("'", graph_[value].name, "'");
}

ValueId Patch::add_constant(Tensor tensor) {
  ValueType type = tensor_type(tensor.dtype(), symbolic(tensor.dims()));
  values_.push_back({std::move(type), std::make_shared<const Tensor>(std::move(tensor))});
  return ValueId(first_value_ + values_.size() - 1);
}

Result<ValueId> Patch::add_node(Op op, std::vector<ValueId> inputs, Attributes attributes) {
  return TRY(add_node(op, std::move(inputs), std::move(attributes), {true}))[0];
}

Result<std::vector<ValueId>> Patch::add_node(Op op, std::vector<ValueId> inputs, Attributes attributes,
                                             const std::vector<bool>& wanted) {
  Node node{.op = op,
            .name = {},
            .inputs = std::move(inputs),
            .outputs = {},
            .attributes = std::move(attributes),
            .blocks = {}};
  // Messages and profiles keep naming the model's own node.
  if (before_ && before_.index < first_node_) node.name = graph_[before_].name;
  std::vector<Operand> operands(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    ValueId input = node.inputs[i];
    if (!input) continue;
    if (!exists(input)) return refuse(cat(text_of(op), " reads ", name_of(input)));
    operands[i] = {.present = true, .type = type_of(input), .value = known(input)};
  }
  size_t next = first_value_ + values_.size();
  for (bool want : wanted) node.outputs.push_back(want ? ValueId(next++) : ValueId());
  auto types = infer(node, operands, {});
  if (!types) return refuse(types.error().message);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) values_.push_back({std::move((*types)[i]), nullptr});
  }
  nodes_.push_back(std::move(node));
  return nodes_.back().outputs;
}

void Patch::replace(ValueId old_value, ValueId new_value) { replacements_.push_back({old_value, new_value}); }
void Patch::remove(NodeId node) { removals_.push_back(node); }

const ValueType& Patch::type_of(ValueId value) const {
  return is_new(value) ? values_[value.index - first_value_].type : graph_[value].type;
}
const Tensor* Patch::known(ValueId value) const {
  return is_new(value) ? values_[value.index - first_value_].constant.get() : graph_.known(value);
}

Status Patch::check_nodes(const Uses& uses) const {
  auto place = uses.place_of(before_);
  if (!place) return refuse("the node to put new nodes before is in no block");
  for (const Node& node : nodes_) {
    for (ValueId input : node.inputs) {
      if (!input || is_new(input) || uses.is_defined_at(input, *place)) continue;
      return refuse(cat(text_of(node.op), " reads ", name_of(input), ", which is not defined there"));
    }
  }
  return {};
}

// Legal where every use that stays can read the new value instead, and finds there what the old type
// promised.
Status Patch::check_replacement(const Uses& uses, const Replacement& replacement,
                                const std::vector<bool>& dead) const {
  auto [old_value, new_value] = replacement;
  const ValueType& type = type_of(new_value);
  if (!fits(graph_[old_value].type, type)) {
    return refuse(cat("replaces ", name_of(old_value), ", which is ", print(graph_, graph_[old_value].type),
                      ", by ", print(graph_, type)));
  }
  bool everywhere = is_new(new_value) && values_[new_value.index - first_value_].constant;
  Place defined = *uses.place_of(before_);
  for (const Use& use : uses.of(old_value)) {
    NodeId reader = use.node ? use.node : graph_[use.place.block].owner;
    if (everywhere || (reader && dead[reader.index])) continue;
    auto position = uses.position_within(defined.block, use.place);
    bool readable = is_new(new_value) ? position && *position >= defined.position
                                      : uses.is_defined_at(new_value, use.place);
    if (readable) continue;
    return refuse(cat("replaces ", name_of(old_value), " by ", name_of(new_value), ", which ",
                      use.node ? describe(graph_[use.node]) : "a block's result", " cannot read"));
  }
  return {};
}

// Of the nodes of the graph and then of the patch: which ones go.
Result<std::vector<bool>> Patch::dead_nodes(const Uses& uses) const {
  std::vector<size_t> readings(first_value_ + values_.size());
  std::vector<ValueId> instead(readings.size());
  for (size_t i = 0; i < first_value_; ++i) {
    readings[i] = uses.of(ValueId(i)).size();
    instead[i] = ValueId(i);
  }
  for (auto [old_value, new_value] : replacements_) {
    readings[new_value.index] += std::exchange(readings[old_value.index], 0);
    instead[old_value.index] = new_value;
  }
  for (const Node& node : nodes_) {
    for (ValueId input : node.inputs) {
      if (input) ++readings[input.index];
    }
  }
  Reaper reaper(graph_, nodes_, std::move(readings), std::move(instead));
  for (size_t i = nodes_.size(); i-- > 0;) reaper.consider(NodeId(first_node_ + i));
  for (auto [old_value, new_value] : replacements_) reaper.consider(graph_[old_value].producer);
  for (NodeId node : removals_) {
    if (!uses.place_of(node)) return refuse("removes a node that is in no block");
    reaper.consider(node);
  }
  for (NodeId node : removals_) {
    if (reaper.is_read(graph_[node]))
      return refuse(cat("removes ", describe(graph_[node]), ", which is still read"));
  }
  return reaper.take();
}

// In the order of their ids, which makes those the ones that the graph gives.
void Patch::add_values(Graph& graph) const {
  std::vector<ValueId> stands_for(values_.size());
  for (auto [old_value, new_value] : replacements_) {
    if (is_new(new_value) && !stands_for[new_value.index - first_value_]) {
      stands_for[new_value.index - first_value_] = old_value;
    }
  }
  std::string base = replacements_.empty() ? rule_ : graph[replacements_[0].old_value].name;
  for (size_t i = 0; i < values_.size(); ++i) {
    std::string name = graph.fresh_name(stands_for[i] ? graph[stands_for[i]].name : base);
    const NewValue& value = values_[i];
    if (value.constant) {
      graph.add_constant(
          std::move(name),
          Constant{.dtype = value.constant->dtype(), .dims = value.constant->dims(), .data = value.constant});
    } else {
      graph.add_value(std::move(name), value.type);
    }
  }
}

// The values are equal, so that what was known of one holds of the other. Inputs keep the type that callers
// know.
void Patch::refine_type(Graph& graph, const Replacement& replacement) const {
  Value& value = graph.at(replacement.new_value);
  if (value.producer) value.type = refined(value.type, graph[replacement.old_value].type);
}

Status Patch::apply(Graph& graph) && {
  if (&graph != &graph_ || graph.value_count() != first_value_ || graph.node_count() != first_node_) {
    return refuse("the graph is not the one that the patch was made for");
  }
  std::vector<bool> replaced(first_value_ + values_.size());
  for (auto [old_value, new_value] : replacements_) {
    if (!exists(old_value) || is_new(old_value)) return refuse(cat("replaces ", name_of(old_value)));
    if (!exists(new_value)) return refuse(cat("replaces by ", name_of(new_value)));
    if (replaced[old_value.index]) return refuse(cat("replaces ", name_of(old_value), " twice"));
    replaced[old_value.index] = true;
  }
  for (auto [old_value, new_value] : replacements_) {
    if (replaced[new_value.index])
      return refuse(cat("replaces by ", name_of(new_value), ", which it replaces too"));
  }
  Uses uses(graph);
  TRY(check_nodes(uses));
  std::vector<bool> dead = TRY(dead_nodes(uses));
  for (const Replacement& replacement : replacements_) TRY(check_replacement(uses, replacement, dead));

  Place place = *uses.place_of(before_);
  add_values(graph);
  std::vector<NodeId> inserted;
  for (Node& node : nodes_) {
    NodeId id = graph.add_node(std::move(node));
    if (!dead[id.index]) inserted.push_back(id);
  }
  for (const Replacement& replacement : replacements_) {
    for (const Use& use : uses.of(replacement.old_value)) {
      auto& list = use.node ? graph.at(use.node).inputs : graph.at(use.place.block).outputs;
      list[use.index] = replacement.new_value;
    }
    refine_type(graph, replacement);
  }
  auto& nodes = graph.at(place.block).nodes;
  nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(place.position), inserted.begin(), inserted.end());
  for (size_t i = 0; i < graph.block_count(); ++i) {
    std::erase_if(graph.at(BlockId(i)).nodes, [&](NodeId id) { return dead[id.index]; });
  }
  return {};
}

}  // namespace fuselane
