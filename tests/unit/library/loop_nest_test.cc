#include "library/loop_nest.h"

#include "tests/unit/library/nest_case.h"

namespace fuselane {
namespace {

LoopNest nest_of(Dims to, std::vector<Dims> operands) {
  std::vector<Dims> strides = {strides_of(to)};
  for (const Dims& operand : operands) strides.push_back(broadcast_strides(operand, to));
  return collapse(to, strides).value();
}

TEST(Collapse, EqualDimsAreOneLoop) {
  LoopNest nest = nest_of({2, 3, 4, 5}, {{2, 3, 4, 5}, {2, 3, 4, 5}});
  ASSERT_EQ(nest.loops, 1u);
  EXPECT_EQ(nest.extent[0], 120u);
  EXPECT_TRUE(has_plain_rows(nest, 3));
}

TEST(Collapse, AVectorOverTheLastAxisIsTwoLoops) {
  LoopNest nest = nest_of({2, 3, 4, 5}, {{2, 3, 4, 5}, {5}});
  ASSERT_EQ(nest.loops, 2u);
  EXPECT_EQ(nest.extent[0], 24u);
  EXPECT_EQ(nest.extent[1], 5u);
  EXPECT_EQ(nest.stride[2][0], 0);
  EXPECT_EQ(nest.stride[2][1], 1);
}

TEST(Collapse, AScaleOfChannelsHasASingleElementInItsRows) {
  LoopNest nest = nest_of({1, 3, 4, 5}, {{1, 3, 4, 5}, {3, 1, 1}});
  ASSERT_EQ(nest.loops, 2u);
  EXPECT_EQ(nest.extent[0], 3u);
  EXPECT_EQ(nest.extent[1], 20u);
  EXPECT_EQ(nest.stride[2][0], 1);
  EXPECT_EQ(nest.stride[2][1], 0);
  EXPECT_TRUE(has_plain_rows(nest, 3));
}

TEST(Collapse, AScalarIsOneStep) {
  LoopNest nest = nest_of({}, {{}, {}});
  EXPECT_EQ(nest.loops, 1u);
  EXPECT_EQ(nest.extent[0], 1u);
  EXPECT_TRUE(has_plain_rows(nest, 3));
  EXPECT_EQ(piece_count(nest, 16), 1u);
}

TEST(Collapse, NothingToDo) { EXPECT_EQ(piece_count(nest_of({3, 0, 4}, {{3, 0, 4}}), 16), 0u); }

TEST(Collapse, RefusesWhatHasNoPlace) {
  Dims seven = {2, 2, 2, 2, 2, 2, 2};
  std::vector<Dims> backwards = {strides_of(seven), {1, 2, 4, 8, 16, 32, 64}};
  EXPECT_FALSE(collapse(seven, backwards));
  EXPECT_FALSE(collapse(Dims{2}, std::vector<Dims>{{int64_t{1} << 31}}));
  EXPECT_FALSE(collapse(Dims{1 << 16, 1 << 16}, std::vector<Dims>{{1 << 16, 1}}));
}

TEST(Collapse, PiecesVisitEveryElementOnceInAnyOrder) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    Broadcast b = random_broadcast(rng, 3);
    const LoopNest& nest = b.nest;
    std::vector<size_t> seen;  // offsets of result and operands, one after the other
    uint32_t chunk = pick(rng, 1, 9);
    uint32_t units = piece_count(nest, chunk);
    uint32_t cut = pick(rng, 0, units);
    for (auto [begin, end] : {std::pair{0u, cut}, std::pair{cut, units}}) {
      each_piece(nest, 4, chunk, begin, end, [&](const NestCursor& cursor, uint32_t first, uint32_t count) {
        for (uint32_t i = first; i < first + count; ++i) {
          for (uint32_t a = 0; a < 4; ++a)
            seen.push_back(static_cast<size_t>(cursor.offset(a) + int64_t{i} * nest.stride[a][nest.last()]));
        }
      });
    }
    std::vector<size_t> expected;
    b.each_element(
        [&](const std::vector<size_t>& at) { expected.insert(expected.end(), at.begin(), at.end()); });
    if (expected.size() == 4) expected = std::vector<size_t>(4, 0);
    ASSERT_EQ(seen, expected);
  }
}

}  // namespace
}  // namespace fuselane
