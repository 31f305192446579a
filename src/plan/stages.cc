#include "plan/stages.h"

#include <algorithm>

namespace fuselane {
namespace {

constexpr int64_t kNever = -1;

// The first stage of the accesses to a block, and the last ones.
struct Past {
  int64_t first = kNever;
  int64_t read = kNever;
  int64_t written = kNever;
  std::vector<std::pair<uint32_t, int64_t>> writers;  // by buffer
};

class Stages {
 public:
  Stages(std::span<const StepAccess> steps, std::span<const BlockUse> blocks)
      : blocks_(blocks), left_(blocks.size()), past_(blocks.size()) {
    for (const StepAccess& step : steps) {
      for (const Access& access : step.blocks) ++left_[access.block];
    }
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (!blocks_[i].is_before) continue;
      past_[i].first = 0;
      alive_ += blocks_[i].bytes;
    }
  }

  // The most that lives at one time when every step has a stage of its own.
  uint64_t in_order(std::span<const StepAccess> steps) {
    for (const StepAccess& step : steps) put(step, static_cast<int64_t>(live_.size()));
    return live_.empty() ? 0 : *std::ranges::max_element(live_);
  }

  // Puts the step into the first stage it can go to, with at most `most` bytes alive.
  uint32_t add(const StepAccess& step, uint64_t most) {
    const auto next = static_cast<int64_t>(live_.size());
    int64_t stage = step.is_alone ? next : earliest(step);
    // Later stages have the step's results too: the first stage that it cannot go past.
    for (int64_t i = next; i-- > stage;) {
      if (live_[static_cast<size_t>(i)] + more_in(i, step) <= most) continue;
      stage = i + 1;
      break;
    }
    put(step, stage);
    if (step.is_alone) floor_ = stage + 1;
    return static_cast<uint32_t>(stage);
  }

 private:
  int64_t earliest(const StepAccess& step) const {
    int64_t stage = floor_;
    for (const Access& access : step.blocks) {
      const Past& past = past_[access.block];
      if (!access.writes) {
        stage = std::max(stage, past.written + 1);
        continue;
      }
      stage = std::max(stage, past.read + 1);
      for (const auto& [buffer, at] : past.writers) {
        if (buffer == access.buffer) stage = std::max(stage, at + 1);
      }
    }
    return stage;
  }

  bool lives_from(uint32_t block, int64_t stage) const {
    return past_[block].first != kNever && past_[block].first <= stage;
  }

  // Bytes that begin to live in this stage or later, and would live there if the step came before.
  uint64_t more_in(int64_t stage, const StepAccess& step) const {
    uint64_t bytes = 0;
    for (size_t i = 0; i < step.blocks.size(); ++i) {
      const uint32_t block = step.blocks[i].block;
      const auto before = step.blocks.begin();
      bool is_first = std::none_of(before, before + static_cast<ptrdiff_t>(i),
                                   [&](const Access& access) { return access.block == block; });
      if (is_first && !lives_from(block, stage)) bytes += blocks_[block].bytes;
    }
    return bytes;
  }

  void put(const StepAccess& step, int64_t stage) {
    if (stage == static_cast<int64_t>(live_.size())) live_.push_back(alive_);
    for (const Access& access : step.blocks) {
      const uint64_t bytes = blocks_[access.block].bytes;
      Past& past = past_[access.block];
      if (!lives_from(access.block, stage)) {
        const bool is_new = past.first == kNever;
        const auto end = is_new ? live_.size() : static_cast<size_t>(past.first);
        for (auto i = static_cast<size_t>(stage); i < end; ++i) live_[i] += bytes;
        if (is_new) alive_ += bytes;
        past.first = stage;
      }
      (access.writes ? past.written : past.read) = std::max(access.writes ? past.written : past.read, stage);
      if (access.writes) past.writers.emplace_back(access.buffer, stage);
      if (--left_[access.block] > 0 || blocks_[access.block].is_after) continue;
      // Nobody comes any more: it was last used in its last stage.
      alive_ -= bytes;
      for (size_t i = static_cast<size_t>(std::max(past.read, past.written)) + 1; i < live_.size(); ++i)
        live_[i] -= bytes;
    }
  }

  std::span<const BlockUse> blocks_;
  std::vector<uint32_t> left_;  // accesses still to come
  std::vector<Past> past_;
  std::vector<uint64_t> live_;  // bytes, by stage
  uint64_t alive_ = 0;          // after the last stage
  int64_t floor_ = 0;           // nothing goes to an earlier stage
};

}  // namespace

std::vector<uint32_t> stages_of(std::span<const StepAccess> steps, std::span<const BlockUse> blocks) {
  const uint64_t most = Stages(steps, blocks).in_order(steps);
  Stages stages(steps, blocks);
  std::vector<uint32_t> result;
  for (const StepAccess& step : steps) result.push_back(stages.add(step, most));
  return result;
}

}  // namespace fuselane
