// Of the segment builder: where values lie, and who still reads there.
#include <algorithm>
#include <cstddef>

#include "assemble/kernels/copying.h"
#include "assemble/kernels/planners.h"
#include "assemble/segment_builder.h"

namespace fuselane {
namespace {

constexpr Layout kLayouts[] = {Layout::RowMajor, Layout::ChannelsLast};

size_t slot_of(Layout layout) { return static_cast<size_t>(layout); }
Layout other(Layout layout) { return kLayouts[1 - slot_of(layout)]; }

}  // namespace

void SegmentBuilder::add_feed(ValueId id, uint32_t index) {
  values_[id.index].met = true;
  values_[id.index].locations[0] = {.region = add_region(Storage::Feed, index, 0, uses_left_[id.index]),
                                    .strides = {}};
}

// Constants get their region when they are first met; those whose elements are known need none.
SegmentBuilder::Held& SegmentBuilder::held(ValueId id) {
  Held& value = values_[id.index];
  if (value.met) return value;
  value.met = true;
  if (graph_->constant_of(id) && !facts_.known(id)) {
    uint32_t index = (*graph_)[id].constant.index;
    value.locations[0] = {.region = add_region(Storage::Weight, index, 0, uses_left_[id.index]),
                          .strides = {}};
  }
  return value;
}

uint64_t SegmentBuilder::bytes_of_value(ValueId id) {
  const Fact& fact = facts_[id];
  auto bytes = bytes_of(fact.dtype, element_count(fact.dims).value_or(0));
  return static_cast<uint64_t>(bytes.value_or(0));
}

// New memory for the value.
Location SegmentBuilder::dense_location(ValueId id) {
  return {.region = add_region(Storage::Arena, 0, bytes_of_value(id), 0), .strides = {}};
}

template <class Visit>
void SegmentBuilder::for_each_region(const Held& value, Visit visit) {
  RegionId first = value.locations[0].region, second = value.locations[1].region;
  if (first) visit(regions_[first.index]);
  if (second && second != first) visit(regions_[second.index]);
}

void SegmentBuilder::consume(ValueId id) {
  if (uses_left_[id.index] > 0) --uses_left_[id.index];
  for_each_region(values_[id.index], [&](Region& region) {
    if (region.uses > 0) --region.uses;
  });
}

void SegmentBuilder::consume_inputs(const Node& node) {
  for (ValueId input : node.inputs) {
    if (input) consume(input);
  }
}

void SegmentBuilder::join(ValueId from, ValueId to) {
  Held value = held(from);
  for_each_region(value, [&](Region& region) { region.uses += uses_left_[to.index]; });
  consume(from);
  values_[to.index] = std::move(value);
}

const Location* SegmentBuilder::location(ValueId id, Layout layout) {
  const Location& at = held(id).locations[slot_of(layout)];
  return at.region ? &at : nullptr;
}

bool SegmentBuilder::share_memory(ValueId a, ValueId b) {
  const Location* theirs = held(b).locations;
  return std::ranges::any_of(held(a).locations, [&](const Location& at) {
    return at.region && (at.region == theirs[0].region || at.region == theirs[1].region);
  });
}

// These reads will not come.
void SegmentBuilder::release(Region& region, uint32_t uses) { region.uses -= std::min(region.uses, uses); }

// The value lies there from now on, as one of those that use the memory; no longer where it was in this
// layout, or was to be.
void SegmentBuilder::put(ValueId id, Layout layout, Location location) {
  Held& value = held(id);
  const uint32_t uses = uses_left_[id.index];
  Location& at = value.locations[slot_of(layout)];
  if (at == location) return;
  const RegionId elsewhere = value.locations[slot_of(other(layout))].region;
  if (at.region && at.region != elsewhere) release(regions_[at.region.index], uses);
  if (location.region != elsewhere) regions_[location.region.index].uses += uses;
  at = std::move(location);
  value.buffers[slot_of(layout)] = BufferId();
}

// The value is about to be made elsewhere than in the memory that was reserved for it.
void SegmentBuilder::forget(ValueId id) {
  Held& value = held(id);
  for_each_region(value, [&](Region& region) { release(region, uses_left_[id.index]); });
  value.locations[0] = value.locations[1] = Location();
  value.buffers[0] = value.buffers[1] = BufferId();
}

// Memory for the value is there, in this layout; not where it is in the other.
bool SegmentBuilder::reserve(ValueId id, Layout layout) {
  Held& value = held(id);
  if (value.locations[slot_of(layout)].region) return true;
  if (value.locations[slot_of(other(layout))].region) return false;
  if (auto at = destined(id, layout)) {
    put(id, layout, *std::move(at));
  } else {
    put(id, layout, dense_location(id));
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
  if (!at || !at->strides.empty()) at = dense_location(id);
  forget(id);
  put(id, layout, *std::move(at));
  return buffer_of(id, layout);
}

BufferId SegmentBuilder::make_strided(ValueId id, Layout layout) {
  if (is_reserved(id, layout)) return buffer_of(id, layout);
  auto at = destined(id, layout);
  if (!at) return make(id, layout);
  forget(id);
  put(id, layout, *std::move(at));
  return buffer_of(id, layout);
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
  if (!at || !at->strides.empty() || regions_[at->region.index].storage != Storage::Arena)
    return std::nullopt;
  if (is_reserved(id, Layout::RowMajor) || is_reserved(id, Layout::ChannelsLast) || has_destination(id))
    return std::nullopt;
  const Fact& to = facts_[id];
  uint32_t count = 0;
  for (ValueId read : reads) {
    const Held& from = held(read);
    if (from.locations[0].region != at->region && from.locations[1].region != at->region) continue;
    bool same_index = from.locations[slot_of(layout)] == *at && facts_[read].dims == to.dims &&
                      bits_of(facts_[read].dtype) == bits_of(to.dtype);
    if (!same_index) return std::nullopt;
    ++count;
  }
  if (count != regions_[at->region.index].uses) return std::nullopt;
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

// The buffer of a value that has a location in this layout, or is known (row-major).
BufferId SegmentBuilder::buffer_of(ValueId id, Layout layout) {
  Held& value = held(id);
  BufferId& buffer = value.buffers[slot_of(layout)];
  if (buffer) return buffer;
  const Fact& fact = facts_[id];
  const Location& at = value.locations[slot_of(layout)];
  if (!at.region) return buffer = literal(fact.known);
  return buffer = add_buffer({.dtype = fact.dtype,
                              .dims = fact.dims,
                              .layout = layout,
                              .strides = at.strides,
                              .bytes = bytes_of_value(id),
                              .offset = at.offset},
                             at.region);
}

BufferId SegmentBuilder::dense(ValueId id, Layout layout, NodeId node) {
  make_dense(id, layout, node);
  return buffer_of(id, layout);
}

BufferId SegmentBuilder::strided(ValueId id, Layout layout, NodeId node) {
  return location(id, layout) ? buffer_of(id, layout) : dense(id, layout, node);
}

Dims SegmentBuilder::strides(ValueId id, Layout layout) {
  const Location* at = location(id, layout);
  return at && !at->strides.empty() ? at->strides : dense_strides(facts_[id].dims, layout);
}

// Gives the value a dense location in this layout. What is only known stays without one where row-major is
// asked for.
void SegmentBuilder::make_dense(ValueId id, Layout layout, NodeId node) {
  Held& value = held(id);
  const Location& wanted = value.locations[slot_of(layout)];
  const Location& same = value.locations[slot_of(other(layout))];
  const bool is_literal = !wanted.region && !same.region;
  if (wanted.region ? wanted.strides.empty() : is_literal && layout == Layout::RowMajor) return;
  const Fact& fact = facts_[id];
  if (!wanted.region && same.region && same.strides.empty() && layouts_agree(fact.dims)) {
    value.locations[slot_of(layout)] = same;
    return;
  }
  const Layout lies = is_literal ? Layout::RowMajor : wanted.region ? layout : other(layout);
  const BufferId from = buffer_of(id, lies);
  const CopyArgs args =
      strided_copy(fact.dims, fact.dtype, dense_strides(fact.dims, layout), strides(id, lies));
  put(id, layout, dense_location(id));
  const BufferId to = buffer_of(id, layout);
  const Slot slots[] = {{offsetof(CopyArgs, from), from}, {offsetof(CopyArgs, to), to}};
  call({.node = node,
        .group = {},
        .kernel = row(KernelId::Copy),
        .args = {reinterpret_cast<const uint8_t*>(&args), sizeof args},
        .slots = slots,
        .reads = {from},
        .writes = {to},
        .extent = copy_extent(args)});
}

void SegmentBuilder::settle(ValueId id, NodeId node) {
  if (location(id, Layout::RowMajor) || !location(id, Layout::ChannelsLast)) return;
  make_dense(id, Layout::RowMajor, node);
  Held& value = held(id);
  Location& last = value.locations[slot_of(Layout::ChannelsLast)];
  if (last.region != value.locations[slot_of(Layout::RowMajor)].region)
    release(regions_[last.region.index], uses_left_[id.index]);
  last = Location();
  value.buffers[slot_of(Layout::ChannelsLast)] = BufferId();
}

}  // namespace fuselane
