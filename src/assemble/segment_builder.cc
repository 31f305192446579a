#include "assemble/segment_builder.h"

#include <algorithm>
#include <cstring>

#include "assemble/multiply_adds.h"

namespace fuselane {
namespace {

// A kernel that reads and writes less than this, all its operands together, takes a microsecond or three; to
// share it would cost about one.
constexpr uint64_t kWorthSharing = 32 << 10;

}  // namespace

SegmentBuilder::SegmentBuilder(const Graph& graph, std::shared_ptr<const Demand> demand, bool is_staged)
    : graph_(&graph),
      demand_(std::move(demand)),
      is_staged_(is_staged),
      facts_(graph),
      values_(graph.value_count()),
      destinations_(graph.value_count()),
      uses_left_(demand_->uses) {}

void SegmentBuilder::begin() {
  segment_ = Segment();
  buffer_regions_.clear();
  for (Held& value : values_) value.buffers[0] = value.buffers[1] = BufferId();
}

RegionId SegmentBuilder::add_region(Storage storage, uint32_t index, uint64_t bytes, uint32_t uses) {
  Region region{.storage = storage, .index = index, .uses = uses, .life = {}};
  region.life.bytes = bytes;
  regions_.push_back(region);
  return RegionId(regions_.size() - 1);
}

BufferId SegmentBuilder::scratch(uint64_t bytes) {
  RegionId region = add_region(Storage::Arena, 0, bytes, 0);
  return add_buffer({.dtype = DType::UInt8, .dims = {static_cast<int64_t>(bytes)}, .bytes = bytes}, region);
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

BufferId SegmentBuilder::add_buffer(PlanBuffer buffer, RegionId region) {
  if (region) {
    buffer.storage = regions_[region.index].storage;
    buffer.index = regions_[region.index].index;
  }
  segment_.buffers.push_back(std::move(buffer));
  buffer_regions_.push_back(region);
  return BufferId(segment_.buffers.size() - 1);
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

void SegmentBuilder::call(KernelCall call) {
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
  place_in_time();
  for (size_t b = 0; b < segment_.buffers.size(); ++b) {
    PlanBuffer& buffer = segment_.buffers[b];
    if (buffer.storage == Storage::Arena) buffer.offset += regions_[buffer_regions_[b].index].life.offset;
  }
  for (Region& region : regions_) {
    region.life.fixed = true;
    if (region.uses == 0) region.life.bytes = 0;
  }
  return std::move(segment_);
}

}  // namespace fuselane
