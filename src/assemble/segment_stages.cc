// Of the segment builder: when the steps run, and from that for how long memory is in use.
#include <algorithm>
#include <numeric>

#include "assemble/segment_builder.h"

namespace fuselane {
namespace {

// Memory is cut so that what lives at one time fits with little waste; how much of it depends on the order.
// More than this part more is not worth fewer waits.
constexpr uint64_t kMostMore = 16;

}  // namespace

// Of the arena: other memory is only read.
std::vector<StepAccess> SegmentBuilder::accesses() const {
  std::vector<StepAccess> steps(segment_.steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = segment_.steps[i];
    steps[i].is_alone = step.kernel == kNoKernel;
    auto add = [&](const std::vector<BufferId>& ids, bool writes) {
      for (BufferId id : ids) {
        if (!id || segment_.buffers[id.index].storage != Storage::Arena) continue;
        steps[i].blocks.push_back({buffer_regions_[id.index].index, id.index, writes});
      }
    };
    add(step.inputs, false);
    add(step.outputs, true);
  }
  return steps;
}

// When each step runs: in their order, or in stages, by which they are sorted then.
void SegmentBuilder::place_in_time() {
  std::vector<uint32_t> order(segment_.steps.size());
  std::iota(order.begin(), order.end(), 0u);
  segment_.arena_bytes = lay_out_regions(order);
  if (!is_staged_) return;
  const uint64_t most = segment_.arena_bytes + segment_.arena_bytes / kMostMore;
  segment_.arena_bytes = lay_out_regions(stages_of(accesses(), block_uses()));
  if (segment_.arena_bytes > most) segment_.arena_bytes = lay_out_regions(order);
  std::ranges::stable_sort(segment_.steps, {}, &Step::stage);
}

std::vector<BlockUse> SegmentBuilder::block_uses() const {
  std::vector<BlockUse> blocks;
  for (const Region& region : regions_) {
    const bool is_arena = region.storage == Storage::Arena;
    blocks.push_back({is_arena ? region.life.bytes : 0, region.life.fixed, region.uses > 0});
  }
  return blocks;
}

// Gives the steps these stages, and every region its place in the arena, for as long as steps use it; returns
// the bytes of the arena.
uint64_t SegmentBuilder::lay_out_regions(const std::vector<uint32_t>& stages) {
  std::vector<bool> is_used(regions_.size());
  uint32_t end = 0;
  for (size_t i = 0; i < stages.size(); ++i) {
    segment_.steps[i].stage = stages[i];
    end = std::max(end, stages[i] + 1);
  }
  for (Region& region : regions_) {
    region.life.first = region.life.fixed ? 0 : end;
    region.life.last = region.uses > 0 ? end : 0;
  }
  const std::vector<StepAccess> steps = accesses();
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const Access& access : steps[i].blocks) {
      Lifetime& life = regions_[access.block].life;
      is_used[access.block] = true;
      life.first = std::min(life.first, stages[i]);
      life.last = std::max(life.last, stages[i]);
    }
  }
  std::vector<Lifetime> lives;
  std::vector<size_t> owners;
  for (size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    if (region.storage != Storage::Arena || region.life.bytes == 0) continue;
    if (!is_used[i] && region.uses == 0) continue;
    lives.push_back(region.life);
    owners.push_back(i);
  }
  const uint64_t bytes = lay_out(lives);
  for (size_t k = 0; k < owners.size(); ++k) regions_[owners[k]].life.offset = lives[k].offset;
  return bytes;
}

}  // namespace fuselane
