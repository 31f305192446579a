// The assembler's places, buffers and the layout of the arena.
#include <algorithm>

#include "assemble/assembler.h"

namespace fuselane {

// One read of the value is over; after the last, its memory is free from the next step on.
void Assembler::consume(ValueId id) {
  if (uses_left_[id.index] > 0) --uses_left_[id.index];
  if (!state(id).defined) return;
  for_each_place(state(id), [&](Place& place) {
    if (place.uses > 0) --place.uses;
    if (place.uses == 0 && !segment_.steps.empty())
      place.life.last = static_cast<uint32_t>(segment_.steps.size() - 1);
  });
}

void Assembler::consume_inputs(const Node& node) {
  for (ValueId input : node.inputs) {
    if (input) consume(input);
  }
}

Assembler::PlaceId Assembler::add_place(Storage storage, uint32_t index, uint64_t bytes, uint32_t uses) {
  Place place{.storage = storage, .index = index, .uses = uses, .life = {}};
  place.life.bytes = bytes;
  place.life.first = place.life.last = static_cast<uint32_t>(segment_.steps.size());
  places_.push_back(place);
  return PlaceId(places_.size() - 1);
}

void Assembler::define(ValueId id, DType dtype, Dims dims) {
  state(id) = {
      .defined = true, .dtype = dtype, .dims = std::move(dims), .known = {}, .places = {}, .buffers = {}};
}

// Whether a step may write `result` where `operand` lies: all reads still to come of that memory are the
// step's own (`reads`), of elements at the result's index. Feeds, weights and literals are never overwritten;
// the model's results and what later segments read count as reads to come.
bool Assembler::may_overwrite(std::span<const ValueId> reads, ValueId operand, ValueId result,
                              Layout layout) {
  PlaceId place = state(operand).places[static_cast<size_t>(layout)];
  if (!place || places_[place.index].storage != Storage::Arena) return false;
  const ValueState& to = state(result);
  uint32_t count = 0;
  for (ValueId id : reads) {
    const ValueState& from = state(id);
    if (from.places[0] != place && from.places[1] != place) continue;
    bool same_index = from.places[static_cast<size_t>(layout)] == place && from.dims == to.dims &&
                      bits_of(from.dtype) == bits_of(to.dtype);
    if (!same_index) return false;
    ++count;
  }
  return count == places_[place.index].uses;
}

// The step that used what scratch_ lists is the last one.
void Assembler::end_scratch() {
  for (PlaceId place : scratch_)
    places_[place.index].life.last = static_cast<uint32_t>(segment_.steps.size() - 1);
}

BufferId Assembler::add_buffer(PlanBuffer buffer, PlaceId place) {
  if (place) {
    buffer.storage = places_[place.index].storage;
    buffer.index = places_[place.index].index;
  }
  segment_.buffers.push_back(std::move(buffer));
  buffer_places_.push_back(place);
  return BufferId(segment_.buffers.size() - 1);
}

// The buffer of a value that has a place in this layout, or is known (row-major).
BufferId Assembler::buffer_of(ValueId id, Layout layout) {
  ValueState& value = resolve(id);
  BufferId& buffer = value.buffers[static_cast<size_t>(layout)];
  if (buffer) return buffer;
  auto bytes = bytes_of(value.dtype, element_count(value.dims).value_or(0)).value_or(0);
  PlanBuffer made{
      .dtype = value.dtype, .dims = value.dims, .layout = layout, .bytes = static_cast<uint64_t>(bytes)};
  PlaceId place = value.places[static_cast<size_t>(layout)];
  if (!place) {
    made.storage = Storage::Literal;
    made.index = static_cast<uint32_t>(segment_.literals.size());
    segment_.literals.push_back(value.known);
  }
  buffer = add_buffer(std::move(made), place);
  return buffer;
}

// Gives the value a place in this layout; a step that converts comes first if it lies only the other way.
// What is only known stays without a place where row-major is asked for.
void Assembler::lay(ValueId id, Layout layout, NodeId node) {
  ValueState& value = resolve(id);
  auto wanted = static_cast<size_t>(layout);
  bool literal = !value.places[0] && !value.places[1];
  if (value.places[wanted] || (literal && layout == Layout::RowMajor)) return;
  if (layouts_agree(value.dims) && !literal) {
    value.places[wanted] = value.places[1 - wanted];
    return;
  }
  BufferId from = buffer_of(id, literal ? Layout::RowMajor : static_cast<Layout>(1 - wanted));
  auto bytes = bytes_of(value.dtype, element_count(value.dims).value_or(0)).value_or(0);
  value.places[wanted] = add_place(Storage::Arena, 0, static_cast<uint64_t>(bytes), uses_left_[id.index]);
  convert_layout(node, from, buffer_of(id, layout));
}

// Where layouts are not chosen: results that only lie channels last, as their kernels write them, are laid
// row-major, and lie so alone from then on.
void Assembler::settle(const std::vector<ValueId>& results, NodeId node) {
  if (options_.layout) return;
  for (ValueId id : results) {
    if (!id || !state(id).places[1] || state(id).places[0]) continue;
    lay(id, Layout::RowMajor, node);
    ValueState& value = state(id);
    if (value.places[0] == value.places[1]) continue;
    Place& left = places_[value.places[1].index];
    left.uses -= std::min(left.uses, uses_left_[id.index]);
    if (left.uses == 0) left.life.last = static_cast<uint32_t>(segment_.steps.size() - 1);
    value.places[1] = PlaceId();
    value.buffers[1] = BufferId();
  }
}

BufferId Assembler::in_layout(ValueId id, Layout layout, NodeId node) {
  lay(id, layout, node);
  return buffer_of(id, layout);
}

// Ends the segment: lays out the arena, and keeps what lives on where it is.
Result<Segment> Assembler::close(Ending ending, const std::vector<ValueId>& results) {
  segment_.ending = ending;
  for (size_t i = 0; i < results.size(); ++i) {
    bool wanted = ending == Ending::Read || wanted_[i];
    if (!wanted) {
      segment_.results.emplace_back();
      continue;
    }
    // Who reads results expects them row-major. A conversion is counted as its producer's.
    NodeId producer = (*graph_)[results[i]].producer;
    segment_.results.push_back(
        in_layout(results[i], Layout::RowMajor, producer ? producer : NodeId(size_t{0})));
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
    if (buffer.storage == Storage::Arena) buffer.offset = places_[buffer_places_[b].index].life.offset;
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
