// Steps of one stage do not need each other, and memory does not grow.
#include "plan/stages.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace fuselane {
namespace {

using Stages = std::vector<uint32_t>;

// Reads blocks, then writes others, each as a buffer of its own.
StepAccess step(std::vector<uint32_t> reads, std::vector<uint32_t> writes) {
  StepAccess result;
  for (uint32_t block : reads) result.blocks.push_back({block, block, false});
  for (uint32_t block : writes) result.blocks.push_back({block, block, true});
  return result;
}

std::vector<BlockUse> blocks_of(std::vector<uint64_t> bytes) {
  std::vector<BlockUse> blocks;
  for (uint64_t each : bytes) blocks.push_back({.bytes = each});
  return blocks;
}

TEST(Stages, ABranchThatComesLaterJoinsTheFirst) {
  // 0 -> 1 -> 2 and 0 -> 3 -> 4, together in 5; 9 is large, and is there before them.
  const std::vector<StepAccess> steps = {step({9}, {0}), step({0}, {1}), step({1}, {2}),
                                         step({0}, {3}), step({3}, {4}), step({2, 4}, {5})};
  EXPECT_EQ(stages_of(steps, blocks_of({1, 1, 1, 1, 1, 1, 0, 0, 0, 100})), (Stages{0, 1, 2, 1, 2, 3}));
}

TEST(Stages, AChainIsAChain) {
  const std::vector<StepAccess> steps = {step({}, {0}), step({0}, {1}), step({1}, {2})};
  EXPECT_EQ(stages_of(steps, blocks_of({1, 1, 1})), (Stages{0, 1, 2}));
}

TEST(Stages, WhatIsOverwrittenHasBeenRead) {
  // Block 1 is read by the second step; the third, which needs nothing else, writes there.
  const std::vector<StepAccess> steps = {step({0}, {1}), step({1}, {2}), step({0}, {1})};
  EXPECT_EQ(stages_of(steps, blocks_of({9, 1, 1})), (Stages{0, 1, 2}));
}

TEST(Stages, TwoPartsOfABlockAreWrittenTogetherAndReadAfterwards) {
  StepAccess left = step({0}, {}), right = step({0}, {}), again = step({0}, {});
  left.blocks.push_back({1, 10, true});
  right.blocks.push_back({1, 11, true});
  again.blocks.push_back({1, 10, true});
  const std::vector<StepAccess> steps = {left, right, again, step({1}, {2})};
  EXPECT_EQ(stages_of(steps, blocks_of({9, 2, 1})), (Stages{0, 0, 1, 2}));
}

TEST(Stages, NothingPassesAStepThatIsAlone) {
  StepAccess alone = step({0}, {2});
  alone.is_alone = true;
  const std::vector<StepAccess> steps = {step({0}, {1}), alone, step({0}, {3}), step({0}, {4})};
  EXPECT_EQ(stages_of(steps, blocks_of({9, 5, 1, 1, 1})), (Stages{0, 1, 2, 2}));
}

TEST(Stages, MemoryDoesNotGrow) {
  // Each chain makes 10 bytes of which 1 is left: one after another 22 bytes at most, side by side 31.
  const std::vector<StepAccess> chains = {step({0}, {1}), step({1}, {2}), step({0}, {3}), step({3}, {4}),
                                          step({2, 4}, {5})};
  EXPECT_EQ(stages_of(chains, blocks_of({10, 10, 1, 10, 1, 1})), (Stages{0, 1, 2, 3, 4}));
  EXPECT_EQ(stages_of(chains, blocks_of({10, 10, 1, 10, 1, 30})), (Stages{0, 1, 0, 1, 2}));
}

TEST(Stages, WhatIsReadAfterTheLastStepStaysAlive) {
  std::vector<BlockUse> blocks = blocks_of({4, 4, 4, 4});
  blocks[0].is_before = true;
  const std::vector<StepAccess> steps = {step({0}, {1}), step({1}, {2}), step({}, {3})};
  // The last step's 4 bytes fit beside what the second leaves, not beside what it reads.
  EXPECT_EQ(stages_of(steps, blocks), (Stages{0, 1, 2}));
  blocks[3].bytes = 0;
  EXPECT_EQ(stages_of(steps, blocks), (Stages{0, 1, 0}));
}

// The most bytes that steps of one stage and what lives across it have.
uint64_t peak_of(const std::vector<StepAccess>& steps, const std::vector<BlockUse>& blocks,
                 const Stages& stages) {
  const uint32_t count = stages.empty() ? 0 : *std::ranges::max_element(stages) + 1;
  std::vector<uint64_t> live(count);
  for (uint32_t block = 0; block < blocks.size(); ++block) {
    uint32_t first = count, last = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (std::ranges::none_of(steps[i].blocks, [&](const Access& access) { return access.block == block; }))
        continue;
      first = std::min(first, stages[i]);
      last = std::max(last, stages[i]);
    }
    for (uint32_t stage = first; stage <= last && stage < count; ++stage) live[stage] += blocks[block].bytes;
  }
  return live.empty() ? 0 : *std::ranges::max_element(live);
}

TEST(Stages, RandomStepsKeepTheirOrderWhereItMatters) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    const auto block_count = static_cast<uint32_t>(2 + rng.below(8));
    std::vector<BlockUse> blocks(block_count);
    for (BlockUse& block : blocks) block.bytes = rng.below(20);
    std::vector<StepAccess> steps(1 + rng.below(14));
    for (StepAccess& step : steps) {
      step.is_alone = rng.below(10) == 0;
      for (uint64_t i = 0; i < 1 + rng.below(3); ++i) {
        const auto block = static_cast<uint32_t>(rng.below(block_count));
        step.blocks.push_back({block, static_cast<uint32_t>(rng.below(3)), rng.below(2) == 0});
      }
    }
    const Stages stages = stages_of(steps, blocks);
    for (size_t j = 0; j < steps.size(); ++j) {
      for (size_t i = 0; i < j; ++i) {
        bool waits = steps[i].is_alone || steps[j].is_alone;
        for (const Access& a : steps[i].blocks) {
          for (const Access& b : steps[j].blocks) {
            bool is_same = a.block == b.block && (a.writes || b.writes);
            waits = waits || (is_same && (a.buffer == b.buffer || !a.writes || !b.writes));
          }
        }
        EXPECT_TRUE(!waits || stages[i] < stages[j]) << "round " << round << ": " << i << ", " << j;
      }
    }
    Stages in_order(steps.size());
    for (uint32_t i = 0; i < in_order.size(); ++i) in_order[i] = i;
    EXPECT_LE(peak_of(steps, blocks, stages), peak_of(steps, blocks, in_order)) << "round " << round;
  }
}

}  // namespace
}  // namespace fuselane
