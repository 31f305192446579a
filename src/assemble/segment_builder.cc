#include "assemble/segment_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "assemble/kernels/copying.h"
#include "assemble/kernels/planners.h"
#include "assemble/multiply_adds.h"

namespace fuselane {
namespace {

// A kernel that reads and writes less than this, all its operands together, takes a microsecond or three; to
// share it would cost about one.
constexpr uint64_t kWorthSharing = 32 << 10;

constexpr Layout kLayouts[] = {Layout::RowMajor, Layout::ChannelsLast};

size_t slot_of(Layout layout) { return static_cast<size_t>(layout); }
Layout other(Layout layout) { return kLayouts[1 - slot_of(layout)]; }

}  // namespace

SegmentBuilder::SegmentBuilder(const Graph& graph, std::shared_ptr<const Demand> demand)
    : graph_(&graph),
      demand_(std::move(demand)),
      facts_(graph),
      values_(graph.value_count()),
      destinations_(graph.value_count()),
      uses_left_(demand_->uses) {}

void SegmentBuilder::add_feed(ValueId id, uint32_t index) {
  values_[id.index].met = true;
  values_[id.index].locations[0] = {.place = add_place(Storage::Feed, index, 0, uses_left_[id.index]),
                                    .strides = {}};
}

void SegmentBuilder::begin() {
  segment_ = Segment();
  buffer_places_.clear();
  for (Held& value : values_) value.buffers[0] = value.buffers[1] = BufferId();
}

// Constants get their place when they are first met; those whose elements are known need none.
SegmentBuilder::Held& SegmentBuilder::held(ValueId id) {
  Held& value = values_[id.index];
  if (value.met) return value;
  value.met = true;
  if (graph_->constant_of(id) && !facts_.known(id)) {
    uint32_t index = (*graph_)[id].constant.index;
    value.locations[0] = {.place = add_place(Storage::Weight, index, 0, uses_left_[id.index]), .strides = {}};
  }
  return value;
}

uint64_t SegmentBuilder::bytes_of_value(ValueId id) {
  const Fact& fact = facts_[id];
  auto bytes = bytes_of(fact.dtype, element_count(fact.dims).value_or(0));
  return static_cast<uint64_t>(bytes.value_or(0));
}

PlaceId SegmentBuilder::add_place(Storage storage, uint32_t index, uint64_t bytes, uint32_t uses) {
  Place place{.storage = storage, .index = index, .uses = uses, .life = {}};
  place.life.bytes = bytes;
  place.life.first = place.life.last = static_cast<uint32_t>(segment_.steps.size());
  places_.push_back(place);
  return PlaceId(places_.size() - 1);
}

template <class Visit>
void SegmentBuilder::for_each_place(const Held& value, Visit visit) {
  PlaceId first = value.locations[0].place, second = value.locations[1].place;
  if (first) visit(places_[first.index]);
  if (second && second != first) visit(places_[second.index]);
}

void SegmentBuilder::consume(ValueId id) {
  if (uses_left_[id.index] > 0) --uses_left_[id.index];
  for_each_place(values_[id.index], [&](Place& place) {
    if (place.uses > 0) --place.uses;
    if (place.uses == 0 && !segment_.steps.empty())
      place.life.last = static_cast<uint32_t>(segment_.steps.size() - 1);
  });
}

void SegmentBuilder::consume_inputs(const Node& node) {
  for (ValueId input : node.inputs) {
    if (input) consume(input);
  }
}

void SegmentBuilder::join(ValueId from, ValueId to) {
  Held value = held(from);
  for_each_place(value, [&](Place& place) { place.uses += uses_left_[to.index]; });
  consume(from);
  values_[to.index] = std::move(value);
}

const Location* SegmentBuilder::location(ValueId id, Layout layout) {
  const Location& at = held(id).locations[slot_of(layout)];
  return at.place ? &at : nullptr;
}

bool SegmentBuilder::share_memory(ValueId a, ValueId b) {
  const Location* theirs = held(b).locations;
  return std::ranges::any_of(held(a).locations, [&](const Location& at) {
    return at.place && (at.place == theirs[0].place || at.place == theirs[1].place);
  });
}

// The value lies there from now on, as one of those that use the memory; no longer where it was in this
// layout, or was to be.
void SegmentBuilder::put(ValueId id, Layout layout, Location location) {
  Held& value = held(id);
  const uint32_t uses = uses_left_[id.index];
  Location& at = value.locations[slot_of(layout)];
  if (at == location) return;
  const PlaceId elsewhere = value.locations[slot_of(other(layout))].place;
  if (at.place && at.place != elsewhere) {
    Place& left = places_[at.place.index];
    left.uses -= std::min(left.uses, uses);
    if (left.uses == 0) left.life.last = static_cast<uint32_t>(segment_.steps.size());
  }
  if (location.place != elsewhere) places_[location.place.index].uses += uses;
  at = std::move(location);
  value.buffers[slot_of(layout)] = BufferId();
}

// The value is about to be made elsewhere than in the memory that was reserved for it.
void SegmentBuilder::forget(ValueId id) {
  Held& value = held(id);
  for_each_place(value, [&](Place& place) {
    place.uses -= std::min(place.uses, uses_left_[id.index]);
    if (place.uses == 0) place.life.last = static_cast<uint32_t>(segment_.steps.size());
  });
  value.locations[0] = value.locations[1] = Location();
  value.buffers[0] = value.buffers[1] = BufferId();
}

// Memory for the value is there, in this layout; not where it is in the other.
bool SegmentBuilder::reserve(ValueId id, Layout layout) {
  Held& value = held(id);
  if (value.locations[slot_of(layout)].place) return true;
  if (value.locations[slot_of(other(layout))].place) return false;
  if (auto at = destined(id, layout)) {
    put(id, layout, *std::move(at));
  } else {
    put(id, layout, {.place = add_place(Storage::Arena, 0, bytes_of_value(id), 0), .strides = {}});
  }
  return true;
}

// Where the value's destination is, if memory for that can be had.
std::optional<Location> SegmentBuilder::destined(ValueId id, Layout layout) {
  const auto& to = destinations_[id.index];
  if (!to || (!to->permutation.empty() && layout != Layout::RowMajor)) return std::nullopt;
  if (!reserve(to->whole, layout)) return std::nullopt;
  Location at = *location(to->whole, layout);
  const Fact& whole = facts_[to->whole];
  const Fact& fact = facts_[id];
  Dims strides = at.strides.empty() ? dense_strides(whole.dims, layout) : at.strides;
  at.offset += static_cast<uint64_t>(to->start * strides[to->axis]) * copy_size(fact.dtype);
  at.strides = strides;
  for (size_t i = 0; i < to->permutation.size(); ++i) at.strides[to->permutation[i]] = strides[i];
  if (same_strides(fact.dims, at.strides, dense_strides(fact.dims, layout))) at.strides.clear();
  return at;
}

BufferId SegmentBuilder::make(ValueId id, Layout layout) {
  const Location* reserved = location(id, layout);
  if (reserved && reserved->strides.empty()) return buffer_of(id, layout);
  const auto& to = destinations_[id.index];
  auto at = to && to->permutation.empty() ? destined(id, layout) : std::nullopt;
  if (!at || !at->strides.empty())
    at = {.place = add_place(Storage::Arena, 0, bytes_of_value(id), 0), .strides = {}};
  forget(id);
  put(id, layout, *std::move(at));
  return buffer_of(id, layout);
}

StridedBuffer SegmentBuilder::make_strided(ValueId id, Layout layout) {
  Dims strides = strides_to_make(id, layout);
  if (is_reserved(id, layout)) return {buffer_of(id, layout), std::move(strides)};
  auto at = destined(id, layout);
  if (!at) return {make(id, layout), std::move(strides)};
  forget(id);
  put(id, layout, *std::move(at));
  return {buffer_of(id, layout), std::move(strides)};
}

Dims SegmentBuilder::strides_to_make(ValueId id, Layout layout) {
  const Location* reserved = location(id, layout);
  std::optional<Location> at = reserved ? *reserved : destined(id, layout);
  return at && !at->strides.empty() ? at->strides : dense_strides(facts_[id].dims, layout);
}

bool SegmentBuilder::is_reserved(ValueId id, Layout layout) { return location(id, layout) != nullptr; }

std::optional<BufferId> SegmentBuilder::make_over(ValueId id, std::span<const ValueId> reads, ValueId operand,
                                                  Layout layout) {
  const Location* at = location(operand, layout);
  if (!at || !at->strides.empty() || places_[at->place.index].storage != Storage::Arena) return std::nullopt;
  if (is_reserved(id, Layout::RowMajor) || is_reserved(id, Layout::ChannelsLast) || has_destination(id))
    return std::nullopt;
  const Fact& to = facts_[id];
  uint32_t count = 0;
  for (ValueId read : reads) {
    const Held& from = held(read);
    if (from.locations[0].place != at->place && from.locations[1].place != at->place) continue;
    bool same_index = from.locations[slot_of(layout)] == *at && facts_[read].dims == to.dims &&
                      bits_of(facts_[read].dtype) == bits_of(to.dtype);
    if (!same_index) return std::nullopt;
    ++count;
  }
  if (count != places_[at->place.index].uses) return std::nullopt;
  put(id, layout, *at);
  return buffer_of(id, layout);
}

void SegmentBuilder::view(ValueId id, Location location) {
  const Dims& dims = facts_[id].dims;
  forget(id);
  for (Layout layout : kLayouts) {
    if (same_strides(dims, location.strides, dense_strides(dims, layout))) {
      location.strides.clear();
      return put(id, layout, std::move(location));
    }
  }
  bool channels_last = dims.size() > 2 && location.strides[1] == 1 && dims[1] > 1;
  put(id, channels_last ? Layout::ChannelsLast : Layout::RowMajor, std::move(location));
}

void SegmentBuilder::end_node() {
  for (PlaceId place : scratch_)
    places_[place.index].life.last = static_cast<uint32_t>(segment_.steps.size() - 1);
}

BufferId SegmentBuilder::scratch(uint64_t bytes) {
  PlaceId place = add_place(Storage::Arena, 0, bytes, 0);
  scratch_.push_back(place);
  return add_buffer({.dtype = DType::UInt8, .dims = {static_cast<int64_t>(bytes)}, .bytes = bytes}, place);
}

BufferId SegmentBuilder::literal(std::shared_ptr<const Tensor> tensor) {
  PlanBuffer buffer{.storage = Storage::Literal, .dtype = tensor->dtype(), .dims = tensor->dims()};
  buffer.bytes = tensor->bytes().size();
  buffer.index = static_cast<uint32_t>(segment_.literals.size());
  segment_.literals.push_back(std::move(tensor));
  return add_buffer(std::move(buffer), {});
}

BufferId SegmentBuilder::packed(uint32_t index, uint64_t bytes) {
  return add_buffer({.storage = Storage::Packed,
                     .dtype = DType::UInt8,
                     .dims = {static_cast<int64_t>(bytes)},
                     .bytes = bytes,
                     .index = index},
                    {});
}

BufferId SegmentBuilder::add_buffer(PlanBuffer buffer, PlaceId place) {
  if (place) {
    buffer.storage = places_[place.index].storage;
    buffer.index = places_[place.index].index;
  }
  segment_.buffers.push_back(std::move(buffer));
  buffer_places_.push_back(place);
  return BufferId(segment_.buffers.size() - 1);
}

// The buffer of a value that has a location in this layout, or is known (row-major).
BufferId SegmentBuilder::buffer_of(ValueId id, Layout layout) {
  Held& value = held(id);
  BufferId& buffer = value.buffers[slot_of(layout)];
  if (buffer) return buffer;
  const Fact& fact = facts_[id];
  const Location& at = value.locations[slot_of(layout)];
  if (!at.place) return buffer = literal(fact.known);
  return buffer = add_buffer({.dtype = fact.dtype,
                              .dims = fact.dims,
                              .layout = layout,
                              .strides = at.strides,
                              .bytes = bytes_of_value(id),
                              .offset = at.offset},
                             at.place);
}

BufferId SegmentBuilder::dense(ValueId id, Layout layout, NodeId node) {
  make_dense(id, layout, node);
  return buffer_of(id, layout);
}

StridedBuffer SegmentBuilder::strided(ValueId id, Layout layout, NodeId node) {
  const Location* at = location(id, layout);
  if (at && !at->strides.empty()) return {buffer_of(id, layout), at->strides};
  return {dense(id, layout, node), dense_strides(facts_[id].dims, layout)};
}

// Gives the value a dense location in this layout. What is only known stays without one where row-major is
// asked for.
void SegmentBuilder::make_dense(ValueId id, Layout layout, NodeId node) {
  Held& value = held(id);
  const Location& wanted = value.locations[slot_of(layout)];
  const Location& same = value.locations[slot_of(other(layout))];
  const bool is_literal = !wanted.place && !same.place;
  if (wanted.place ? wanted.strides.empty() : is_literal && layout == Layout::RowMajor) return;
  const Fact& fact = facts_[id];
  if (!wanted.place && same.place && same.strides.empty() && layouts_agree(fact.dims)) {
    value.locations[slot_of(layout)] = same;
    return;
  }
  StridedBuffer from;
  if (is_literal) {
    from = {buffer_of(id, Layout::RowMajor), dense_strides(fact.dims, Layout::RowMajor)};
  } else {
    Layout lies = wanted.place ? layout : other(layout);
    const Location& at = value.locations[slot_of(lies)];
    from = {buffer_of(id, lies), at.strides.empty() ? dense_strides(fact.dims, lies) : at.strides};
  }
  put(id, layout, {.place = add_place(Storage::Arena, 0, bytes_of_value(id), 0), .strides = {}});
  copy(node, fact, std::move(from), buffer_of(id, layout), layout);
}

void SegmentBuilder::settle(ValueId id, NodeId node) {
  if (location(id, Layout::RowMajor) || !location(id, Layout::ChannelsLast)) return;
  make_dense(id, Layout::RowMajor, node);
  Held& value = held(id);
  Location& last = value.locations[slot_of(Layout::ChannelsLast)];
  if (last.place != value.locations[slot_of(Layout::RowMajor)].place) {
    Place& left = places_[last.place.index];
    left.uses -= std::min(left.uses, uses_left_[id.index]);
    if (left.uses == 0) left.life.last = static_cast<uint32_t>(segment_.steps.size() - 1);
  }
  last = Location();
  value.buffers[slot_of(Layout::ChannelsLast)] = BufferId();
}

void SegmentBuilder::copy(NodeId node, const Fact& fact, StridedBuffer from, BufferId to, Layout layout) {
  CopyArgs args = strided_copy(fact.dims, fact.dtype, dense_strides(fact.dims, layout), from.strides);
  Slot slots[] = {{offsetof(CopyArgs, from), from.buffer}, {offsetof(CopyArgs, to), to}};
  call({.node = node,
        .group = {},
        .kernel = row(KernelId::Copy),
        .args = {reinterpret_cast<const uint8_t*>(&args), sizeof args},
        .slots = slots,
        .reads = {from.buffer},
        .writes = {to},
        .extent = copy_extent(args)});
}

// The number of these nodes' group in the segment: the steps that do their work follow one another.
uint32_t SegmentBuilder::group_number(std::span<const NodeId> nodes) {
  if (nodes.empty()) return kNoGroup;
  auto same = [](uint32_t number, NodeId node) { return number == node.index; };
  if (segment_.groups.empty() || !std::ranges::equal(segment_.groups.back().nodes, nodes, same)) {
    StepGroup& group = segment_.groups.emplace_back();
    for (NodeId id : nodes) {
      group.nodes.push_back(id.index);
      group.multiply_adds += multiply_adds((*graph_)[id], facts_);
    }
  }
  return static_cast<uint32_t>(segment_.groups.size() - 1);
}

void SegmentBuilder::call(Call call) {
  size_t start = segment_.args.size();
  segment_.args.resize(start + (call.args.size() + 7) / 8);
  if (!call.args.empty()) std::memcpy(segment_.args.data() + start, call.args.data(), call.args.size());
  auto at = static_cast<uint32_t>(start * 8);
  for (const Slot& slot : call.slots)
    segment_.pointers.push_back({at + static_cast<uint32_t>(slot.at), slot.buffer, slot.offset});
  uint64_t bytes = 0;
  for (BufferId id : call.reads) bytes += id ? segment_.buffers[id.index].bytes : 0;
  for (BufferId id : call.writes) bytes += id ? segment_.buffers[id.index].bytes : 0;
  segment_.steps.push_back({.node = call.node.index,
                            .group = group_number(call.group),
                            .kernel = call.kernel,
                            .args = at,
                            .extent = call.extent,
                            .grain = bytes < kWorthSharing ? std::max(call.grain, call.extent) : call.grain,
                            .inputs = std::move(call.reads),
                            .outputs = std::move(call.writes)});
}

Segment SegmentBuilder::close(Ending ending, const std::vector<ValueId>& results,
                              const std::vector<bool>& wanted) {
  segment_.ending = ending;
  for (size_t i = 0; i < results.size(); ++i) {
    if (ending == Ending::Return && !wanted[i]) {
      segment_.results.emplace_back();
      continue;
    }
    // Who reads results expects them row-major. A conversion is counted as its producer's.
    NodeId producer = (*graph_)[results[i]].producer;
    segment_.results.push_back(dense(results[i], Layout::RowMajor, producer ? producer : NodeId(size_t{0})));
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
    PlanBuffer& buffer = segment_.buffers[b];
    if (buffer.storage == Storage::Arena) buffer.offset += places_[buffer_places_[b].index].life.offset;
  }
  for (Place& place : places_) {
    if (place.storage != Storage::Arena) continue;
    place.life.fixed = true;
    place.life.first = place.life.last = 0;
    if (place.uses == 0) place.life.bytes = 0;
  }
  return std::move(segment_);
}

}  // namespace fuselane
