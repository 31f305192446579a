// Counts that overflow, strides, axes, and what is certain of symbolic dimensions.
#include "types/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace fuselane {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(ElementCount, Multiplies) {
  EXPECT_EQ(element_count(Dims{}), 1);
  EXPECT_EQ(element_count(Dims{2, 3, 4}), 24);
  EXPECT_EQ(element_count(Dims{2, 0, 4}), 0);
  EXPECT_EQ(element_count(Dims{kMost}), kMost);
}

TEST(ElementCount, SaysWhenItOverflows) {
  EXPECT_EQ(element_count(Dims{kMost, 2}), std::nullopt);
  EXPECT_EQ(element_count(Dims{int64_t{1} << 32, int64_t{1} << 31}), std::nullopt);
  EXPECT_EQ(element_count(Dims{int64_t{1} << 32, int64_t{1} << 32, 0}),
            std::nullopt);  // its strides overflow
  EXPECT_EQ(element_count(Dims{0, int64_t{1} << 32, int64_t{1} << 32}), std::nullopt);
  EXPECT_EQ(element_count(Dims{-1}), std::nullopt);
  EXPECT_EQ(element_count(Dims{0, -1}), std::nullopt);
}

TEST(Strides, AreRowMajor) {
  EXPECT_EQ(strides_of(Dims{}), Dims{});
  EXPECT_EQ(strides_of(Dims{2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(strides_of(Dims{2, 0, 4}), (Dims{4, 4, 1}));
}

TEST(Axis, CountsFromBehind) {
  EXPECT_EQ(normalize_axis(1, 3), 1);
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(-3, 3), 0);
  EXPECT_EQ(normalize_axis(3, 3), std::nullopt);
  EXPECT_EQ(normalize_axis(-4, 3), std::nullopt);
  EXPECT_EQ(normalize_axis(0, 0), std::nullopt);
  EXPECT_EQ(normalize_axis(std::numeric_limits<int64_t>::min(), 3), std::nullopt);
}

TEST(Dim, IsKnownOrASymbolOrNeither) {
  SymbolId n(size_t{0});
  SymbolId m(size_t{1});
  EXPECT_TRUE(Dim(0).known());
  EXPECT_FALSE(Dim(n).known());
  EXPECT_TRUE(same_extent(Dim(2), Dim(2)));
  EXPECT_FALSE(same_extent(Dim(2), Dim(3)));
  EXPECT_TRUE(same_extent(Dim(n), Dim(n)));
  EXPECT_FALSE(same_extent(Dim(n), Dim(m)));
  EXPECT_FALSE(same_extent(Dim(n), Dim(2)));
  EXPECT_FALSE(same_extent(Dim(), Dim()));  // two unknown extents may differ
}

TEST(Dims, ConvertWhereAllAreKnown) {
  EXPECT_EQ(concrete(symbolic(Dims{2, 0})), (Dims{2, 0}));
  EXPECT_EQ(concrete(DimVector{}), Dims{});
  EXPECT_EQ(concrete(DimVector{Dim(2), Dim()}), std::nullopt);
  EXPECT_EQ(text_of(Dims{1, 3, 224}), "[1,3,224]");
  EXPECT_EQ(text_of(Dims{}), "[]");
}

}  // namespace
}  // namespace fuselane
