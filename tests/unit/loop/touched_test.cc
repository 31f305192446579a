// What a kernel touches, of kernels as text.
#include <gtest/gtest.h>

#include "loop/interpret.h"
#include "loop/parse.h"

namespace fuselane::loop {
namespace {

using Extents = std::vector<std::vector<int64_t>>;

Extents touched(std::string_view text, std::vector<int64_t> sizes) {
  auto result = extents_touched(parse_kernel(text).value(), sizes);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(Extents());
}

TEST(Touched, IsCountedAlongEachDimension) {
  const char* reversed = R"(kernel "r" {
    size n, m, x_row
    memory x f32 strides [x_row, 1]
    memory y f32 written strides [m, 1]
    memory z f32 strides [1]
    nest "r" { for i in n parallel for j in m store y[i, j] = x[i + 2, m - j - 1] }
  })";
  EXPECT_EQ(touched(reversed, {5, 3, 0}), (Extents{{7, 3}, {5, 3}, {0}}));
  EXPECT_EQ(touched(reversed, {0, 3, 0}), (Extents{{0, 0}, {0, 0}, {0}}));
  EXPECT_EQ(touched(reversed, {2000000000, 100, 7}), (Extents{{2000000002, 100}, {2000000000, 100}, {0}}));
}

TEST(Touched, IsInTheMiddleOfALoopForRemainders) {
  const char* around = R"(kernel "r" {
    size n, m
    memory x f32 strides [1]
    memory y f32 written strides [1]
    nest "r" { for i in n store y[i] = x[((i + 3) mod m)] }
  })";
  EXPECT_EQ(touched(around, {50, 45}), (Extents{{45}, {50}}));
}

TEST(Touched, IsStoredWithoutAndReadWithPadding) {
  const char* padded = R"(kernel "r" {
    size n
    memory x f32 padded 8 strides [1]
    memory y f32 written strides [1]
    split i 8 padded as i0, i1 extent n
    nest "r" { for i0 in ((n + 7) / 8) for i1 in 8 store y[8*i0 + i1] = x[8*i0 + i1] }
  })";
  EXPECT_EQ(touched(padded, {803}), (Extents{{808}, {803}}));
}

TEST(Touched, IsNothingBeforeABuffer) {
  const char* before = R"(kernel "r" {
    size n
    memory x f32 strides [1]
    memory y f32 written strides [1]
    nest "r" { for i in n store y[i] = x[i - 1] }
  })";
  auto result = extents_touched(parse_kernel(before).value(), std::vector<int64_t>{5});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "an index of buffer x is negative with these sizes");
  EXPECT_FALSE(extents_touched(parse_kernel(before).value(), {}));
}

}  // namespace
}  // namespace fuselane::loop
