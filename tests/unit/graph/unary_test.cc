// Operators of one operand, element by element.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();

TEST(Unary, Rounding) {
  expect_all({
      {"values", Op::Abs, {}, {f32({5}, {-1.5, 2, -0.0, -kInf, kNan})}, {f32({5}, {1.5, 2, 0, kInf, kNan})}},
      {"the least integer wraps", Op::Abs, {}, {i8({3}, {-128, -3, 127})}, {i8({3}, {-128, 3, 127})}},
      {"64 bits", Op::Abs, {}, {i64({2}, {kMin64, kMin64 + 1})}, {i64({2}, {kMin64, -(kMin64 + 1)})}},
      {"no sign",
       Op::Abs,
       {},
       {integers(DType::UInt64, {2}, {-1, 5})},
       {integers(DType::UInt64, {2}, {-1, 5})}},
      {"values", Op::Neg, {}, {f32({3}, {-1.5, 0, kInf})}, {f32({3}, {1.5, -0.0, -kInf})}},
      {"the least integer wraps", Op::Neg, {}, {i32({2}, {-2147483648, 7})}, {i32({2}, {-2147483648, -7})}},
      {"values", Op::Floor, {}, {f32({5}, {-1.5, 1.5, 2, -kInf, kNan})}, {f32({5}, {-2, 1, 2, -kInf, kNan})}},
      {"values", Op::Ceil, {}, {f32({4}, {-1.5, 1.5, -0.5, kInf})}, {f32({4}, {-1, 2, -0.0, kInf})}},
      {"float16",
       Op::Floor,
       {},
       {numbers(DType::Float16, {2}, {-1.5, 7.25})},
       {numbers(DType::Float16, {2}, {-2, 7})}},
      {"an empty tensor", Op::Floor, {}, {f32({0, 3}, {})}, {f32({0, 3}, {})}},
  });
}

TEST(Unary, Functions) {
  expect_all({
      {"values", Op::Sqrt, {}, {f32({4}, {4, 2, -1, kInf})}, {f32({4}, {2, 1.4142135623730951, kNan, kInf})}},
      {"values", Op::Exp, {}, {f32({4}, {0, 1, -kInf, 1000})}, {f32({4}, {1, 2.718281828459045, 0, kInf})}},
      {"float64", Op::Exp, {}, {f64({}, {-1})}, {f64({}, {0.36787944117144233})}, 1e-15},
      {"values", Op::Log, {}, {f32({4}, {1, 10, 0, -1})}, {f32({4}, {0, 2.302585092994046, -kInf, kNan})}},
      {"values",
       Op::Erf,
       {},
       {f32({4}, {0, 0.5, -2, kInf})},
       {f32({4}, {0, 0.5204998778130465, -0.9953222650189527, 1})}},
      {"integers truncate", Op::Erf, {}, {i32({3}, {0, 1, -9})}, {i32({3}, {0, 0, -1})}},
      {"values", Op::Tanh, {}, {f32({3}, {0.5, -kInf, kNan})}, {f32({3}, {0.46211715726000973, -1, kNan})}},
  });
}

TEST(Unary, Activations) {
  expect_all({
      {"values",
       Op::Sigmoid,
       {},
       {f32({5}, {0, 1, -1, kInf, -kInf})},
       {f32({5}, {0.5, 0.7310585786300049, 0.2689414213699951, 1, 0})}},
      {"far from 0", Op::Sigmoid, {}, {f64({1}, {-740})}, {f64({1}, {4.199558e-322})}, 0.02},
      {"values", Op::Relu, {}, {f32({4}, {-1, 2, kNan, -kInf})}, {f32({4}, {0, 2, kNan, 0})}},
      {"integers", Op::Relu, {}, {i8({3}, {-128, 0, 127})}, {i8({3}, {0, 0, 127})}},
      {"by default", Op::LeakyRelu, {}, {f32({2}, {-1, 3})}, {f32({2}, {-0.01, 3})}},
      {"alpha", Op::LeakyRelu, {{Attr::Alpha, 0.1}}, {f32({3}, {-1, 0, 1})}, {f32({3}, {-0.1, 0, 1})}},
      {"by default",
       Op::HardSigmoid,
       {},
       {f32({5}, {-3, 0, 3, 1, kNan})},
       {f32({5}, {0, 0.5, 1, 0.7, kNan})},
       1e-7},
      {"alpha and beta",
       Op::HardSigmoid,
       {{Attr::Alpha, 0.5}, {Attr::Beta, 0.6}},
       {f32({3}, {-1, 0, 1})},
       {f32({3}, {0.1, 0.6, 1})},
       1e-7},
      {"values", Op::HardSwish, {}, {f32({5}, {-4, -1, 0, 1, 4})}, {f32({5}, {0, -1 / 3.0, 0, 2 / 3.0, 4})}},
      {"values", Op::Not, {}, {boolean({2, 1}, {1, 0})}, {boolean({2, 1}, {0, 1})}},
  });
}

TEST(Unary, RefusesOtherTypes) {
  expect_all_errors({
      {"", Op::Not, {}, {f32({}, {1})}, ErrorCode::InvalidModel, "a Not node: input 0 may not be float32"},
      {"", Op::Exp, {}, {i32({}, {1})}, ErrorCode::InvalidModel, "a Exp node: input 0 may not be int32"},
      {"", Op::Neg, {}, {u8({}, {1})}, ErrorCode::InvalidModel, "a Neg node: input 0 may not be uint8"},
      {"", Op::Relu, {}, {boolean({}, {1})}, ErrorCode::InvalidModel, "a Relu node: input 0 may not be bool"},
      {"", Op::Sqrt, {}, {absent()}, ErrorCode::InvalidModel, "a Sqrt node: input 0 is missing"},
  });
}

}  // namespace
}  // namespace fuselane
