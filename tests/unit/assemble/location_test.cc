// Strides of the same elements under other dimensions, and of neighbouring axes as one.
#include "assemble/location.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace fuselane {
namespace {

// The offsets of all elements, in their order.
std::vector<int64_t> offsets(const Dims& dims, const Dims& strides) {
  std::vector<int64_t> all = {0};
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    std::vector<int64_t> next;
    for (int64_t before : all) {
      for (int64_t i = 0; i < dims[axis]; ++i) next.push_back(before + i * strides[axis]);
    }
    all = std::move(next);
  }
  return all;
}

// Factors of 2 and 3 and ones, so that they can be joined and cut in many ways.
Dims random_dims(Rng& rng, std::vector<int64_t> factors) {
  for (size_t i = factors.size(); i > 1; --i) std::swap(factors[i - 1], factors[rng.below(i)]);
  Dims dims = {1};
  for (int64_t factor : factors) {
    if (rng.below(2) == 0) dims.push_back(1);
    dims.back() *= factor;
  }
  if (rng.below(3) == 0) dims.push_back(1);
  return dims;
}

TEST(Location, ReshapedStridesNameTheSameElements) {
  Rng rng(31);
  int found = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<int64_t> factors = {2, 3, 2, 2};
    Dims dims = random_dims(rng, factors), to = random_dims(rng, factors);
    Dims strides;
    // Dense, or with gaps, or in another order.
    Dims dense = strides_of(dims);
    for (int64_t stride : dense) strides.push_back(stride * (rng.below(3) == 0 ? 2 : 1));
    if (rng.below(3) == 0) std::swap(strides.front(), strides.back());
    auto reshaped = reshaped_strides(dims, strides, to);
    if (strides == dense) {
      ASSERT_TRUE(reshaped);
    }
    if (!reshaped) continue;
    ++found;
    ASSERT_EQ(offsets(to, *reshaped), offsets(dims, strides))
        << text_of(dims) << text_of(strides) << text_of(to);
  }
  EXPECT_GT(found, 1000);
}

TEST(Location, ReshapingIsNotRefusedWhereAxesStayOrSplit) {
  // Columns of a wider matrix as heads, and heads of a transposed one that join no more.
  EXPECT_EQ(reshaped_strides(Dims{5, 6}, Dims{18, 1}, Dims{5, 2, 3}), (Dims{18, 3, 1}));
  EXPECT_EQ(reshaped_strides(Dims{2, 5, 3}, Dims{3, 6, 1}, Dims{10, 3}), std::nullopt);
  EXPECT_EQ(reshaped_strides(Dims{2, 5, 3}, Dims{3, 6, 1}, Dims{2, 5, 1, 3}), (Dims{3, 6, 3, 1}));
}

TEST(Location, JointStridesWalkAllElements) {
  EXPECT_EQ(joint_stride(Dims{2, 1, 3}, Dims{30, 7, 10}), 10);
  EXPECT_EQ(joint_stride(Dims{2, 3}, Dims{31, 10}), std::nullopt);
  EXPECT_EQ(joint_stride(Dims{1, 1}, Dims{4, 5}), 0);
  EXPECT_EQ(joint_stride(Dims{}, Dims{}), 0);
}

TEST(Location, AxesOfOneElementTakeNoStep) {
  EXPECT_TRUE(same_strides(Dims{1, 3}, Dims{8, 1}, Dims{3, 1}));
  EXPECT_FALSE(same_strides(Dims{2, 3}, Dims{8, 1}, Dims{3, 1}));
  EXPECT_EQ(dense_strides(Dims{2, 3, 4, 5}, Layout::ChannelsLast), (Dims{60, 1, 15, 3}));
}

}  // namespace
}  // namespace fuselane
