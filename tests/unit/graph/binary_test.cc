// Operators of two operands, and Clip: element by element, broadcast.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
const Attributes kNone;

Elements u64(Dims dims, std::vector<int64_t> values) {
  return integers(DType::UInt64, std::move(dims), std::move(values));
}

TEST(Binary, Broadcasts) {
  expect_all({
      {"equal shapes",
       Op::Add,
       kNone,
       {f32({2, 2}, {1, 2, 3, 4}), f32({2, 2}, {10, 20, 30, 40})},
       {f32({2, 2}, {11, 22, 33, 44})}},
      {"scalar", Op::Sub, kNone, {f32({}, {1}), f32({3}, {1, 2, 3})}, {f32({3}, {0, -1, -2})}},
      {"both ways",
       Op::Mul,
       kNone,
       {f32({2, 1}, {2, 3}), f32({3}, {1, 10, 100})},
       {f32({2, 3}, {2, 20, 200, 3, 30, 300})}},
      {"a channel",
       Op::Add,
       kNone,
       {f32({2, 2, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 7}), f32({2, 1, 1}, {10, 20})},
       {f32({2, 2, 1, 2}, {10, 11, 22, 23, 14, 15, 26, 27})}},
      {"in the middle",
       Op::Sub,
       kNone,
       {f64({2, 1, 2}, {0, 1, 2, 3}), f64({1, 3, 1}, {10, 20, 30})},
       {f64({2, 3, 2}, {-10, -9, -20, -19, -30, -29, -8, -7, -18, -17, -28, -27})}},
      {"outer and inner",
       Op::Add,
       kNone,
       {i32({2, 1, 2}, {1, 2, 3, 4}), i32({2, 2, 1}, {10, 20, 30, 40})},
       {i32({2, 2, 2}, {11, 12, 21, 22, 33, 34, 43, 44})}},
      {"no elements", Op::Add, kNone, {f32({2, 0}, {}), f32({1, 1}, {1})}, {f32({2, 0}, {})}},
      {"ones against none", Op::Add, kNone, {f32({1, 3}, {1, 2, 3}), f32({0, 1}, {})}, {f32({0, 3}, {})}},
      {"scalars", Op::Add, kNone, {i64({}, {2}), i64({}, {3})}, {i64({}, {5})}},
  });
}

TEST(Binary, Arithmetic) {
  expect_all({
      {"integers wrap", Op::Add, kNone, {u8({2}, {200, 1}), u8({2}, {100, 2})}, {u8({2}, {44, 3})}},
      {"64 bits wrap", Op::Add, kNone, {i64({1}, {kMax64}), i64({1}, {1})}, {i64({1}, {kMin64})}},
      {"below 0 wraps", Op::Sub, kNone, {u8({1}, {1}), u8({1}, {2})}, {u8({1}, {255})}},
      {"products wrap", Op::Mul, kNone, {i8({2}, {16, -128}), i8({2}, {16, -1})}, {i8({2}, {0, -128})}},
      {"rounded once",
       Op::Mul,
       kNone,
       {f32({1}, {0.1}), f32({1}, {0.1})},
       {f32({1}, {0.010000000298023226})}},
      {"floats",
       Op::Div,
       kNone,
       {f32({5}, {1, 1, -1, 0, kInf}), f32({5}, {3, 0, 0, 0, kInf})},
       {f32({5}, {1 / 3.0, kInf, -kInf, kNan, kNan})}},
      {"toward zero", Op::Div, kNone, {i32({3}, {7, -7, 7}), i32({3}, {2, 2, -2})}, {i32({3}, {3, -3, -3})}},
      {"by zero", Op::Div, kNone, {i32({2}, {7, 0}), i32({1}, {0})}, {i32({2}, {0, 0})}},
      {"the quotient that overflows",
       Op::Div,
       kNone,
       {i64({1}, {kMin64}), i64({1}, {-1})},
       {i64({1}, {kMin64})}},
      {"narrow too", Op::Div, kNone, {i8({1}, {-128}), i8({1}, {-1})}, {i8({1}, {-128})}},
      {"unsigned", Op::Div, kNone, {u64({2}, {-1, 9}), u64({2}, {2, 0})}, {u64({2}, {kMax64, 0})}},
      {"float16",
       Op::Add,
       kNone,
       {numbers(DType::Float16, {1}, {2048}), numbers(DType::Float16, {1}, {3})},
       {numbers(DType::Float16, {1}, {2052})}},
  });
}

TEST(Binary, Powers) {
  expect_all({
      {"floats",
       Op::Pow,
       kNone,
       {f32({4}, {2, 9, -8, 0}), f32({4}, {3, 0.5, 1 / 3.0, -1})},
       {f32({4}, {8, 3, kNan, kInf})}},
      {"0 and NaN", Op::Pow, kNone, {f32({2}, {kNan, 1}), f32({2}, {0, kNan})}, {f32({2}, {1, 1})}},
      {"an integer exponent",
       Op::Pow,
       kNone,
       {f32({3}, {1.5, 2, 3}), i64({}, {2})},
       {f32({3}, {2.25, 4, 9})}},
      {"an integer base",
       Op::Pow,
       kNone,
       {i32({3}, {1, 2, 3}), f32({3}, {4, 0.5, 2})},
       {i32({3}, {1, 1, 9})}},
      {"integers",
       Op::Pow,
       kNone,
       {i64({3}, {3, -2, 10}), i64({3}, {39, 63, 20})},
       {i64({3}, {4052555153018976267, kMin64, 7766279631452241920})}},
      {"negative exponents",
       Op::Pow,
       kNone,
       {i32({5}, {1, -1, -1, 2, 0}), i32({5}, {-3, -3, -4, -1, -1})},
       {i32({5}, {1, -1, 1, 0, 0})}},
      {"mixed signs",
       Op::Pow,
       kNone,
       {u64({3}, {-1, 2, 1}), i64({3}, {-1, 63, -5})},
       {u64({3}, {0, kMin64, 1})}},
      {"of a narrow type", Op::Pow, kNone, {i32({1}, {3}), u64({1}, {20})}, {i32({1}, {3486784401})}},
  });
}

TEST(Binary, ExtremesAndSlopes) {
  expect_all({
      {"NaN of either",
       Op::Min,
       kNone,
       {f32({3}, {kNan, 1, 2}), f32({3}, {1, kNan, 1})},
       {f32({3}, {kNan, kNan, 1})}},
      {"NaN of either",
       Op::Max,
       kNone,
       {f32({3}, {kNan, 1, 2}), f32({3}, {1, kNan, -kInf})},
       {f32({3}, {kNan, kNan, 2})}},
      {"signed", Op::Max, kNone, {i64({2}, {-1, 3}), i64({1}, {2})}, {i64({2}, {2, 3})}},
      {"unsigned", Op::Max, kNone, {u64({2}, {-1, 3}), u64({1}, {2})}, {u64({2}, {-1, 3})}},
      {"unsigned", Op::Min, kNone, {u64({2}, {-1, 3}), u64({1}, {2})}, {u64({2}, {2, 2})}},
      {"a slope for each channel",
       Op::PRelu,
       kNone,
       {f32({1, 2, 2}, {-1, 2, -3, kNan}), f32({2, 1}, {0.5, 2})},
       {f32({1, 2, 2}, {-0.5, 2, -6, kNan})}},
      {"integers", Op::PRelu, kNone, {i32({2}, {-3, 3}), i32({}, {2})}, {i32({2}, {-6, 3})}},
  });
}

TEST(Binary, Comparisons) {
  Elements a = f32({4}, {1, 2, 3, kNan});
  Elements b = f32({4}, {2, 2, 2, kNan});
  expect_all({
      {"floats", Op::Equal, kNone, {a, b}, {boolean({4}, {0, 1, 0, 0})}},
      {"floats", Op::Greater, kNone, {a, b}, {boolean({4}, {0, 0, 1, 0})}},
      {"floats", Op::GreaterOrEqual, kNone, {a, b}, {boolean({4}, {0, 1, 1, 0})}},
      {"floats", Op::Less, kNone, {a, b}, {boolean({4}, {1, 0, 0, 0})}},
      {"floats", Op::LessOrEqual, kNone, {a, b}, {boolean({4}, {1, 1, 0, 0})}},
      {"beyond 2^53", Op::Equal, kNone, {i64({}, {kMax64}), i64({}, {kMax64 - 1})}, {boolean({}, {0})}},
      {"signed", Op::Less, kNone, {i64({}, {-1}), i64({}, {1})}, {boolean({}, {1})}},
      {"unsigned", Op::Less, kNone, {u64({}, {-1}), u64({}, {1})}, {boolean({}, {0})}},
      {"bools", Op::Equal, kNone, {boolean({2}, {0, 1}), boolean({1}, {1})}, {boolean({2}, {0, 1})}},
      {"bools",
       Op::And,
       kNone,
       {boolean({2, 1}, {0, 1}), boolean({2}, {0, 1})},
       {boolean({2, 2}, {0, 0, 0, 1})}},
      {"bools",
       Op::Or,
       kNone,
       {boolean({2, 1}, {0, 1}), boolean({2}, {0, 1})},
       {boolean({2, 2}, {0, 1, 1, 1})}},
  });
}

TEST(Binary, Refusals) {
  expect_all_errors({
      {"",
       Op::Add,
       kNone,
       {f32({2}, {1, 2}), f32({3}, {1, 2, 3})},
       ErrorCode::InvalidModel,
       "a Add node: extents 2 and 3 do not broadcast"},
      {"",
       Op::Add,
       kNone,
       {f32({}, {1}), i32({}, {1})},
       ErrorCode::InvalidModel,
       "a Add node: inputs 0 and 1 must have one type, not float32 and int32"},
      {"",
       Op::And,
       kNone,
       {u8({}, {1}), u8({}, {1})},
       ErrorCode::InvalidModel,
       "a And node: input 0 may not be uint8"},
      {"",
       Op::PRelu,
       kNone,
       {f32({1}, {1}), f32({2}, {1, 2})},
       ErrorCode::InvalidModel,
       "a PRelu node: input 1 has extent 2 which does not broadcast to 1"},
      {"",
       Op::PRelu,
       kNone,
       {f32({1}, {1}), f32({1, 1}, {1})},
       ErrorCode::InvalidModel,
       "a PRelu node: input 1 has rank 2 and does not broadcast to rank 1"},
      {"", Op::Mul, kNone, {f32({}, {1})}, ErrorCode::InvalidModel, "a Mul node: takes 2 inputs, not 1"},
      {"",
       Op::Add,
       kNone,
       {f32({4294967296, 1, 0}, {}), f32({1, 4294967296, 0}, {})},
       ErrorCode::InvalidModel,
       "a Add node: its result f32[4294967296,4294967296,0] is too large"},
  });
}

TEST(Clip, KeepsWithinBounds) {
  Elements x = f32({5}, {-2, 0.5, 3, kNan, kInf});
  expect_all({
      {"both", Op::Clip, kNone, {x, f32({}, {-1}), f32({}, {1})}, {f32({5}, {-1, 0.5, 1, kNan, 1})}},
      {"least", Op::Clip, kNone, {x, f32({}, {0})}, {f32({5}, {0, 0.5, 3, kNan, kInf})}},
      {"most", Op::Clip, kNone, {x, absent(), f32({1}, {0})}, {f32({5}, {-2, 0, 0, kNan, 0})}},
      {"neither", Op::Clip, kNone, {x}, {x}},
      {"crossed", Op::Clip, kNone, {f32({2}, {0, 5}), f32({}, {2}), f32({}, {1})}, {f32({2}, {1, 1})}},
      {"no number", Op::Clip, kNone, {f32({1}, {0}), f32({}, {kNan})}, {f32({1}, {kNan})}},
      {"integers", Op::Clip, kNone, {i8({3}, {-5, 0, 5}), i8({}, {-1}), i8({}, {1})}, {i8({3}, {-1, 0, 1})}},
      {"unsigned", Op::Clip, kNone, {u64({2}, {-1, 1}), u64({}, {2}), u64({}, {-2})}, {u64({2}, {-2, 2})}},
      {"float64", Op::Clip, kNone, {f64({1}, {0.1}), absent(), f64({}, {1})}, {f64({1}, {0.1})}},
  });
  expect_all_errors({
      {"",
       Op::Clip,
       kNone,
       {f32({}, {1}), f32({2}, {0, 1})},
       ErrorCode::InvalidModel,
       "a Clip node: input 1 must be one element, not 2"},
      {"",
       Op::Clip,
       kNone,
       {f32({}, {1}), absent(), f64({}, {0})},
       ErrorCode::InvalidModel,
       "a Clip node: inputs 0 and 2 must have one type, not float32 and float64"},
  });
}

}  // namespace
}  // namespace fuselane
