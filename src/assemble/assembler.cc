#include "assemble/assembler.h"

#include <algorithm>

#include "assemble/kernels/planners.h"
#include "graph/ops.h"

namespace fuselane {
namespace {

// Results of at most this many elements are computed while planning when all operands are known: the
// arithmetic on shapes that exporters write, not a network's own.
constexpr int64_t kMostFolded = 4096;
// A shape may depend on operands of at most this many elements.
constexpr int64_t kMostAsked = 4096;

bool is_view(Op op) {
  return op == Op::Identity || op == Op::Reshape || op == Op::Flatten || op == Op::Squeeze ||
         op == Op::Unsqueeze;
}

// Whether a tensor that lies channels last lies so in the other shape too: where only positions are split or
// merged.
bool keeps_channels(const Dims& x, const Dims& y) {
  return x.size() > 2 && y.size() > 2 && x[0] == y[0] && x[1] == y[1];
}

// Results that depend on the operands' shapes alone.
bool needs_only_types(Op op) { return op == Op::Shape || op == Op::Size; }

std::unexpected<Error> fail_at_node(const Node& node, ErrorCode code, std::string_view sentence) {
  auto failure = fail(code, cat(describe(node), ": ", sentence));
  failure.error().node = node.name;
  return failure;
}

}  // namespace

Assembler::Assembler(const Graph& graph, PackStore& packs, const std::vector<Dims>& feed_dims,
                     std::vector<bool> wanted, const AssembleOptions& options)
    : graph_(&graph),
      packs_(&packs),
      options_(options),
      demand_(std::make_shared<const Demand>(demand_of(graph, wanted))),
      wanted_(std::move(wanted)),
      values_(graph.value_count()),
      uses_left_(demand_->uses),
      frames_{{Graph::kMain}} {
  for (size_t i = 0; i < feed_dims.size(); ++i) {
    ValueId id = graph.main().inputs[i];
    define(id, graph[id].type.dtype, feed_dims[i]);
    state(id).places[0] = add_place(Storage::Feed, static_cast<uint32_t>(i), 0, uses_left_[id.index]);
  }
}

// The state of a value that is read: constants enter when they are first met.
Assembler::ValueState& Assembler::resolve(ValueId id) {
  ValueState& value = state(id);
  const Constant* constant = value.defined ? nullptr : graph_->constant_of(id);
  if (!constant) return value;
  define(id, constant->dtype, constant->dims);
  if (constant->data && constant->data->count() <= kMostFolded) {
    value.known = constant->data;
  } else {
    value.places[0] = add_place(Storage::Weight, (*graph_)[id].constant.index, 0, uses_left_[id.index]);
  }
  return value;
}

Result<Segment> Assembler::next(std::vector<Known> values) {
  for (size_t i = 0; i < asked_.size() && i < values.size(); ++i)
    state(asked_[i]).known = std::move(values[i]);
  asked_.clear();
  segment_ = Segment();
  buffer_places_.clear();
  for (ValueState& value : values_) value.buffers[0] = value.buffers[1] = BufferId();
  while (true) {
    const Frame& frame = frames_.back();
    const Block& block = (*graph_)[frame.block];
    if (frame.position == block.nodes.size()) {
      if (frames_.size() == 1) return close(Ending::Return, block.outputs);
      finish_block();
      continue;
    }
    NodeId id = block.nodes[frame.position];
    if (!demand_->nodes[id.index]) {
      ++frames_.back().position;
    } else if (TRY(visit(id)) == Progress::NeedsValues) {
      return close(Ending::Read, asked_);
    }
  }
}

// Takes the node on top of the frames, and moves past it unless values are needed first.
Result<Assembler::Progress> Assembler::visit(NodeId id) {
  return (*graph_)[id].blocks.empty() ? compute(id) : branch(id);
}

Result<Assembler::Progress> Assembler::branch(NodeId id) {
  const Node& node = (*graph_)[id];
  Known condition = known_of(node.inputs[0]);
  if (!condition) {
    asked_.push_back(node.inputs[0]);
    return Progress::NeedsValues;
  }
  if (condition->count() != 1) {
    return fail_at_node(node, ErrorCode::InvalidData, "its condition must be one element");
  }
  size_t taken = condition->integer(0) != 0 ? 0 : 1;
  consume(node.inputs[0]);
  drop_block(node.blocks[1 - taken]);
  frames_.push_back({node.blocks[taken]});
  return Progress::Stepped;
}

// The branch on top has run: its results become those of the node that owns it.
void Assembler::finish_block() {
  const Block& block = (*graph_)[frames_.back().block];
  const Node& owner = (*graph_)[block.owner];
  for (size_t i = 0; i < block.outputs.size(); ++i) {
    ValueId to = owner.outputs[i];
    if (!is_used(to)) continue;
    ValueState from = resolve(block.outputs[i]);
    for_each_place(from, [&](Place& place) { place.uses += uses_left_[to.index]; });
    consume(block.outputs[i]);
    state(to) = std::move(from);
  }
  frames_.pop_back();
  ++frames_.back().position;
}

// The reads of a branch that does not run will not come.
void Assembler::drop_block(BlockId id) {
  const Block& block = (*graph_)[id];
  const Node& owner = (*graph_)[block.owner];
  for (size_t i = 0; i < block.outputs.size(); ++i) {
    if (is_used(owner.outputs[i])) consume(block.outputs[i]);
  }
  for (NodeId node_id : block.nodes) {
    if (!demand_->nodes[node_id.index]) continue;
    consume_inputs((*graph_)[node_id]);
    for (BlockId inner : (*graph_)[node_id].blocks) drop_block(inner);
  }
}

Result<Assembler::Progress> Assembler::compute(NodeId id) {
  const Node& node = (*graph_)[id];
  std::vector<Operand> operands(node.inputs.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!node.inputs[i]) continue;
    const ValueState& input = resolve(node.inputs[i]);
    operands[i] = {
        .present = true, .type = tensor_type(input.dtype, symbolic(input.dims)), .value = input.known.get()};
  }
  uint64_t missing = 0;
  std::vector<ValueType> types = TRY(infer(node, operands, {}, &missing));
  for (size_t i = 0; i < types.size(); ++i) {
    if (is_used(node.outputs[i]) && !(types[i].dims && concrete(*types[i].dims)))
      return ask_for(node, missing);
  }
  if (can_fold(node, types)) {
    TRY(fold(id, types));
    consume_inputs(node);
  } else if (!TRY(wait(id, types))) {
    TRY(place_results(id, types));
  }
  ++frames_.back().position;
  return Progress::Stepped;
}

// A result's shape is not known though all shapes are: it depends on operands whose elements are not known
// yet.
Result<Assembler::Progress> Assembler::ask_for(const Node& node, uint64_t missing) {
  for (size_t i = 0; i < node.inputs.size() && i < 64; ++i) {
    if (!(missing >> i & 1)) continue;
    ValueId input = node.inputs[i];
    bool asked = std::ranges::find(asked_, input) != asked_.end();
    if (!asked && element_count(resolve(input).dims).value_or(kMostAsked + 1) <= kMostAsked)
      asked_.push_back(input);
  }
  if (!asked_.empty()) return Progress::NeedsValues;
  return fail_at_node(node, ErrorCode::UnsupportedModel, "the shape of its result cannot be known");
}

bool Assembler::can_fold(const Node& node, const std::vector<ValueType>& types) {
  int64_t elements = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!node.outputs[i]) continue;
    auto dims = types[i].dims ? concrete(*types[i].dims) : std::nullopt;
    if (!dims) return false;
    elements += element_count(*dims).value_or(kMostFolded + 1);
  }
  if (elements > kMostFolded) return false;
  if (needs_only_types(node.op)) return true;
  return std::ranges::all_of(node.inputs, [&](ValueId input) { return !input || known_of(input); });
}

Status Assembler::fold(NodeId id, const std::vector<ValueType>& types) {
  const Node& node = (*graph_)[id];
  std::vector<TensorView> inputs(node.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!node.inputs[i]) continue;
    const ValueState& value = resolve(node.inputs[i]);
    // An operand of which only the shape matters may have no elements at hand.
    inputs[i] = {value.dtype, value.dims, value.known ? value.known->view().data : nullptr,
                 element_count(value.dims).value_or(0), true};
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
    define(node.outputs[i], results[i].dtype(), results[i].dims());
    state(node.outputs[i]).known = std::make_shared<const Tensor>(std::move(results[i]));
  }
  return {};
}

// The node's results, with what waits for it where there is a kernel for all of them together.
Status Assembler::place_results(NodeId id, const std::vector<ValueType>& types) {
  const Node& node = (*graph_)[id];
  bool is_awaited =
      std::ranges::any_of(node.inputs, [&](ValueId input) { return waiting(input) != nullptr; });
  std::optional<Expression> expression;
  if (is_awaited && is_function_of_elements(node.op)) expression = TRY(expression_of_group(id, types));
  for (size_t i = 0; i < types.size(); ++i) {
    if (is_used(node.outputs[i])) define(node.outputs[i], types[i].dtype, *concrete(*types[i].dims));
  }
  if (expression && TRY(plan_group(*expression, id, types))) return {};
  return plan_alone(id, types);
}

// Results become steps, or other views of memory that is there.
Status Assembler::plan_node(Site& site) {
  scratch_.clear();
  if (is_view(site.node().op) && site.in_memory(0)) {
    bool last = !site.lies(0, Layout::RowMajor) && keeps_channels(site.dims(0), site.result_dims(0));
    Layout layout = last ? Layout::ChannelsLast : Layout::RowMajor;
    site.alias(0, 0, layout, layout);
  } else if (!options_.kernels || !TRY(plan_with_kernels(site))) {
    call_reference(site);
  }
  end_scratch();
  return {};
}

void Assembler::call_reference(Site& site) {
  const Node& node = site.node();
  Step step{
      .node = site.group_.node.index, .group = group_number(site.group_.nodes), .inputs = {}, .outputs = {}};
  for (size_t i = 0; i < node.inputs.size(); ++i)
    step.inputs.push_back(site.has(i) ? site.input(i) : BufferId());
  for (size_t i = 0; i < node.outputs.size(); ++i)
    step.outputs.push_back(site.wants(i) ? site.output(i) : BufferId());
  segment_.steps.push_back(std::move(step));
}

}  // namespace fuselane
