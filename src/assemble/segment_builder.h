// A segment while it is being made: its steps, and where the values lie that they read and write.
//
// Layout is a property of locations, not of operators: a value may lie row-major, channels last, or both; and
// in either order with strides, as a part or a permutation of what lies there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assemble/demand.h"
#include "assemble/facts.h"
#include "assemble/location.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "plan/stages.h"

namespace fuselane {

// An address for a kernel's arguments: where in the struct, of which buffer, how many bytes into it.
struct Slot {
  size_t at;
  BufferId buffer;
  uint64_t offset = 0;
};

// A call of a kernel, or of the node's reference where it is kNoKernel.
struct KernelCall {
  NodeId node;
  std::span<const NodeId> group;  // the nodes whose work it does; none where it only copies a value
  uint32_t kernel = kNoKernel;
  std::span<const uint8_t> args;
  std::span<const Slot> slots;
  std::vector<BufferId> reads, writes;  // all that it touches of the arena
  uint32_t extent = 0, grain = 1;
};

// Where a value is to be made so that another one, `whole`, needs no copy of it: as the elements of `whole`
// from `start` on along `axis`; or, where `permutation` is not empty, as all of them (axis i of `whole` is
// axis permutation[i] of the value).
struct Destination {
  ValueId whole;
  size_t axis = 0;
  int64_t start = 0;
  std::vector<size_t> permutation;
};

class SegmentBuilder {
 public:
  // `is_staged`: steps that do not need each other run together.
  SegmentBuilder(const Graph& graph, std::shared_ptr<const Demand> demand, bool is_staged);

  Facts& facts() { return facts_; }
  bool is_used(ValueId id) const { return id && demand_->uses[id.index] > 0; }
  // Its elements are in memory already.
  void add_feed(ValueId id, uint32_t index);

  void begin();
  // Ends the segment with these results, those that are wanted: lays out the arena, and keeps what lives on
  // where it is.
  Segment close(Ending ending, const std::vector<ValueId>& results, const std::vector<bool>& wanted);

  // One read of the value is over; after the last, its memory is free when the steps so far are done.
  void consume(ValueId id);
  void consume_inputs(const Node& node);
  // `to` is `from` from here on: the result of a branch.
  void join(ValueId from, ValueId to);

  // The value's location in this layout; null where it has none.
  const Location* location(ValueId id, Layout layout);
  bool share_memory(ValueId a, ValueId b);

  // The value, dense in this layout; a step that converts it, counted as `node`'s, comes first where needed.
  BufferId dense(ValueId id, Layout layout, NodeId node);
  // The same as it lies where it has a location in this layout: with strides() elements between neighbours.
  BufferId strided(ValueId id, Layout layout, NodeId node);
  // By dimension; those of a dense one where it has no location in this layout.
  Dims strides(ValueId id, Layout layout);

  // A value that only lies channels last is laid row-major, and lies so alone from then on.
  void settle(ValueId id, NodeId node);

  // Memory for a value that is about to be written.
  BufferId make(ValueId id, Layout layout);
  // The same where its destination is, if it has one that can be had in this layout: with strides_to_make()
  // elements between neighbours. To ask sets memory for the whole aside.
  BufferId make_strided(ValueId id, Layout layout);
  Dims strides_to_make(ValueId id, Layout layout);
  // The same where `operand` lies, if that may be overwritten: all reads still to come of that memory are
  // the step's own (`reads`), of elements at the result's index. Feeds, weights and literals never are; the
  // model's results and what later segments read count as reads to come.
  std::optional<BufferId> make_over(ValueId id, std::span<const ValueId> reads, ValueId operand,
                                    Layout layout);
  // The value lies at `location`, whose strides are stated, in the memory of others.
  void view(ValueId id, Location location);
  // The destination that the value has; what is made for its whole is there from then on.
  void direct(ValueId id, Destination destination) { destinations_[id.index] = std::move(destination); }
  bool has_destination(ValueId id) const { return destinations_[id.index].has_value(); }
  // Whether memory for all of the value is there before it has been made: other values' destination is it.
  bool is_reserved(ValueId id, Layout layout);

  // Memory for what one step makes for the next.
  BufferId scratch(uint64_t bytes);
  BufferId literal(std::shared_ptr<const Tensor> tensor);
  BufferId packed(uint32_t index, uint64_t bytes);
  void call(KernelCall call);

 private:
  // Where a value lies.
  struct Held {
    bool met = false;
    Location locations[2];  // by Layout
    BufferId buffers[2];    // of the segment being made, by Layout
  };

  // Locations (segment_locations.cc).
  Held& held(ValueId id);
  uint64_t bytes_of_value(ValueId id);
  // A value that lies both ways in one region has it once.
  template <class Visit>
  void for_each_region(const Held& value, Visit visit);
  Location dense_location(ValueId id);
  void release(Region& region, uint32_t uses);
  void put(ValueId id, Layout layout, Location location);
  void forget(ValueId id);
  bool reserve(ValueId id, Layout layout);
  std::optional<Location> destined(ValueId id, Layout layout);
  BufferId buffer_of(ValueId id, Layout layout);
  void make_dense(ValueId id, Layout layout, NodeId node);

  // Steps (segment_builder.cc).
  BufferId add_buffer(PlanBuffer buffer, RegionId region);
  RegionId add_region(Storage storage, uint32_t index, uint64_t bytes, uint32_t uses);
  uint32_t group_number(std::span<const NodeId> nodes);

  // Time and memory (segment_stages.cc).
  void place_in_time();
  std::vector<StepAccess> accesses() const;
  std::vector<BlockUse> block_uses() const;
  uint64_t lay_out_regions(const std::vector<uint32_t>& stages);

  const Graph* graph_;
  std::shared_ptr<const Demand> demand_;
  bool is_staged_;
  Facts facts_;
  std::vector<Held> values_;                              // by ValueId
  std::vector<std::optional<Destination>> destinations_;  // by ValueId
  std::vector<uint32_t> uses_left_;                       // by ValueId
  std::vector<Region> regions_;
  // Of the segment being made:
  Segment segment_;
  std::vector<RegionId> buffer_regions_;  // by BufferId
};

}  // namespace fuselane
