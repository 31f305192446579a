// Lifetimes that meet never share memory, and the block is not much larger than what is alive at once.
#include "plan/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace fuselane {
namespace {

TEST(Arena, ReusesMemoryAfterALifetimeEnds) {
  std::vector<Lifetime> lives = {{.bytes = 100, .first = 0, .last = 1},
                                 {.bytes = 64, .first = 1, .last = 2},
                                 {.bytes = 100, .first = 2, .last = 3}};
  EXPECT_EQ(lay_out(lives), 192u);
  EXPECT_EQ(lives[0].offset, 0u);
  EXPECT_EQ(lives[1].offset, 128u);
  EXPECT_EQ(lives[2].offset, 0u);
}

TEST(Arena, LeavesWhatIsFixedWhereItIs) {
  std::vector<Lifetime> lives = {{.bytes = 64, .first = 0, .last = 9, .offset = 64, .fixed = true},
                                 {.bytes = 65, .first = 1, .last = 2},
                                 {.bytes = 64, .first = 1, .last = 2}};
  lay_out(lives);
  EXPECT_EQ(lives[0].offset, 64u);
  EXPECT_EQ(lives[1].offset, 128u);
  EXPECT_EQ(lives[2].offset, 0u);
}

TEST(Arena, NeverOverlapsOnRandomLifetimes) {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lives;
    uint32_t steps = 30;
    for (int i = 0; i < 40; ++i) {
      auto first = static_cast<uint32_t>(rng.below(steps));
      lives.push_back(
          {.bytes = rng.below(5000), .first = first, .last = first + static_cast<uint32_t>(rng.below(6))});
    }
    uint64_t peak = lay_out(lives);
    uint64_t most_alive = 0;
    for (uint32_t t = 0; t < steps + 6; ++t) {
      uint64_t alive = 0;
      for (const Lifetime& a : lives) alive += a.first <= t && t <= a.last ? (a.bytes + 63) / 64 * 64 : 0;
      most_alive = std::max(most_alive, alive);
    }
    EXPECT_LE(peak, most_alive * 3 / 2);
    for (size_t i = 0; i < lives.size(); ++i) {
      EXPECT_EQ(lives[i].offset % kArenaAlignment, 0u);
      for (size_t j = 0; j < i; ++j) {
        const Lifetime& a = lives[i];
        const Lifetime& b = lives[j];
        bool together = a.first <= b.last && b.first <= a.last && a.bytes > 0 && b.bytes > 0;
        EXPECT_FALSE(together && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes);
      }
    }
  }
}

}  // namespace
}  // namespace fuselane
