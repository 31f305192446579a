// Resize: the specification's examples, and each mode by hand.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// The scales are float32, and so are the examples' results.
constexpr double kRounding = 1e-6;

std::vector<double> counting(int count) {
  std::vector<double> values;
  for (int i = 1; i <= count; ++i) values.push_back(i);
  return values;
}

const Elements kTwo = f32({1, 1, 2, 2}, counting(4));
const Elements kFour = f32({1, 1, 4, 4}, counting(16));
const Elements kRow = f32({4}, counting(4));

std::vector<Elements> by_scales(Elements x, std::vector<double> scales) {
  auto count = static_cast<int64_t>(scales.size());
  return {std::move(x), absent(), f32({count}, std::move(scales))};
}
std::vector<Elements> by_sizes(Elements x, std::vector<int64_t> sizes) {
  auto count = static_cast<int64_t>(sizes.size());
  return {std::move(x), absent(), absent(), i64({count}, std::move(sizes))};
}
std::vector<Elements> by_region(Elements x, std::vector<double> roi, std::vector<int64_t> sizes) {
  std::vector<Elements> inputs = by_sizes(std::move(x), std::move(sizes));
  inputs[1] = f32({static_cast<int64_t>(roi.size())}, std::move(roi));
  return inputs;
}

Attributes nearest(const char* coordinates, const char* rounding) {
  return {{Attr::CoordinateMode, coordinates}, {Attr::NearestMode, rounding}};
}
Attributes linear(const char* coordinates) {
  return {{Attr::Mode, "linear"}, {Attr::CoordinateMode, coordinates}};
}

TEST(Resize, NearestExamplesOfTheSpecification) {
  expect_all({
      {"up", Op::Resize, {}, by_scales(kTwo, {1, 1, 2, 3}), {f32({1, 1, 4, 6}, {1, 1, 1, 2, 2, 2, 1, 1,
                                                                                1, 2, 2, 2, 3, 3, 3, 4,
                                                                                4, 4, 3, 3, 3, 4, 4, 4})}},
      {"down",
       Op::Resize,
       {},
       by_scales(f32({1, 1, 2, 4}, counting(8)), {1, 1, 0.6, 0.6}),
       {f32({1, 1, 1, 2}, {1, 3})}},
      {"to sizes",
       Op::Resize,
       {},
       by_sizes(f32({1, 1, 2, 4}, counting(8)), {1, 1, 1, 3}),
       {f32({1, 1, 1, 3}, {1, 2, 4})}},
      {"tf_half_pixel_for_nn",
       Op::Resize,
       {{Attr::CoordinateMode, "tf_half_pixel_for_nn"}},
       by_sizes(kFour, {1, 1, 3, 2}),
       {f32({1, 1, 3, 2}, {6, 8, 10, 12, 14, 16})}},
      {"ceil, half_pixel",
       Op::Resize,
       nearest("half_pixel", "ceil"),
       by_sizes(kRow, {8}),
       {f32({8}, {1, 2, 2, 3, 3, 4, 4, 4})}},
      {"floor, align_corners",
       Op::Resize,
       nearest("align_corners", "floor"),
       by_sizes(kRow, {8}),
       {f32({8}, {1, 1, 1, 2, 2, 3, 3, 4})}},
      {"round_prefer_ceil, asymmetric",
       Op::Resize,
       nearest("asymmetric", "round_prefer_ceil"),
       by_sizes(kRow, {8}),
       {f32({8}, {1, 2, 2, 3, 3, 4, 4, 4})}},
  });
}

TEST(Resize, NearestRoundsAsAsked) {
  // Coordinates 0, 0.5, 1, 1.5, 2, 2.5 with a scale of 2, and -0.25, 0.25, ... with half_pixel.
  Elements x = i32({3}, {10, 20, 30});
  expect_all({
      {"floor",
       Op::Resize,
       nearest("asymmetric", "floor"),
       by_scales(x, {2}),
       {i32({6}, {10, 10, 20, 20, 30, 30})}},
      {"ceil",
       Op::Resize,
       nearest("asymmetric", "ceil"),
       by_scales(x, {2}),
       {i32({6}, {10, 20, 20, 30, 30, 30})}},
      {"round_prefer_floor",
       Op::Resize,
       nearest("asymmetric", "round_prefer_floor"),
       by_scales(x, {2}),
       {i32({6}, {10, 10, 20, 20, 30, 30})}},
      {"round_prefer_ceil",
       Op::Resize,
       nearest("asymmetric", "round_prefer_ceil"),
       by_scales(x, {2}),
       {i32({6}, {10, 20, 20, 30, 30, 30})}},
      {"below the first element",
       Op::Resize,
       nearest("half_pixel", "floor"),
       by_scales(x, {2}),
       {i32({6}, {10, 10, 10, 20, 20, 30})}},
      // 7 * 6 / 14 is 3, though 14 / 6 has no exact double.
      {"whole coordinates stay whole",
       Op::Resize,
       nearest("asymmetric", "floor"),
       by_sizes(i32({6}, {0, 1, 2, 3, 4, 5}), {14}),
       {i32({14}, {0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5})}},
      {"every second element, corner to corner",
       Op::Resize,
       nearest("align_corners", "floor"),
       by_sizes(i32({7}, {0, 1, 2, 3, 4, 5, 6}), {4}),
       {i32({4}, {0, 2, 4, 6})}},
      {"one output position",
       Op::Resize,
       nearest("pytorch_half_pixel", "ceil"),
       by_sizes(x, {1}),
       {i32({1}, {10})}},
      {"one output position, corners",
       Op::Resize,
       nearest("align_corners", "ceil"),
       by_sizes(x, {1}),
       {i32({1}, {10})}},
  });
}

TEST(Resize, LinearExamplesOfTheSpecification) {
  expect_all({
      {"up",
       Op::Resize,
       linear("half_pixel"),
       by_scales(kTwo, {1, 1, 2, 2}),
       {f32({1, 1, 4, 4}, {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4})}},
      {"up with align_corners",
       Op::Resize,
       linear("align_corners"),
       by_scales(kTwo, {1, 1, 2, 2}),
       {f32({1, 1, 4, 4}, {1, 4.0 / 3, 5.0 / 3, 2, 5.0 / 3, 2, 7.0 / 3, 8.0 / 3, 7.0 / 3, 8.0 / 3, 3,
                           10.0 / 3, 3, 10.0 / 3, 11.0 / 3, 4})},
       kRounding},
      {"down",
       Op::Resize,
       linear("half_pixel"),
       by_scales(f32({1, 1, 2, 4}, counting(8)), {1, 1, 0.6, 0.6}),
       {f32({1, 1, 1, 2}, {8.0 / 3, 13.0 / 3})},
       kRounding},
      {"pytorch_half_pixel to one column",
       Op::Resize,
       linear("pytorch_half_pixel"),
       by_sizes(kFour, {1, 1, 3, 1}),
       {f32({1, 1, 3, 1}, {5.0 / 3, 7, 37.0 / 3})},
       kRounding},
      {"half_pixel_symmetric",
       Op::Resize,
       linear("half_pixel_symmetric"),
       by_scales(kRow, {0.6}),
       {f32({2}, {5.0 / 3, 10.0 / 3})},
       kRounding},
      {"a region",
       Op::Resize,
       linear("tf_crop_and_resize"),
       by_region(kFour, {0, 0, 0.4, 0.6, 1, 1, 0.6, 0.8}, {1, 1, 3, 3}),
       {f32({1, 1, 3, 3}, {7.6, 7.9, 8.2, 8.8, 9.1, 9.4, 10, 10.3, 10.6})},
       kRounding},
      {"a region that reaches outside",
       Op::Resize,
       {{Attr::Mode, "linear"},
        {Attr::CoordinateMode, "tf_crop_and_resize"},
        {Attr::ExtrapolationValue, 10.0}},
       by_region(kFour, {0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7}, {1, 1, 3, 3}),
       {f32({1, 1, 3, 3}, {7.6, 10, 10, 12.4, 10, 10, 10, 10, 10})},
       kRounding},
  });
}

TEST(Resize, LinearByHand) {
  expect_all({
      // The last coordinate is that of the last element, the extent a whole number: 3 * 0.7 gives 2.
      {"align_corners reaches the corner when the extent was rounded down",
       Op::Resize,
       linear("align_corners"),
       by_scales(f32({3}, {1, 5, 9}), {0.7}),
       {f32({2}, {1, 9})}},
      {"one position", Op::Resize, linear("align_corners"), by_sizes(kRow, {1}), {f32({1}, {1})}},
      {"half_pixel_symmetric is half_pixel where nothing was rounded",
       Op::Resize,
       linear("half_pixel_symmetric"),
       by_sizes(f32({2}, {0, 4}), {4}),
       {f32({4}, {0, 1, 3, 4})}},
      {"asymmetric",
       Op::Resize,
       linear("asymmetric"),
       by_scales(f32({2}, {0, 4}), {2}),
       {f32({4}, {0, 2, 4, 4})}},
      {"a volume with its channels left alone",
       Op::Resize,
       linear("align_corners"),
       by_sizes(f32({2, 2, 1, 2}, {0, 2, 4, 6, 10, 12, 14, 16}), {2, 3, 1, 3}),
       {f32({2, 3, 1, 3}, {0, 1, 2, 2, 3, 4, 4, 5, 6, 10, 11, 12, 12, 13, 14, 14, 15, 16})}},
      {"exclude_outside changes nothing at the edges",
       Op::Resize,
       {{Attr::Mode, "linear"}, {Attr::ExcludeOutside, int64_t{1}}},
       by_scales(f32({2}, {0, 4}), {2}),
       {f32({4}, {0, 1, 3, 4})}},
      {"infinity stays in its place",
       Op::Resize,
       linear("align_corners"),
       by_sizes(f32({2, 3}, {1, kInfinity, 2, 3, kNaN, 4}), {2, 5}),
       {f32({2, 5}, {1, kInfinity, kInfinity, kInfinity, 2, 3, kNaN, kNaN, kNaN, 4})}},
      {"int32 truncates",
       Op::Resize,
       linear("half_pixel"),
       by_scales(i32({2}, {-3, 0}), {2}),
       {i32({4}, {-3, -2, 0, 0})}},
      {"uint8",
       Op::Resize,
       linear("half_pixel"),
       by_scales(u8({2}, {0, 255}), {2}),
       {u8({4}, {0, 63, 191, 255})}},
      {"float64",
       Op::Resize,
       linear("half_pixel"),
       by_scales(f64({2}, {0, 1e300}), {2}),
       {f64({4}, {0, 0.25e300, 0.75e300, 1e300})}},
  });
}

// On a plane that rises by 4 a row and 1 a column, the sums of rows and columns.
TEST(Resize, Cubic) {
  std::vector<double> steps = {-0.10546875, 0.19140625, 0.66796875, 1.296875,
                               1.703125,    2.33203125, 2.80859375, 3.10546875};
  std::vector<double> plane, row;
  for (double down : steps) {
    row.push_back(1 + down);
    for (double right : steps) plane.push_back(1 + 4 * down + right);
  }
  // The specification's first row for a = -0.5 with exclude_outside, less what the first column's place takes
  // away.
  std::vector<double> excluded;
  for (double v :
       {0.55882353, 0.81494204, 1.35698249, 1.89705882, 2.39705882, 2.93713516, 3.47917561, 3.73529412}) {
    excluded.push_back(v + 4 * 0.08823529411764706);
  }
  Attributes cubic = {{Attr::Mode, "cubic"}};
  Attributes excluding = {
      {Attr::Mode, "cubic"}, {Attr::CubicCoeffA, -0.5}, {Attr::ExcludeOutside, int64_t{1}}};
  Attributes corners = {{Attr::Mode, "cubic"}, {Attr::CoordinateMode, "align_corners"}};
  expect_all({
      {"up", Op::Resize, cubic, by_scales(kFour, {1, 1, 2, 2}), {f32({1, 1, 8, 8}, plane)}},
      {"one axis", Op::Resize, cubic, by_sizes(kRow, {8}), {f32({8}, row)}},
      {"exclude_outside", Op::Resize, excluding, by_scales(kRow, {2}), {f32({8}, excluded)}, kRounding},
      // At 1.5 the weights of a = -0.75 are -3/32, 19/32, 19/32, -3/32.
      {"align_corners", Op::Resize, corners, by_sizes(f32({4}, {0, 32, 64, 0}), {3}), {f32({3}, {0, 57, 0})}},
      {"one element", Op::Resize, cubic, by_sizes(f32({1}, {7}), {3}), {f32({3}, {7, 7, 7})}},
      {"one element, outside excluded",
       Op::Resize,
       excluding,
       by_sizes(f32({1}, {7}), {3}),
       {f32({3}, {7, 7, 7})}},
      {"the same size is the same elements",
       Op::Resize,
       cubic,
       by_scales(f32({3}, {kInfinity, 1, -kInfinity}), {1}),
       {f32({3}, {kInfinity, 1, -kInfinity})}},
  });
}

TEST(Resize, RegionsExtentsAndTypes) {
  Attributes crop = {{Attr::CoordinateMode, "tf_crop_and_resize"}, {Attr::ExtrapolationValue, -1.0}};
  Elements x = i64({5}, {(int64_t{1} << 53) + 1, 2, 3, 4, 5});
  expect_all({
      {"nearest in a region, exact for large integers",
       Op::Resize,
       crop,
       by_region(x, {0, 1}, {3}),
       {i64({3}, {(int64_t{1} << 53) + 1, 3, 5})}},
      {"a region read backwards", Op::Resize, crop, by_region(x, {1, 0.5}, {3}), {i64({3}, {5, 4, 3})}},
      {"the middle of a region for one position",
       Op::Resize,
       crop,
       by_region(x, {0.5, 1}, {1}),
       {i64({1}, {4})}},
      {"outside on both sides", Op::Resize, crop, by_region(x, {-0.5, 1.5}, {3}), {i64({3}, {-1, 3, -1})}},
      {"no region at all", Op::Resize, crop, by_region(x, {kNaN, 1}, {2}), {i64({2}, {-1, -1})}},
      {"a scale is of the region's extent",
       Op::Resize,
       crop,
       {x, f32({2}, {0.25, 0.75}), f32({1}, {2})},
       {i64({5}, {2, 2, 3, 3, 4})}},
      {"a region that no mode reads",
       Op::Resize,
       {},
       {kRow, f32({8}, std::vector<double>(8, 0.5)), f32({1}, {0.5})},
       {f32({2}, {1, 3})}},
      {"empty lists count as left out",
       Op::Resize,
       {},
       {kRow, f32({0}, {}), f32({0}, {}), i64({1}, {2})},
       {f32({2}, {1, 3})}},
      {"empty sizes",
       Op::Resize,
       {},
       {kRow, f32({0}, {}), f32({1}, {0.5}), i64({0}, {})},
       {f32({2}, {1, 3})}},
      {"int32 sizes", Op::Resize, {}, {kRow, absent(), absent(), i32({1}, {2})}, {f32({2}, {1, 3})}},
      // The float32 nearest to 7/3 is below it.
      {"a scale that is not exact",
       Op::Resize,
       {},
       by_scales(i32({3}, {1, 2, 3}), {7.0 / 3}),
       {i32({7}, {1, 1, 2, 2, 2, 3, 3})}},
      {"to nothing", Op::Resize, {}, by_scales(kRow, {0.2}), {f32({0}, {})}},
      {"from nothing", Op::Resize, {}, by_scales(f32({0, 2}, {}), {2, 2}), {f32({0, 4}, {})}},
      {"packed",
       Op::Resize,
       {},
       by_scales(integers(DType::Int4, {3}, {-8, 7, 1}), {2}),
       {integers(DType::Int4, {6}, {-8, -8, 7, 7, 1, 1})}},
      {"bool", Op::Resize, {}, by_scales(boolean({2}, {1, 0}), {2}), {boolean({4}, {1, 1, 0, 0})}},
  });
}

TEST(Resize, RefusesWhatDoesNotFit) {
  auto refused = [](std::string message, Attributes attributes, std::vector<Elements> inputs) {
    expect_error(
        {message, Op::Resize, attributes, inputs, ErrorCode::InvalidModel, "a Resize node: " + message});
  };
  refused("attribute 'mode' must be one of nearest, linear, cubic, not 'area'", {{Attr::Mode, "area"}},
          by_sizes(kRow, {2}));
  refused(
      "attribute 'nearest_mode' must be one of round_prefer_floor, round_prefer_ceil, floor, ceil, not "
      "'simple'",
      {{Attr::NearestMode, "simple"}}, by_sizes(kRow, {2}));
  refused("needs scales or sizes", {}, {kRow});
  refused("needs scales or sizes", {}, {kRow, absent(), f32({0}, {})});
  refused("takes scales or sizes, not both", {}, {kRow, absent(), f32({1}, {2}), i64({1}, {2})});
  refused("input 2 must have 1 elements, not 2", {}, by_scales(kRow, {1, 2}));
  refused("input 3 must have 1 elements, not 4", {}, by_sizes(kRow, {1, 1, 1, 2}));
  refused("input 2 must be float32, not float64", {}, {kRow, absent(), f64({1}, {2})});
  refused("a scale must be positive and finite, not 0", {}, by_scales(kRow, {0}));
  refused("a scale must be positive and finite, not nan", {}, by_scales(kRow, {kNaN}));
  refused("a size must be at least 0, not -2", {}, by_sizes(kRow, {-2}));
  refused("axis 0 has extent 0 and cannot become 3", {}, by_sizes(f32({0}, {}), {3}));
  refused("needs a region (input 1) for tf_crop_and_resize", linear("tf_crop_and_resize"),
          by_sizes(kRow, {2}));
  refused("input 1 must have 2 elements, not 1", linear("tf_crop_and_resize"), by_region(kRow, {0}, {2}));
  refused("its region and scale give axis 0 an extent of -8", linear("tf_crop_and_resize"),
          {kRow, f32({2}, {1, 0}), f32({1}, {2})});
  refused("its result f32[1099511627776,1099511627776] is too large", {},
          by_sizes(f32({1, 1}, {1}), {int64_t{1} << 40, int64_t{1} << 40}));
  refused("input 0 may not be complex64", linear("half_pixel"),
          by_sizes(numbers(DType::Complex64, {0}, {}), {0}));
  expect_error({"strings",
                Op::Resize,
                {},
                by_sizes(numbers(DType::String, {0}, {}), {0}),
                ErrorCode::UnsupportedModel,
                "a Resize node: input 0 holds strings, which are not supported here"});
}

}  // namespace
}  // namespace fuselane
