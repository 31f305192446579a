#include "assemble/assembler.h"

#include <algorithm>

#include "graph/interpret.h"
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

// Results that depend on the operands' shapes alone.
bool needs_only_types(Op op) { return op == Op::Shape || op == Op::Size; }

}  // namespace

Assembler::Assembler(const Graph& graph, const std::vector<Dims>& feed_dims, std::vector<bool> wanted)
    : graph_(&graph),
      demand_(std::make_shared<const Demand>(demand_of(graph, wanted))),
      wanted_(std::move(wanted)),
      values_(graph.value_count()),
      frames_{{Graph::kMain}} {
  for (size_t i = 0; i < feed_dims.size(); ++i) {
    ValueId id = graph.main().inputs[i];
    ValueState& value = state(id);
    value = {.defined = true, .dtype = graph[id].type.dtype, .dims = feed_dims[i], .known = {}, .place = {}};
    value.place = PlaceId(places_.size());
    places_.push_back({.storage = Storage::Feed,
                       .index = static_cast<uint32_t>(i),
                       .uses = demand_->uses[id.index],
                       .life = {}});
  }
}

// The state of a value that is read: constants enter when they are first met.
Assembler::ValueState& Assembler::resolve(ValueId id) {
  ValueState& value = state(id);
  const Constant* constant = value.defined ? nullptr : graph_->constant_of(id);
  if (!constant) return value;
  value = {.defined = true, .dtype = constant->dtype, .dims = constant->dims, .known = {}, .place = {}};
  if (constant->data && constant->data->count() <= kMostFolded) {
    value.known = constant->data;
  } else {
    value.place = PlaceId(places_.size());
    places_.push_back(
        {.storage = Storage::Weight, .index = (*graph_)[id].constant.index, .uses = 0, .life = {}});
  }
  return value;
}

Assembler::Known Assembler::known_of(ValueId id) { return id ? resolve(id).known : nullptr; }

Result<Segment> Assembler::next(std::vector<Known> values) {
  for (size_t i = 0; i < asked_.size() && i < values.size(); ++i)
    state(asked_[i]).known = std::move(values[i]);
  asked_.clear();
  segment_ = Segment();
  buffers_.assign(values_.size(), BufferId());
  buffer_places_.clear();
  while (true) {
    Frame& frame = frames_.back();
    const Block& block = (*graph_)[frame.block];
    if (frame.position == block.nodes.size()) {
      if (frames_.size() == 1) return close(Ending::Return, block.outputs);
      TRY(finish_block());
      continue;
    }
    NodeId id = block.nodes[frame.position];
    if (!demand_->nodes[id.index]) {
      ++frame.position;
    } else if (TRY(visit(id)) == Progress::NeedsValues) {
      return close(Ending::Read, asked_);
    }
  }
}

// Takes the node on top of the frames, and moves past it unless values are needed first.
Result<Assembler::Progress> Assembler::visit(NodeId id) {
  const Node& node = (*graph_)[id];
  return node.blocks.empty() ? compute(id) : branch(id);
}

Result<Assembler::Progress> Assembler::branch(NodeId id) {
  const Node& node = (*graph_)[id];
  Known condition = known_of(node.inputs[0]);
  if (!condition) {
    asked_.push_back(node.inputs[0]);
    return Progress::NeedsValues;
  }
  if (condition->count() != 1) {
    Error error =
        fail(ErrorCode::InvalidData, cat(describe(node), ": its condition must be one element")).error();
    error.node = node.name;
    return std::unexpected(std::move(error));
  }
  size_t taken = condition->integer(0) != 0 ? 0 : 1;
  consume(node.inputs[0]);
  drop_block(node.blocks[1 - taken]);
  frames_.push_back({node.blocks[taken]});
  return Progress::Stepped;
}

// The branch on top has run: its results become those of the node that owns it.
Status Assembler::finish_block() {
  const Block& block = (*graph_)[frames_.back().block];
  const Node& owner = (*graph_)[block.owner];
  for (size_t i = 0; i < block.outputs.size(); ++i) {
    ValueId to = owner.outputs[i];
    if (!to || demand_->uses[to.index] == 0) continue;
    ValueState from = resolve(block.outputs[i]);
    if (from.place) places_[from.place.index].uses += demand_->uses[to.index];
    consume(block.outputs[i]);
    state(to) = std::move(from);
  }
  frames_.pop_back();
  ++frames_.back().position;
  return {};
}

// The reads of a branch that does not run will not come.
void Assembler::drop_block(BlockId id) {
  const Block& block = (*graph_)[id];
  const Node& owner = (*graph_)[block.owner];
  for (size_t i = 0; i < block.outputs.size(); ++i) {
    if (owner.outputs[i] && demand_->uses[owner.outputs[i].index] > 0) consume(block.outputs[i]);
  }
  for (NodeId node_id : block.nodes) {
    if (!demand_->nodes[node_id.index]) continue;
    const Node& node = (*graph_)[node_id];
    for (ValueId input : node.inputs) {
      if (input) consume(input);
    }
    for (BlockId inner : node.blocks) drop_block(inner);
  }
}

// One read of the value is over; after the last, its memory is free from the next step on.
void Assembler::consume(ValueId id) {
  if (!state(id).defined || !state(id).place) return;
  Place& place = places_[state(id).place.index];
  if (place.uses > 0) --place.uses;
  if (place.uses == 0 && !segment_.steps.empty())
    place.life.last = static_cast<uint32_t>(segment_.steps.size() - 1);
}

void Assembler::consume_inputs(const Node& node) {
  for (ValueId input : node.inputs) {
    if (input) consume(input);
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
    bool wanted = node.outputs[i] && demand_->uses[node.outputs[i].index] > 0;
    if (wanted && !(types[i].dims && concrete(*types[i].dims))) return ask_for(node, missing);
  }
  if (can_fold(node, types)) {
    TRY(fold(id, types));
    consume_inputs(node);
  } else if (is_view(node.op) && resolve(node.inputs[0]).place) {
    alias(node, *concrete(*types[0].dims));
  } else {
    emit(id, types);
    consume_inputs(node);
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
  Error error =
      fail(ErrorCode::UnsupportedModel, cat(describe(node), ": the shape of its result cannot be known"))
          .error();
  error.node = node.name;
  return std::unexpected(std::move(error));
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
  for (ValueId input : node.inputs) {
    if (input && !known_of(input)) return false;
  }
  return true;
}

Status Assembler::fold(NodeId id, const std::vector<ValueType>& types) {
  const Node& node = (*graph_)[id];
  std::vector<TensorView> inputs(node.inputs.size());
  std::vector<Known> held;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!node.inputs[i]) continue;
    const ValueState& value = resolve(node.inputs[i]);
    held.push_back(value.known);
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
  Status done = row_of(node.op).reference({.node = node, .inputs = inputs, .outputs = outputs});
  if (!done) {
    done.error().node = node.name;
    return std::unexpected(std::move(done.error()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (!node.outputs[i]) continue;
    auto known = std::make_shared<const Tensor>(std::move(results[i]));
    state(node.outputs[i]) = {
        .defined = true, .dtype = known->dtype(), .dims = known->dims(), .known = known, .place = {}};
  }
  return {};
}

// The result is operand 0 under another shape: the same memory. (A known operand 0 would have been folded.)
void Assembler::alias(const Node& node, Dims dims) {
  ValueState value = resolve(node.inputs[0]);
  value.dims = std::move(dims);
  value.known = nullptr;
  places_[value.place.index].uses += demand_->uses[node.outputs[0].index];
  consume_inputs(node);
  state(node.outputs[0]) = std::move(value);
}

void Assembler::emit(NodeId id, const std::vector<ValueType>& types) {
  const Node& node = (*graph_)[id];
  auto now = static_cast<uint32_t>(segment_.steps.size());
  Step step{.node = id.index, .inputs = {}, .outputs = {}};
  for (ValueId input : node.inputs) step.inputs.push_back(input ? buffer_of(input) : BufferId());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    ValueId output = node.outputs[i];
    if (!output || demand_->uses[output.index] == 0) {
      step.outputs.emplace_back();
      continue;
    }
    ValueState& value = state(output);
    value = {.defined = true,
             .dtype = types[i].dtype,
             .dims = *concrete(*types[i].dims),
             .known = {},
             .place = {}};
    value.place = PlaceId(places_.size());
    Place place{.storage = Storage::Arena, .index = 0, .uses = demand_->uses[output.index], .life = {}};
    auto count = element_count(value.dims).value_or(0);
    place.life.bytes = static_cast<uint64_t>(bytes_of(value.dtype, count).value_or(0));
    place.life.first = now;
    places_.push_back(place);
    step.outputs.push_back(buffer_of(output));
  }
  segment_.steps.push_back(std::move(step));
}

BufferId Assembler::buffer_of(ValueId id) {
  BufferId& buffer = buffers_[id.index];
  if (buffer) return buffer;
  ValueState& value = resolve(id);
  auto bytes = bytes_of(value.dtype, element_count(value.dims).value_or(0)).value_or(0);
  PlanBuffer made{.dtype = value.dtype, .dims = value.dims, .bytes = static_cast<uint64_t>(bytes)};
  if (value.place) {
    made.storage = places_[value.place.index].storage;
    made.index = places_[value.place.index].index;
  } else {
    made.storage = Storage::Literal;
    made.index = static_cast<uint32_t>(segment_.literals.size());
    segment_.literals.push_back(value.known);
  }
  buffer = BufferId(segment_.buffers.size());
  segment_.buffers.push_back(std::move(made));
  buffer_places_.push_back(value.place);
  return buffer;
}

// Ends the segment: lays out the arena, and keeps what lives on where it is.
Result<Segment> Assembler::close(Ending ending, const std::vector<ValueId>& results) {
  segment_.ending = ending;
  for (size_t i = 0; i < results.size(); ++i) {
    bool wanted = ending == Ending::Read || wanted_[i];
    segment_.results.push_back(wanted ? buffer_of(results[i]) : BufferId());
  }
  auto end = static_cast<uint32_t>(segment_.steps.size());
  std::vector<Lifetime> lifetimes;
  std::vector<size_t> owners;
  for (size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (place.storage != Storage::Arena) continue;
    if (place.uses > 0) place.life.last = end;
    if (place.life.fixed && place.life.bytes == 0) continue;
    lifetimes.push_back(place.life);
    owners.push_back(i);
  }
  segment_.arena_bytes = lay_out(lifetimes);
  for (size_t k = 0; k < owners.size(); ++k) places_[owners[k]].life.offset = lifetimes[k].offset;
  for (size_t b = 0; b < segment_.buffers.size(); ++b) {
    if (segment_.buffers[b].storage == Storage::Arena) {
      segment_.buffers[b].offset = places_[buffer_places_[b].index].life.offset;
    }
  }
  for (Place& place : places_) {
    if (place.storage != Storage::Arena) continue;
    place.life.fixed = true;
    place.life.first = 0;
    place.life.last = 0;
    if (place.uses == 0) place.life.bytes = 0;
  }
  return std::move(segment_);
}

}  // namespace fuselane
