// MaxPool and AveragePool: the specification's examples, and each attribute by hand.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using Ints = std::vector<int64_t>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> counting(int count) {
  std::vector<double> values;
  for (int i = 1; i <= count; ++i) values.push_back(i);
  return values;
}

const Elements kFive = f32({1, 1, 5, 5}, counting(25));
const Elements kFour = f32({1, 1, 4, 4}, counting(16));

Attributes kernel(Ints extents, std::initializer_list<std::pair<Attr, AttrValue>> more = {}) {
  Attributes attributes = {{Attr::KernelShape, std::move(extents)}};
  for (const auto& [attr, value] : more) attributes.set(attr, value);
  return attributes;
}

TEST(MaxPool, SpecificationExamples) {
  Ints padded_indices = {12, 13, 14, 14, 14, 17, 18, 19, 19, 19, 22, 23, 24,
                         24, 24, 22, 23, 24, 24, 24, 22, 23, 24, 24, 24};
  std::vector<double> padded;
  for (int64_t index : padded_indices) padded.push_back(static_cast<double>(index + 1));
  expect_all({
      {"pads, with indices",
       Op::MaxPool,
       kernel({5, 5}, {{Attr::Pads, Ints{2, 2, 2, 2}}}),
       {kFive},
       {f32({1, 1, 5, 5}, padded), i64({1, 1, 5, 5}, padded_indices)}},
      {"SAME_UPPER",
       Op::MaxPool,
       kernel({3, 3}, {{Attr::AutoPad, "SAME_UPPER"}, {Attr::Strides, Ints{2, 2}}}),
       {kFive},
       {f32({1, 1, 3, 3}, {7, 9, 10, 17, 19, 20, 22, 24, 25})}},
      {"indices by columns",
       Op::MaxPool,
       kernel({2, 2}, {{Attr::StorageOrder, int64_t{1}}, {Attr::Strides, Ints{2, 2}}}),
       {kFive},
       {f32({1, 1, 2, 2}, {7, 9, 17, 19}), i64({1, 1, 2, 2}, {6, 16, 8, 18})}},
      {"ceil_mode",
       Op::MaxPool,
       kernel({3, 3}, {{Attr::CeilMode, int64_t{1}}, {Attr::Strides, Ints{2, 2}}}),
       {kFour},
       {f32({1, 1, 2, 2}, {11, 12, 15, 16})}},
      {"ceil_mode drops a window that starts past the end",
       Op::MaxPool,
       kernel({1, 1}, {{Attr::CeilMode, int64_t{1}}, {Attr::Strides, Ints{2, 2}}}),
       {f32({1, 1, 2, 2}, {1, 2, 3, 4})},
       {f32({1, 1, 1, 1}, {1})}},
      {"dilations",
       Op::MaxPool,
       kernel({2, 2}, {{Attr::Dilations, Ints{2, 2}}}),
       {kFour},
       {f32({1, 1, 2, 2}, {11, 12, 15, 16})}},
  });
}

TEST(MaxPool, WindowsAndIndices) {
  Elements row = f32({1, 1, 5}, {1, 5, 2, 4, 3});
  expect_all({
      {"one axis",
       Op::MaxPool,
       kernel({2}),
       {row},
       {f32({1, 1, 4}, {5, 5, 4, 4}), i64({1, 1, 4}, {1, 1, 3, 3})}},
      {"the first of equals",
       Op::MaxPool,
       kernel({3}),
       {f32({1, 1, 3}, {2, 2, 2})},
       {f32({1, 1, 1}, {2}), i64({1, 1, 1}, {0})}},
      {"indices count through all planes",
       Op::MaxPool,
       kernel({2}, {{Attr::Strides, Ints{2}}, {Attr::StorageOrder, int64_t{1}}}),
       {f32({2, 2, 2}, {1, 2, 4, 3, 5, 6, 8, 7})},
       {f32({2, 2, 1}, {2, 4, 6, 8}), i64({2, 2, 1}, {1, 2, 5, 6})}},
      {"only the indices are wanted", Op::MaxPool, kernel({5}), {row}, {absent(), i64({1, 1, 1}, {1})}},
      {"a volume, by columns",
       Op::MaxPool,
       kernel({2, 1, 2}, {{Attr::StorageOrder, int64_t{1}}}),
       {f32({1, 1, 2, 2, 2}, {0, 1, 2, 3, 9, 5, 6, 8})},
       {f32({1, 1, 1, 2, 1}, {9, 8}), i64({1, 1, 1, 2, 1}, {1, 7})}},
      {"padding never wins",
       Op::MaxPool,
       kernel({2}, {{Attr::Pads, Ints{1, 1}}}),
       {f32({1, 1, 2}, {-3, -2})},
       {f32({1, 1, 3}, {-3, -2, -2})}},
      {"a window of padding alone",
       Op::MaxPool,
       kernel({1}, {{Attr::Pads, Ints{1, 0}}}),
       {f32({1, 1, 1}, {7})},
       {f32({1, 1, 2}, {-kInfinity, 7}), i64({1, 1, 2}, {-1, 0})}},
      {"SAME_LOWER with dilation",
       Op::MaxPool,
       kernel({2}, {{Attr::AutoPad, "SAME_LOWER"}, {Attr::Dilations, Ints{3}}}),
       {row},
       {f32({1, 1, 5}, {5, 2, 4, 5, 2})}},
      {"ceil_mode does not move auto_pad",
       Op::MaxPool,
       kernel({2}, {{Attr::AutoPad, "VALID"}, {Attr::Strides, Ints{2}}, {Attr::CeilMode, int64_t{1}}}),
       {row},
       {f32({1, 1, 2}, {5, 4})}},
      {"ceil_mode with a window larger than the input",
       Op::MaxPool,
       kernel({4}, {{Attr::Strides, Ints{3}}, {Attr::CeilMode, int64_t{1}}}),
       {f32({1, 1, 3}, {1, 3, 2})},
       {f32({1, 1, 1}, {3})}},
      {"a kernel far larger than the input",
       Op::MaxPool,
       kernel({int64_t{1} << 40}, {{Attr::AutoPad, "SAME_UPPER"}}),
       {f32({1, 1, 3}, {1, 5, 2})},
       {f32({1, 1, 3}, {5, 5, 5})}},
      {"no images", Op::MaxPool, kernel({2}), {f32({0, 1, 5}, {})}, {f32({0, 1, 4}, {}), i64({0, 1, 4}, {})}},
      {"no window fits", Op::MaxPool, kernel({6}), {row}, {f32({1, 1, 0}, {})}},
  });
}

TEST(MaxPool, ElementTypesAndSpecialValues) {
  expect_all({
      {"int8",
       Op::MaxPool,
       kernel({2}, {{Attr::Pads, Ints{2, 0}}}),
       {i8({1, 1, 2}, {-7, -8})},
       {i8({1, 1, 3}, {-128, -7, -7})}},
      {"uint8", Op::MaxPool, kernel({2}), {u8({1, 1, 3}, {200, 7, 255})}, {u8({1, 1, 2}, {200, 255})}},
      {"float64", Op::MaxPool, kernel({2}), {f64({1, 1, 2}, {0.1, 1e-300})}, {f64({1, 1, 1}, {0.1})}},
      {"NaN wins, the first one's place is told",
       Op::MaxPool,
       kernel({3}),
       {f32({1, 1, 5}, {kInfinity, kNaN, 1, kNaN, 2})},
       {f32({1, 1, 3}, {kNaN, kNaN, kNaN}), i64({1, 1, 3}, {1, 1, 3})}},
      {"minus infinity is found",
       Op::MaxPool,
       kernel({2}),
       {f32({1, 1, 2}, {-kInfinity, -kInfinity})},
       {f32({1, 1, 1}, {-kInfinity}), i64({1, 1, 1}, {0})}},
  });
}

TEST(AveragePool, SpecificationExamples) {
  expect_all({
      {"pads are not counted",
       Op::AveragePool,
       kernel({5, 5}, {{Attr::Pads, Ints{2, 2, 2, 2}}}),
       {kFive},
       {f32({1, 1, 5, 5}, {7,    7.5, 8,    8.5, 9,    9.5, 10,   10.5, 11,   11.5, 12,   12.5, 13,
                           13.5, 14,  14.5, 15,  15.5, 16,  16.5, 17,   17.5, 18,   18.5, 19})}},
      {"count_include_pad",
       Op::AveragePool,
       kernel({5, 5}, {{Attr::Pads, Ints{2, 2, 2, 2}}, {Attr::CountIncludePad, int64_t{1}}}),
       {kFive},
       {f32({1, 1, 5, 5}, {2.52, 3.6, 4.8,  4.08, 3.24, 4.56,  6.4,  8.4,  7.04, 5.52, 7.2,  10,  13,
                           10.8, 8.4, 6.96, 9.6,  12.4, 10.24, 7.92, 6.12, 8.4,  10.8, 8.88, 6.84})}},
      {"SAME_UPPER",
       Op::AveragePool,
       kernel({3, 3}, {{Attr::AutoPad, "SAME_UPPER"}, {Attr::Strides, Ints{2, 2}}}),
       {kFive},
       {f32({1, 1, 3, 3}, {4, 5.5, 7, 11.5, 13, 14.5, 19, 20.5, 22})}},
      {"ceil_mode",
       Op::AveragePool,
       kernel({3, 3}, {{Attr::CeilMode, int64_t{1}}, {Attr::Strides, Ints{2, 2}}}),
       {kFour},
       {f32({1, 1, 2, 2}, {6, 7.5, 12, 13.5})}},
      {"dilations",
       Op::AveragePool,
       kernel({2, 2}, {{Attr::Dilations, Ints{2, 2}}}),
       {kFour},
       {f32({1, 1, 2, 2}, {6, 7, 10, 11})}},
  });
}

TEST(AveragePool, Counting) {
  Elements row = f32({1, 1, 4}, {1, 2, 3, 6});
  Attributes hanging =
      kernel({3}, {{Attr::Strides, Ints{2}}, {Attr::Pads, Ints{1, 1}}, {Attr::CeilMode, int64_t{1}}});
  Attributes hanging_counted = hanging;
  hanging_counted.set(Attr::CountIncludePad, int64_t{1});
  expect_all({
      {"a window over the end counts what is there",
       Op::AveragePool,
       hanging,
       {row},
       {f32({1, 1, 3}, {1.5, 11.0 / 3, 6})}},
      {"and with pads only as far as they reach",
       Op::AveragePool,
       hanging_counted,
       {row},
       {f32({1, 1, 3}, {1, 11.0 / 3, 3})}},
      {"a window that starts in the end padding is dropped",
       Op::AveragePool,
       kernel({1}, {{Attr::Strides, Ints{2}}, {Attr::Pads, Ints{0, 1}}, {Attr::CeilMode, int64_t{1}}}),
       {f32({1, 1, 3}, {1, 2, 3})},
       {f32({1, 1, 2}, {1, 3})}},
      {"but not without ceil_mode",
       Op::AveragePool,
       kernel({1}, {{Attr::Strides, Ints{2}}, {Attr::Pads, Ints{0, 2}}, {Attr::CountIncludePad, int64_t{1}}}),
       {f32({1, 1, 3}, {1, 2, 3})},
       {f32({1, 1, 3}, {1, 3, 0})}},
      {"SAME pads count with count_include_pad",
       Op::AveragePool,
       kernel({3}, {{Attr::AutoPad, "SAME_LOWER"}, {Attr::CountIncludePad, int64_t{1}}}),
       {f32({1, 1, 3}, {3, 6, 9})},
       {f32({1, 1, 3}, {3, 6, 5})}},
      {"dilated windows over pads",
       Op::AveragePool,
       kernel({3}, {{Attr::Dilations, Ints{2}}, {Attr::Pads, Ints{2, 2}}}),
       {row},
       {f32({1, 1, 4}, {2, 4, 2, 4})}},
      {"nothing to count",
       Op::AveragePool,
       kernel({1}, {{Attr::Pads, Ints{1, 0}}}),
       {f32({1, 1, 1}, {7})},
       {f32({1, 1, 2}, {kNaN, 7})}},
      {"a kernel far larger than the input",
       Op::AveragePool,
       kernel({int64_t{1} << 40, int64_t{1} << 40},
              {{Attr::AutoPad, "SAME_UPPER"}, {Attr::CountIncludePad, int64_t{1}}}),
       {f64({1, 1, 1, 2}, {3, 5})},
       {f64({1, 1, 1, 2}, {0x1p-77, 0x1p-77})}},
      {"NaN and infinity",
       Op::AveragePool,
       kernel({2}),
       {f32({1, 1, 4}, {kNaN, 1, kInfinity, -kInfinity})},
       {f32({1, 1, 3}, {kNaN, kInfinity, kNaN})}},
      {"large float32 do not overflow",
       Op::AveragePool,
       kernel({2}),
       {f32({1, 1, 2}, {0x1p127, 0x1p127})},
       {f32({1, 1, 1}, {0x1p127})}},
  });
}

TEST(Pool, RefusesWhatDoesNotFit) {
  Elements x = f32({1, 1, 4}, {1, 2, 3, 4});
  auto refused = [](Op op, Attributes attributes, Elements input, std::string message) {
    expect_error({message,
                  op,
                  attributes,
                  {input},
                  ErrorCode::InvalidModel,
                  (op == Op::MaxPool ? "a MaxPool node: " : "a AveragePool node: ") + message});
  };
  refused(Op::MaxPool, kernel({}), x, "attribute 'kernel_shape' must name at least one spatial axis");
  refused(Op::MaxPool, kernel({0}), x, "attribute 'kernel_shape' must be at least 1, not 0");
  refused(Op::MaxPool, kernel({2, 2}), x, "input 0 must have rank 4, not 3");
  refused(Op::MaxPool, kernel({2}), i32({1, 1, 2}, {1, 2}), "input 0 may not be int32");
  refused(Op::AveragePool, kernel({2}), u8({1, 1, 2}, {1, 2}), "input 0 may not be uint8");
  refused(Op::AveragePool, kernel({2}, {{Attr::Pads, Ints{1}}}), x,
          "attribute 'pads' must have 2 elements, not 1");
  refused(Op::AveragePool, kernel({8}, {{Attr::Pads, Ints{1, 0}}}), x,
          "its window of extent 8 does not fit the padded extent 5 of spatial axis 0");
  refused(Op::AveragePool, kernel({2}, {{Attr::AutoPad, "same_upper"}}), x,
          "auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, not 'same_upper'");
}

}  // namespace
}  // namespace fuselane
