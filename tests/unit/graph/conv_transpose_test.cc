// ConvTranspose: the specification's examples, each attribute by hand, and that it is the transpose of Conv.
#include <gtest/gtest.h>

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

// ConvTranspose is the transpose of Conv as a linear map, with the weights' first two axes read the other way
// round (what Conv's group takes in, the transpose gives out); output_padding makes up for rows that Conv's
// stride skipped.
TEST(ConvTranspose, IsTheTransposeOfConv) {
  Rng rng(8);
  for (int round = 0; round < 40; ++round) {
    ConvShape s = random_shape(rng);
    std::vector<double> y = random_integers(rng, s.y), w = random_integers(rng, s.w);
    std::vector<double> x(static_cast<size_t>(count_of(s.x)));
    std::vector<Dims> at_x = positions_of(s.x), at_y = positions_of(s.y);
    Ints padding;
    for (size_t a = 0; a < s.strides.size(); ++a) {
      int64_t span = (s.w[a + 2] - 1) * s.dilations[a] + 1;
      padding.push_back((s.x[a + 2] + s.pads[a] + s.pads[s.strides.size() + a] - span) % s.strides[a]);
    }
    for (size_t i = 0; i < x.size(); ++i) {
      for (size_t o = 0; o < y.size(); ++o) {
        int64_t at = connecting_weight(s, at_x[i], at_y[o]);
        if (at >= 0) x[i] += y[o] * w[static_cast<size_t>(at)];
      }
    }
    Attributes attributes = {{Attr::Strides, s.strides},
                             {Attr::Dilations, s.dilations},
                             {Attr::Pads, s.pads},
                             {Attr::Group, s.group},
                             {Attr::OutputPadding, padding}};
    expect_results({"round " + std::to_string(round),
                    Op::ConvTranspose,
                    attributes,
                    {f32(s.y, y), f32(s.w, w)},
                    {f32(s.x, x)}});
  }
}

TEST(ConvTranspose, SpecificationExamples) {
  Elements x = f32({1, 1, 3, 3}, counting(9));
  Elements w = f32({1, 2, 3, 3}, ones(18));
  std::vector<double> plane = {0,  1,  3, 3,  2,  3,  8,  15, 12, 7,  9,  21, 36,
                               27, 15, 9, 20, 33, 24, 13, 6,  13, 21, 15, 8};
  std::vector<double> both = plane;
  both.insert(both.end(), plane.begin(), plane.end());
  expect_all({
      {"two output channels", Op::ConvTranspose, {}, {x, w}, {f32({1, 2, 5, 5}, both)}},
      {"one axis",
       Op::ConvTranspose,
       {},
       {f32({1, 1, 3}, {0, 1, 2}), f32({1, 2, 3}, ones(6))},
       {f32({1, 2, 5}, {0, 1, 3, 3, 2, 0, 1, 3, 3, 2})}},
      {"dilations",
       Op::ConvTranspose,
       {{Attr::Dilations, Ints{2, 2}}},
       {f32({1, 1, 3, 3}, {3, 8, 1, 9, 5, 7, 3, 2, 6}), f32({1, 1, 2, 2}, {7, 2, 1, 9})},
       {f32({1, 1, 5, 5}, {21, 56, 13, 16, 2,  63, 35, 67, 10, 14, 24, 22, 76,
                           76, 21, 9,  5,  88, 45, 63, 3,  2,  33, 18, 54})}},
      {"pads crop",
       Op::ConvTranspose,
       {{Attr::Strides, Ints{3, 2}}, {Attr::Pads, Ints{1, 2, 1, 2}}},
       {x, f32({1, 1, 3, 3}, ones(9))},
       {f32({1, 1, 7, 3}, {1, 1, 3, 1, 1, 3, 7, 4, 9, 7, 4, 9, 7, 4, 9, 13, 7, 15, 13, 7, 15})}},
  });
}

TEST(ConvTranspose, ShapesTheOutput) {
  Elements x = f32({1, 1, 2}, {1, 2});
  Elements w = f32({1, 1, 3}, {1, 10, 100});
  expect_all({
      {"stride and output_padding add cells at the end",
       Op::ConvTranspose,
       {{Attr::Strides, Ints{3}}, {Attr::OutputPadding, Ints{2}}},
       {x, w, f32({1}, {1000})},
       {f32({1, 1, 8}, {1001, 1010, 1100, 1002, 1020, 1200, 1000, 1000})}},
      {"output_shape with an odd rest crops the beginning",
       Op::ConvTranspose,
       {{Attr::Strides, Ints{2}}, {Attr::OutputShape, Ints{4}}},
       {x, w},
       {f32({1, 1, 4}, {10, 102, 20, 200})}},
      {"output_shape with SAME_UPPER crops the end",
       Op::ConvTranspose,
       {{Attr::Strides, Ints{2}}, {Attr::OutputShape, Ints{4}}, {Attr::AutoPad, "SAME_UPPER"}},
       {x, w},
       {f32({1, 1, 4}, {1, 10, 102, 20})}},
      {"SAME_LOWER",
       Op::ConvTranspose,
       {{Attr::Strides, Ints{2}}, {Attr::AutoPad, "SAME_LOWER"}},
       {x, w},
       {f32({1, 1, 4}, {10, 102, 20, 200})}},
      {"SAME_UPPER with dilation",
       Op::ConvTranspose,
       {{Attr::Dilations, Ints{2}}, {Attr::AutoPad, "SAME_UPPER"}},
       {x, w},
       {f32({1, 1, 2}, {10, 20})}},
      {"SAME with a kernel below the stride",
       Op::ConvTranspose,
       {{Attr::Strides, Ints{3}}, {Attr::AutoPad, "SAME_LOWER"}},
       {x, f32({1, 1, 1}, {5})},
       {f32({1, 1, 6}, {5, 0, 0, 10, 0, 0})}},
      {"VALID",
       Op::ConvTranspose,
       {{Attr::AutoPad, "VALID"}, {Attr::Pads, Ints{1, 1}}},
       {x, w},
       {f32({1, 1, 4}, {1, 12, 120, 200})}},
      {"an output_shape past the windows",
       Op::ConvTranspose,
       {{Attr::OutputShape, Ints{6}}},
       {x, w},
       {f32({1, 1, 6}, {1, 12, 120, 200, 0, 0})}},
      {"two groups",
       Op::ConvTranspose,
       {{Attr::Group, int64_t{2}}},
       {f32({1, 4, 1}, {1, 2, 3, 4}), f32({4, 2, 1}, {1, 2, 10, 20, 3, 4, 30, 40}), f32({4}, {0.5, 0, 0, 0})},
       {f32({1, 4, 1}, {21.5, 42, 129, 172})}},
      {"no input", Op::ConvTranspose, {}, {f32({1, 1, 0}, {}), w, f32({1}, {4})}, {f32({1, 1, 2}, {4, 4})}},
      {"float64",
       Op::ConvTranspose,
       {},
       {f64({1, 1, 1}, {0.1}), f64({1, 1, 1}, {3})},
       {f64({1, 1, 1}, {0.1 * 3})}},
  });
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  Elements x = f32({1, 2, 2}, counting(4));
  Elements w = f32({2, 1, 3}, ones(6));
  auto refused = [](std::string name, Attributes attributes, std::vector<Elements> inputs,
                    std::string message) {
    expect_error({name, Op::ConvTranspose, attributes, inputs, ErrorCode::InvalidModel,
                  "a ConvTranspose node: " + message});
  };
  refused("channels", {}, {x, f32({3, 1, 1}, ones(3))}, "input 0 has 2 channels, the weights take 3");
  refused("groups", {{Attr::Group, int64_t{3}}}, {x, w}, "2 input channels do not divide into 3 groups");
  refused("bias", {}, {x, w, f32({2}, ones(2))}, "input 2 must have 1 elements, not 2");
  refused("pads", {{Attr::Pads, Ints{3, 2}}}, {x, w},
          "pads of 3 and 2 leave nothing of extent 4 at spatial axis 0");
  refused("output_shape", {{Attr::OutputShape, Ints{1, 1, 4}}}, {x, w},
          "attribute 'output_shape' must have 1 elements, not 3");
  refused("output_padding", {{Attr::OutputPadding, Ints{-1}}}, {x, w},
          "attribute 'output_padding' must be at least 0, not -1");
  refused("a huge stride", {{Attr::Strides, Ints{int64_t{1} << 61}}}, {x, w},
          "its window overflows at spatial axis 0");
}

}  // namespace
}  // namespace fuselane
