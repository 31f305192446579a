#include "assemble/trace.h"

#include <algorithm>

#include "graph/ops.h"

namespace fuselane {
namespace {

// A shape may depend on operands of at most this many elements.
constexpr int64_t kMostAsked = 4096;

// Results that depend on the operands' shapes alone.
bool needs_only_types(Op op) { return op == Op::Shape || op == Op::Size; }

std::unexpected<Error> fail_at_node(const Node& node, ErrorCode code, std::string_view sentence) {
  auto failure = fail(code, cat(describe(node), ": ", sentence));
  failure.error().node = node.name;
  return failure;
}

bool can_fold(Facts& facts, const Node& node, const std::vector<ValueType>& types) {
  int64_t elements = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!node.outputs[i]) continue;
    auto dims = types[i].dims ? concrete(*types[i].dims) : std::nullopt;
    if (!dims) return false;
    elements += element_count(*dims).value_or(Facts::kMostFolded + 1);
  }
  if (elements > Facts::kMostFolded) return false;
  if (needs_only_types(node.op)) return true;
  return std::ranges::all_of(node.inputs, [&](ValueId input) { return !input || facts.known(input); });
}

Status fold(Facts& facts, const Node& node, const std::vector<ValueType>& types) {
  std::vector<TensorView> inputs(node.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!node.inputs[i]) continue;
    const Fact& fact = facts[node.inputs[i]];
    // An operand of which only the shape matters may have no elements at hand.
    inputs[i] = {fact.dtype, fact.dims, fact.known ? fact.known->view().data : nullptr,
                 element_count(fact.dims).value_or(0), true};
  }
  std::vector<Tensor> results(types.size());
  std::vector<TensorView> outputs(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    if (!node.outputs[i]) continue;
    results[i] = TRY(Tensor::allocate(types[i].dtype, *concrete(*types[i].dims)));
    outputs[i] = results[i].view();
  }
  TRY(run_reference({.node = node, .inputs = inputs, .outputs = outputs}));
  for (size_t i = 0; i < types.size(); ++i) {
    if (!node.outputs[i]) continue;
    Dims dims = results[i].dims();
    facts.define(node.outputs[i], results[i].dtype(), std::move(dims),
                 std::make_shared<const Tensor>(std::move(results[i])));
  }
  return {};
}

}  // namespace

Result<Trace> Tracer::next(Facts& facts, std::vector<std::shared_ptr<const Tensor>> values) {
  for (size_t i = 0; i < asked_.size() && i < values.size(); ++i)
    facts.learn(asked_[i], std::move(values[i]));
  asked_.clear();
  trace_ = Trace();
  while (true) {
    const Frame& frame = frames_.back();
    const Block& block = (*graph_)[frame.block];
    if (frame.position == block.nodes.size()) {
      if (frames_.size() == 1) {
        trace_.results = block.outputs;
        break;
      }
      finish_block(facts);
      continue;
    }
    NodeId id = block.nodes[frame.position];
    if (!demand_->nodes[id.index]) {
      ++frames_.back().position;
      continue;
    }
    bool is_branch = !(*graph_)[id].blocks.empty();
    if (TRY(is_branch ? branch(facts, id) : compute(facts, id)) == Progress::NeedsValues) {
      trace_.ending = Ending::Read;
      trace_.results = asked_;
      break;
    }
  }
  return std::move(trace_);
}

Result<Tracer::Progress> Tracer::branch(Facts& facts, NodeId id) {
  const Node& node = (*graph_)[id];
  const Tensor* condition = facts.known(node.inputs[0]);
  if (!condition) {
    asked_.push_back(node.inputs[0]);
    return Progress::NeedsValues;
  }
  if (condition->count() != 1) {
    return fail_at_node(node, ErrorCode::InvalidData, "its condition must be one element");
  }
  BlockId taken = node.blocks[condition->integer(0) != 0 ? 0 : 1];
  trace_.events.push_back({.kind = EventKind::Enter, .node = id, .block = taken});
  frames_.push_back({taken});
  return Progress::Stepped;
}

// The branch on top has run: its results become those of the node that owns it.
void Tracer::finish_block(Facts& facts) {
  BlockId id = frames_.back().block;
  const Block& block = (*graph_)[id];
  const Node& owner = (*graph_)[block.owner];
  for (size_t i = 0; i < block.outputs.size(); ++i) {
    if (is_used(owner.outputs[i])) facts.copy(block.outputs[i], owner.outputs[i]);
  }
  trace_.events.push_back({.kind = EventKind::Leave, .node = block.owner, .block = id});
  frames_.pop_back();
  ++frames_.back().position;
}

Result<Tracer::Progress> Tracer::compute(Facts& facts, NodeId id) {
  const Node& node = (*graph_)[id];
  std::vector<Operand> operands(node.inputs.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!node.inputs[i]) continue;
    const Fact& input = facts[node.inputs[i]];
    operands[i] = {
        .present = true, .type = tensor_type(input.dtype, symbolic(input.dims)), .value = input.known.get()};
  }
  uint64_t missing = 0;
  std::vector<ValueType> types = TRY(infer(node, operands, {}, &missing));
  for (size_t i = 0; i < types.size(); ++i) {
    if (is_used(node.outputs[i]) && !(types[i].dims && concrete(*types[i].dims)))
      return ask_for(facts, node, missing);
  }
  bool is_known = can_fold(facts, node, types);
  if (is_known) {
    TRY(fold(facts, node, types));
  } else {
    for (size_t i = 0; i < types.size(); ++i) {
      auto dims = node.outputs[i] && types[i].dims ? concrete(*types[i].dims) : std::nullopt;
      if (dims) facts.define(node.outputs[i], types[i].dtype, *std::move(dims));
    }
  }
  trace_.events.push_back(
      {.kind = is_known ? EventKind::Fold : EventKind::Compute, .node = id, .block = frames_.back().block});
  ++frames_.back().position;
  return Progress::Stepped;
}

// A result's shape is not known though all shapes are: it depends on operands whose elements are not known
// yet.
Result<Tracer::Progress> Tracer::ask_for(Facts& facts, const Node& node, uint64_t missing) {
  for (size_t i = 0; i < node.inputs.size() && i < 64; ++i) {
    if (!(missing >> i & 1)) continue;
    ValueId input = node.inputs[i];
    bool asked = std::ranges::find(asked_, input) != asked_.end();
    if (!asked && element_count(facts[input].dims).value_or(kMostAsked + 1) <= kMostAsked)
      asked_.push_back(input);
  }
  if (!asked_.empty()) return Progress::NeedsValues;
  return fail_at_node(node, ErrorCode::UnsupportedModel, "the shape of its result cannot be known");
}

}  // namespace fuselane
