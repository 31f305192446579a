// Conv: the specification's examples, each attribute by hand, and a plain restatement on random shapes.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/conv_shapes.h"
#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using Ints = std::vector<int64_t>;

std::vector<double> counting(int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  return values;
}
std::vector<double> ones(size_t count) { return std::vector<double>(count, 1); }

const Elements kImage = f32({1, 1, 5, 5}, counting(25));
const Elements kTall = f32({1, 1, 7, 5}, counting(35));
const Elements kBox = f32({1, 1, 3, 3}, ones(9));

TEST(Conv, SpecificationExamples) {
  expect_all({
      {"with padding",
       Op::Conv,
       {{Attr::Pads, Ints{1, 1, 1, 1}}},
       {kImage, kBox},
       {f32({1, 1, 5, 5}, {12,  21, 27, 33,  24,  33,  54,  63, 72,  51,  63,  99, 108,
                           117, 81, 93, 144, 153, 162, 111, 72, 111, 117, 123, 84})}},
      {"without padding",
       Op::Conv,
       {},
       {kImage, kBox},
       {f32({1, 1, 3, 3}, {54, 63, 72, 99, 108, 117, 144, 153, 162})}},
      {"SAME_LOWER",
       Op::Conv,
       {{Attr::AutoPad, "SAME_LOWER"}, {Attr::Strides, Ints{2, 2}}},
       {kImage, kBox},
       {f32({1, 1, 3, 3}, {12, 27, 24, 63, 108, 81, 72, 117, 84})}},
      {"strides with padding",
       Op::Conv,
       {{Attr::Pads, Ints{1, 1, 1, 1}}, {Attr::Strides, Ints{2, 2}}},
       {kTall, kBox},
       {f32({1, 1, 4, 3}, {12, 27, 24, 63, 108, 81, 123, 198, 141, 112, 177, 124})}},
      {"strides without padding",
       Op::Conv,
       {{Attr::Strides, Ints{2, 2}}},
       {kTall, kBox},
       {f32({1, 1, 3, 2}, {54, 72, 144, 162, 234, 252})}},
      {"strides with padding along one axis",
       Op::Conv,
       {{Attr::Pads, Ints{1, 0, 1, 0}}, {Attr::Strides, Ints{2, 2}}},
       {kTall, kBox},
       {f32({1, 1, 4, 2}, {21, 33, 99, 117, 189, 207, 171, 183})}},
  });
}

TEST(Conv, PadsBySide) {
  Elements four = f32({1, 1, 4}, {1, 2, 3, 4});
  Elements five = f32({1, 1, 5}, {1, 2, 3, 4, 5});
  Elements two_taps = f32({1, 1, 2}, {1, 10});
  Elements three_taps = f32({1, 1, 3}, {1, 10, 100});
  expect_all({
      {"SAME_UPPER puts the odd cell at the end",
       Op::Conv,
       {{Attr::AutoPad, "SAME_UPPER"}},
       {four, two_taps},
       {f32({1, 1, 4}, {21, 32, 43, 4})}},
      {"SAME_LOWER puts it at the beginning",
       Op::Conv,
       {{Attr::AutoPad, "SAME_LOWER"}},
       {four, two_taps},
       {f32({1, 1, 4}, {10, 21, 32, 43})}},
      {"SAME counts the dilation",
       Op::Conv,
       {{Attr::AutoPad, "SAME_UPPER"}, {Attr::Dilations, Ints{2}}},
       {five, three_taps},
       {f32({1, 1, 5}, {310, 420, 531, 42, 53})}},
      {"SAME with a stride above the kernel needs no padding",
       Op::Conv,
       {{Attr::AutoPad, "SAME_UPPER"}, {Attr::Strides, Ints{3}}},
       {five, two_taps},
       {f32({1, 1, 2}, {21, 54})}},
      {"VALID ignores explicit pads",
       Op::Conv,
       {{Attr::AutoPad, "VALID"}, {Attr::Pads, Ints{7, 7}}, {Attr::Strides, Ints{2}}},
       {five, three_taps},
       {f32({1, 1, 2}, {321, 543})}},
      {"uneven pads, wider than the kernel",
       Op::Conv,
       {{Attr::Pads, Ints{3, 1}}},
       {four, two_taps},
       {f32({1, 1, 7}, {0, 0, 10, 21, 32, 43, 4})}},
      {"dilation and stride",
       Op::Conv,
       {{Attr::Pads, Ints{1, 2}}, {Attr::Dilations, Ints{3}}, {Attr::Strides, Ints{2}}},
       {five, two_taps},
       {f32({1, 1, 3}, {30, 52, 4})}},
  });
}

TEST(Conv, ChannelsAndGroups) {
  expect_all({
      {"bias and two images",
       Op::Conv,
       {},
       {f32({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), f32({3, 2, 1, 1}, {1, 0, 0, 1, 1, 1}),
        f32({3}, {0.5, 0, -1})},
       {f32({2, 3, 1, 2}, {1.5, 2.5, 3, 4, 3, 5, 5.5, 6.5, 7, 8, 11, 13})}},
      {"two groups of two inputs and one output",
       Op::Conv,
       {{Attr::Group, int64_t{2}}},
       {f32({1, 4, 1}, {1, 2, 3, 4}), f32({2, 2, 1}, {1, 10, 100, 1000})},
       {f32({1, 2, 1}, {21, 4300})}},
      {"depthwise with two outputs a channel",
       Op::Conv,
       {{Attr::Group, int64_t{2}}},
       {f32({1, 2, 2}, {1, 2, 3, 4}), f32({4, 1, 2}, {1, 0, 0, 1, 1, 1, 1, -1})},
       {f32({1, 4, 1}, {1, 2, 7, -1})}},
      {"an absent bias",
       Op::Conv,
       {},
       {f32({1, 1, 1}, {3}), f32({1, 1, 1}, {2}), absent()},
       {f32({1, 1, 1}, {6})}},
      {"no images", Op::Conv, {}, {f32({0, 1, 3}, {}), f32({2, 1, 2}, ones(4))}, {f32({0, 2, 2}, {})}},
      {"no input channels",
       Op::Conv,
       {},
       {f32({1, 0, 2}, {}), f32({2, 0, 1}, {}), f32({2}, {5, 7})},
       {f32({1, 2, 2}, {5, 5, 7, 7})}},
      {"a window one longer than the input",
       Op::Conv,
       {},
       {f32({1, 1, 2}, {1, 2}), f32({1, 1, 3}, ones(3))},
       {f32({1, 1, 0}, {})}},
      {"a volume",
       Op::Conv,
       {},
       {f32({1, 1, 2, 2, 3}, counting(12)), f32({1, 1, 2, 1, 2}, {1, 10, 100, 1000})},
       {f32({1, 1, 1, 2, 2}, {7610, 8721, 10943, 12054})}},
  });
}

TEST(Conv, ElementTypesAndSpecialValues) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  double infinity = std::numeric_limits<double>::infinity();
  auto f16 = [](Dims dims, std::vector<double> v) {
    return numbers(DType::Float16, std::move(dims), std::move(v));
  };
  expect_all({
      {"float64",
       Op::Conv,
       {},
       {f64({1, 1, 2}, {0.1, 1e300}), f64({1, 1, 1}, {3})},
       {f64({1, 1, 2}, {0.1 * 3, 3e300})}},
      {"float16 rounds once",
       Op::Conv,
       {},
       {f16({1, 3, 1}, {2048, 1, 1}), f16({1, 3, 1}, {1, 1, 1})},
       {f16({1, 1, 1}, {2050})}},
      {"float32 sums in double",
       Op::Conv,
       {},
       {f32({1, 3, 1}, {16777216, 1, 1}), f32({1, 3, 1}, {1, 1, 1})},
       {f32({1, 1, 1}, {16777218})}},
      {"NaN and infinity reach the windows that hold them",
       Op::Conv,
       {{Attr::Pads, Ints{1, 1}}},
       {f32({1, 1, 4}, {nan, 1, 2, infinity}), f32({1, 1, 2}, {1, 0})},
       {f32({1, 1, 5}, {nan, nan, 1, nan, infinity})}},
      {"padding adds nothing, whatever the weight",
       Op::Conv,
       {{Attr::Pads, Ints{1, 0}}},
       {f32({1, 1, 1}, {2}), f32({1, 1, 2}, {infinity, 3})},
       {f32({1, 1, 1}, {6})}},
  });
}

TEST(Conv, RefusesWhatDoesNotFit) {
  Elements x = f32({1, 2, 4}, counting(8));
  Elements w = f32({2, 2, 3}, ones(12));
  auto refused = [](std::string name, Attributes attributes, std::vector<Elements> inputs,
                    std::string message) {
    expect_error({name, Op::Conv, attributes, inputs, ErrorCode::InvalidModel, "a Conv node: " + message});
  };
  refused("types", {}, {x, f64({2, 2, 3}, ones(12))},
          "inputs 0 and 1 must have one type, not float32 and float64");
  refused("integers", {}, {i32({1, 1, 1}, {1}), i32({1, 1, 1}, {1})}, "input 0 may not be int32");
  refused("no spatial axis", {}, {f32({1, 2}, ones(2)), w}, "input 0 must have rank at least 3, not 2");
  refused("ranks", {}, {x, f32({1, 2, 1, 1}, ones(2))}, "inputs 0 and 1 must have one rank, not 3 and 4");
  refused("channels", {}, {f32({1, 3, 4}, ones(12)), w},
          "input 0 has 3 channels, the weights take 2 in each of 1 groups");
  refused("groups", {{Attr::Group, int64_t{3}}}, {f32({1, 6, 4}, ones(24)), w},
          "2 output channels do not divide into 3 groups");
  refused("no group", {{Attr::Group, int64_t{0}}}, {x, w}, "attribute 'group' must be at least 1, not 0");
  refused("bias", {}, {x, w, f32({3}, ones(3))}, "input 2 must have 2 elements, not 3");
  refused("auto_pad", {{Attr::AutoPad, "SAME"}}, {x, w},
          "auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, not 'SAME'");
  refused("strides", {{Attr::Strides, Ints{0}}}, {x, w}, "attribute 'strides' must be at least 1, not 0");
  refused("dilations", {{Attr::Dilations, Ints{1, 1}}}, {x, w},
          "attribute 'dilations' must have 1 elements, not 2");
  refused("pads", {{Attr::Pads, Ints{0, -1}}}, {x, w}, "attribute 'pads' must be at least 0, not -1");
  refused("window", {{Attr::Dilations, Ints{3}}}, {x, w},
          "its window of extent 7 does not fit the padded extent 4 of spatial axis 0");
  refused("an empty kernel", {}, {x, f32({2, 2, 0}, {})}, "its window has extent 0, must be at least 1");
  refused("a huge dilation", {{Attr::Dilations, Ints{int64_t{1} << 62}}}, {x, w},
          "its window overflows at spatial axis 0");
  refused("huge pads", {{Attr::Pads, Ints{0, int64_t{1} << 59}}}, {x, w},
          "its result f32[1,2,576460752303423490] is too large");
}

TEST(Conv, AgreesWithSumsOverAllPairs) {
  Rng rng(7);
  for (int round = 0; round < 40; ++round) {
    ConvShape s = random_shape(rng);
    std::vector<double> x = random_integers(rng, s.x), w = random_integers(rng, s.w);
    std::vector<double> y(static_cast<size_t>(count_of(s.y)));
    std::vector<Dims> at_x = positions_of(s.x), at_y = positions_of(s.y);
    for (size_t o = 0; o < y.size(); ++o) {
      for (size_t i = 0; i < x.size(); ++i) {
        int64_t at = connecting_weight(s, at_x[i], at_y[o]);
        if (at >= 0) y[o] += x[i] * w[static_cast<size_t>(at)];
      }
    }
    Attributes attributes = {{Attr::Strides, s.strides},
                             {Attr::Dilations, s.dilations},
                             {Attr::Pads, s.pads},
                             {Attr::Group, s.group}};
    expect_results(
        {"round " + std::to_string(round), Op::Conv, attributes, {f32(s.x, x), f32(s.w, w)}, {f32(s.y, y)}});
  }
}

}  // namespace
}  // namespace fuselane
