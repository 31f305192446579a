// BatchNormalization, InstanceNormalization, LayerNormalization, Softmax and LogSoftmax.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const Attributes kNone;
const Attributes kNoEpsilon = {{Attr::Epsilon, 0.0}};

TEST(BatchNormalization, ByChannel) {
  Elements scale = f32({2}, {1, 2});
  Elements bias = f32({2}, {0, 10});
  Elements mean = f32({2}, {1, 2});
  Elements variance = f32({2}, {4, 0.25});
  expect_all({
      {"images",
       Op::BatchNormalization,
       kNoEpsilon,
       {f32({2, 2, 1, 2}, {1, 3, 2, 3, 5, 7, 1, 0}), scale, bias, mean, variance},
       {f32({2, 2, 1, 2}, {0, 1, 10, 14, 2, 3, 6, 2})}},
      {"rows",
       Op::BatchNormalization,
       kNoEpsilon,
       {f32({1, 2}, {3, 3}), scale, bias, mean, variance},
       {f32({1, 2}, {1, 14})}},
      {"epsilon",
       Op::BatchNormalization,
       {{Attr::Epsilon, 0.75}},
       {f32({1, 1}, {3}), f32({1}, {1}), f32({1}, {0}), f32({1}, {1}), f32({1}, {0.25})},
       {f32({1, 1}, {2})}},
      {"one channel",
       Op::BatchNormalization,
       kNoEpsilon,
       {f32({2}, {3, 5}), f32({1}, {1}), f32({1}, {1}), f32({1}, {1}), f32({1}, {4})},
       {f32({2}, {2, 3})}},
      {"mixed types",
       Op::BatchNormalization,
       kNoEpsilon,
       {numbers(DType::Float16, {1, 1}, {3}), f32({1}, {1}), f32({1}, {0}), f64({1}, {1}), f64({1}, {4})},
       {numbers(DType::Float16, {1, 1}, {1})}},
      {"no images",
       Op::BatchNormalization,
       kNone,
       {f32({0, 2, 3}, {}), scale, bias, mean, variance},
       {f32({0, 2, 3}, {})}},
      {"no pixels",
       Op::BatchNormalization,
       kNone,
       {f32({1, 2, 0}, {}), scale, bias, mean, variance},
       {f32({1, 2, 0}, {})}},
      {"no channels",
       Op::BatchNormalization,
       kNone,
       {f32({1, 0, 2}, {}), f32({0}, {}), f32({0}, {}), f32({0}, {}), f32({0}, {})},
       {f32({1, 0, 2}, {})}},
  });
  expect_all_errors({
      {"",
       Op::BatchNormalization,
       kNone,
       {f32({1, 3}, {1, 2, 3}), scale, bias, mean, variance},
       ErrorCode::InvalidModel,
       "a BatchNormalization node: input 1 has 2 elements for 3 channels"},
      {"",
       Op::BatchNormalization,
       kNone,
       {i32({1, 2}, {1, 2}), scale, bias, mean, variance},
       ErrorCode::InvalidModel,
       "a BatchNormalization node: input 0 may not be int32"},
  });
}

TEST(InstanceNormalization, ByImageAndChannel) {
  expect_all({
      {"images",
       Op::InstanceNormalization,
       kNoEpsilon,
       {f32({2, 2, 2}, {1, 3, 0, 8, -1, -5, 2, 2.5}), f32({2}, {1, 2}), f32({2}, {0, 10})},
       {f32({2, 2, 2}, {-1, 1, 8, 12, 1, -1, 8, 12})}},
      {"equal elements",
       Op::InstanceNormalization,
       kNone,
       {f32({1, 1, 3}, {7, 7, 7}), f32({1}, {5}), f32({1}, {0.5})},
       {f32({1, 1, 3}, {0.5, 0.5, 0.5})}},
      {"far from 0",
       Op::InstanceNormalization,
       kNoEpsilon,
       {f64({1, 1, 2}, {1e9, 1e9 + 2}), f64({1}, {1}), f64({1}, {0})},
       {f64({1, 1, 2}, {-1, 1})}},
      {"no pixels",
       Op::InstanceNormalization,
       kNone,
       {f32({1, 1, 0}, {}), f32({1}, {5}), f32({1}, {0.5})},
       {f32({1, 1, 0}, {})}},
  });
  expect_error({"",
                Op::InstanceNormalization,
                kNone,
                {f32({2}, {1, 2}), f32({1}, {1}), f32({1}, {1})},
                ErrorCode::InvalidModel,
                "a InstanceNormalization node: input 0 must have rank at least 2, not 1"});
}

TEST(RmsNormalization, TrailingAxes) {
  expect_all({
      {"the last axis",
       Op::RMSNormalization,
       kNoEpsilon,
       {f32({2, 2}, {1, 7, 14, 2}), f32({2}, {5, 10})},
       {f32({2, 2}, {1, 14, 7, 2})}},
      {"all axes, without a scale, with epsilon",
       Op::RMSNormalization,
       {{Attr::Axis, int64_t{0}}, {Attr::Epsilon, 3.0}},
       {f32({2, 2}, {1, 1, 1, 1})},
       {f32({2, 2}, {0.5, 0.5, 0.5, 0.5})}},
  });
}

TEST(LayerNormalization, TrailingAxes) {
  Elements x = f32({2, 2}, {1, 3, 0, 8});
  expect_all({
      {"the last axis",
       Op::LayerNormalization,
       kNoEpsilon,
       {x, f32({2}, {1, 2}), f32({2}, {0, 10})},
       {f32({2, 2}, {-1, 12, -1, 12}), f32({2, 1}, {2, 4}), f32({2, 1}, {1, 0.25})}},
      {"all axes",
       Op::LayerNormalization,
       {{Attr::Axis, int64_t{0}}, {Attr::Epsilon, 0.0}},
       {f32({2, 2}, {1, 1, 3, 3}), f32({}, {10})},
       {f32({2, 2}, {-10, -10, 10, 10}), f32({1, 1}, {2}), f32({1, 1}, {1})}},
      {"a scale for each row",
       Op::LayerNormalization,
       kNoEpsilon,
       {x, f32({2, 1}, {1, 2})},
       {f32({2, 2}, {-1, 1, -2, 2})}},
      {"a bias without a scale",
       Op::LayerNormalization,
       kNoEpsilon,
       {x, absent(), f32({2}, {0, 10})},
       {f32({2, 2}, {-1, 11, -1, 11})}},
      {"a bias wider than the scale",
       Op::LayerNormalization,
       kNoEpsilon,
       {x, f32({1}, {1}), f32({2, 2}, {1, 2, 3, 4})},
       {f32({2, 2}, {0, 3, 2, 5})}},
      {"statistics alone",
       Op::LayerNormalization,
       kNoEpsilon,
       {x, f32({}, {1})},
       {absent(), absent(), f32({2, 1}, {1, 0.25})}},
      {"epsilon",
       Op::LayerNormalization,
       {{Attr::Epsilon, 4.0}},
       {f32({2}, {7, 7}), f32({}, {1})},
       {f32({2}, {0, 0}), f32({1}, {7}), f32({1}, {0.5})}},
      {"float64",
       Op::LayerNormalization,
       kNoEpsilon,
       {f64({2}, {1e9, 1e9 + 2}), f64({}, {1})},
       {f64({2}, {-1, 1}), f32({1}, {1e9 + 1}), f32({1}, {1})}},
      {"rows of nothing",
       Op::LayerNormalization,
       kNone,
       {f32({2, 0}, {}), f32({}, {1})},
       {f32({2, 0}, {}), f32({2, 1}, {kNan, kNan})}},
      {"no end of rows of nothing",
       Op::LayerNormalization,
       kNone,
       {f32({int64_t{1} << 50, 0}, {}), f32({}, {1})},
       {f32({int64_t{1} << 50, 0}, {})}},
  });
  expect_all_errors({
      {"",
       Op::LayerNormalization,
       {{Attr::Axis, int64_t{2}}},
       {x, f32({}, {1})},
       ErrorCode::InvalidModel,
       "a LayerNormalization node: axis 2 is outside a tensor of rank 2"},
      {"",
       Op::LayerNormalization,
       kNone,
       {x, f32({3}, {1, 2, 3})},
       ErrorCode::InvalidModel,
       "a LayerNormalization node: input 1 has extent 3 which does not broadcast to 2"},
      {"",
       Op::LayerNormalization,
       {{Attr::StashType, DType::Int32}},
       {x, f32({}, {1})},
       ErrorCode::InvalidModel,
       "a LayerNormalization node: stash_type must be float32 or bfloat16, not int32"},
  });
}

TEST(Softmax, AlongAnAxis) {
  constexpr double kE = 0.7310585786300049;  // e / (1 + e)
  expect_all({
      {"the last axis",
       Op::Softmax,
       kNone,
       {f32({2, 2}, {0, 1, 5, 4})},
       {f32({2, 2}, {1 - kE, kE, kE, 1 - kE})},
       1e-7},
      {"the first axis",
       Op::Softmax,
       {{Attr::Axis, int64_t{0}}},
       {f32({2, 3}, {0, 1, 2, 1, 1, 1})},
       {f32({2, 3}, {1 - kE, 0.5, kE, kE, 0.5, 1 - kE})},
       1e-7},
      {"a middle axis",
       Op::Softmax,
       {{Attr::Axis, int64_t{-2}}},
       {f64({2, 2, 1}, {0, 1, 3, 3})},
       {f64({2, 2, 1}, {1 - kE, kE, 0.5, 0.5})},
       1e-15},
      {"large elements", Op::Softmax, kNone, {f32({2}, {10000, 10001})}, {f32({2}, {1 - kE, kE})}, 1e-7},
      {"masked elements", Op::Softmax, kNone, {f32({3}, {-kInf, 2, 2})}, {f32({3}, {0, 0.5, 0.5})}},
      {"all masked", Op::Softmax, kNone, {f32({2}, {-kInf, -kInf})}, {f32({2}, {kNan, kNan})}},
      {"NaN", Op::Softmax, kNone, {f32({2, 2}, {kNan, 1, 2, 2})}, {f32({2, 2}, {kNan, kNan, 0.5, 0.5})}},
      {"one element", Op::Softmax, kNone, {f32({1}, {3})}, {f32({1}, {1})}},
      {"no elements", Op::Softmax, kNone, {f32({2, 0}, {})}, {f32({2, 0}, {})}},
      {"no lines", Op::Softmax, kNone, {f32({0, 2}, {})}, {f32({0, 2}, {})}},
      {"logarithm",
       Op::LogSoftmax,
       kNone,
       {f32({2}, {0, 1})},
       {f32({2}, {-1.3132616875182228, -0.31326168751822286})}},
      {"logarithm of far elements", Op::LogSoftmax, kNone, {f32({2}, {10000, 0})}, {f32({2}, {0, -10000})}},
      {"logarithm of 0", Op::LogSoftmax, kNone, {f32({2}, {-kInf, 0})}, {f32({2}, {-kInf, 0})}},
  });
  expect_all_errors({
      {"",
       Op::Softmax,
       kNone,
       {f32({}, {1})},
       ErrorCode::InvalidModel,
       "a Softmax node: axis -1 is outside a tensor of rank 0"},
      {"",
       Op::LogSoftmax,
       kNone,
       {i32({1}, {1})},
       ErrorCode::InvalidModel,
       "a LogSoftmax node: input 0 may not be int32"},
  });
}

}  // namespace
}  // namespace fuselane
