// Reductions and ArgMax.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
const Attributes kNone;
const Attributes kDrop = {{Attr::KeepDims, int64_t{0}}};
const Attributes kNoop = {{Attr::NoopWithEmptyAxes, int64_t{1}}};

Elements axes(std::vector<int64_t> values) {
  auto count = static_cast<int64_t>(values.size());
  return i64({count}, std::move(values));
}

TEST(Reduce, Axes) {
  Elements x = f32({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  expect_all({
      {"all", Op::ReduceSum, kNone, {x}, {f32({1, 1, 1}, {78})}},
      {"all, dropped", Op::ReduceSum, kDrop, {x}, {f32({}, {78})}},
      {"an empty list is all", Op::ReduceSum, kDrop, {x, axes({})}, {f32({}, {78})}},
      {"an empty list is none", Op::ReduceSum, kNoop, {x, axes({})}, {x}},
      {"no list is none", Op::ReduceSum, kNoop, {x}, {x}},
      {"a list all the same", Op::ReduceSum, kNoop, {x, axes({0, 1})}, {f32({1, 1, 2}, {36, 42})}},
      {"the first", Op::ReduceSum, kDrop, {x, axes({0})}, {f32({3, 2}, {8, 10, 12, 14, 16, 18})}},
      {"the middle", Op::ReduceSum, kNone, {x, axes({-2})}, {f32({2, 1, 2}, {9, 12, 27, 30})}},
      {"the last", Op::ReduceSum, kDrop, {x, axes({2})}, {f32({2, 3}, {3, 7, 11, 15, 19, 23})}},
      {"two apart", Op::ReduceSum, kDrop, {x, axes({-1, 0})}, {f32({3}, {18, 26, 34})}},
      {"a scalar", Op::ReduceSum, kNone, {f32({}, {5})}, {f32({}, {5})}},
  });
}

TEST(Reduce, Meanings) {
  expect_all({
      {"floats", Op::ReduceMean, kDrop, {f32({2, 2}, {1, 2, 5, 10}), axes({1})}, {f32({2}, {1.5, 7.5})}},
      {"floats", Op::ReduceMax, kDrop, {f32({2, 2}, {1, 2, -5, -10}), axes({1})}, {f32({2}, {2, -5})}},
      {"floats", Op::ReduceMin, kDrop, {f32({2, 2}, {1, 2, -5, -10}), axes({0})}, {f32({2}, {-5, -10})}},
      {"floats", Op::ReduceL2, kDrop, {f32({2, 2}, {3, 4, -5, 12}), axes({1})}, {f32({2}, {5, 13})}},
      {"rounded once", Op::ReduceSum, kDrop, {f32({3}, {16777216, 1, 1})}, {f32({}, {16777218})}},
      {"no overflow on the way", Op::ReduceL2, kDrop, {f32({2}, {3e30, 4e30})}, {f32({}, {5e30})}, 1e-7},
      {"alone", Op::ReduceL2, kNoop, {f32({2}, {-3, 4})}, {f32({2}, {3, 4})}},
      {"NaN", Op::ReduceMax, kDrop, {f32({3}, {1, kNan, 2})}, {f32({}, {kNan})}},
      {"NaN first", Op::ReduceMin, kDrop, {f32({2}, {kNan, 2})}, {f32({}, {kNan})}},
      {"toward zero", Op::ReduceMean, kDrop, {i32({2, 2}, {-3, -4, 3, 4}), axes({1})}, {i32({2}, {-3, 3})}},
      {"a wider sum", Op::ReduceMean, kDrop, {u8({2}, {255, 253})}, {u8({}, {254})}},
      {"wrapping", Op::ReduceSum, kDrop, {i32({2}, {2147483647, 1})}, {i32({}, {-2147483648})}},
      {"beyond 2^53",
       Op::ReduceSum,
       kDrop,
       {i64({2}, {int64_t{1} << 53, 1})},
       {i64({}, {(int64_t{1} << 53) + 1})}},
      {"signed", Op::ReduceMin, kDrop, {i8({2}, {-128, 127})}, {i8({}, {-128})}},
      {"unsigned",
       Op::ReduceMax,
       kDrop,
       {integers(DType::UInt64, {2}, {1, -1})},
       {integers(DType::UInt64, {}, {-1})}},
      {"unsigned",
       Op::ReduceMean,
       kDrop,
       {integers(DType::UInt64, {2}, {-4, 2})},
       {integers(DType::UInt64, {}, {-1 ^ kMin64})}},
      {"integers", Op::ReduceL2, kDrop, {i32({2}, {3, -4})}, {i32({}, {5})}},
  });
}

TEST(Reduce, NoElements) {
  Elements none = f32({2, 0}, {});
  Elements last = axes({1});
  expect_all({
      {"sum", Op::ReduceSum, kDrop, {none, last}, {f32({2}, {0, 0})}},
      {"mean", Op::ReduceMean, kDrop, {none, last}, {f32({2}, {kNan, kNan})}},
      {"largest", Op::ReduceMax, kDrop, {none, last}, {f32({2}, {-kInf, -kInf})}},
      {"smallest", Op::ReduceMin, kDrop, {none, last}, {f32({2}, {kInf, kInf})}},
      {"norm", Op::ReduceL2, kDrop, {none, last}, {f32({2}, {0, 0})}},
      {"largest integer", Op::ReduceMax, kDrop, {i32({0}, {})}, {i32({}, {-2147483648})}},
      {"largest byte", Op::ReduceMax, kDrop, {u8({0}, {})}, {u8({}, {0})}},
      {"smallest byte", Op::ReduceMin, kDrop, {u8({0}, {})}, {u8({}, {255})}},
      {"smallest integer", Op::ReduceMin, kDrop, {i64({0}, {})}, {i64({}, {~kMin64})}},
      {"smallest of 8 bits", Op::ReduceMin, kDrop, {i8({0}, {})}, {i8({}, {127})}},
      {"smallest of uint64",
       Op::ReduceMin,
       kDrop,
       {integers(DType::UInt64, {0}, {})},
       {integers(DType::UInt64, {}, {-1})}},
      {"mean of integers", Op::ReduceMean, kDrop, {i32({0}, {})}, {i32({}, {0})}},
      {"over the other axis", Op::ReduceMax, kDrop, {none, axes({0})}, {f32({0}, {})}},
  });
}

TEST(Reduce, Refusals) {
  Elements x = f32({1, 1}, {1});
  expect_all_errors({
      {"",
       Op::ReduceSum,
       kNone,
       {x, axes({2})},
       ErrorCode::InvalidModel,
       "a ReduceSum node: axis 2 is outside a tensor of rank 2"},
      {"",
       Op::ReduceSum,
       kNone,
       {x, axes({0, -2})},
       ErrorCode::InvalidModel,
       "a ReduceSum node: axis 0 is named twice"},
      {"",
       Op::ReduceMax,
       kNone,
       {x, f32({1}, {0})},
       ErrorCode::InvalidModel,
       "a ReduceMax node: input 1 must be int32 or int64, not float32"},
      {"",
       Op::ReduceMean,
       kNone,
       {boolean({1}, {1})},
       ErrorCode::InvalidModel,
       "a ReduceMean node: input 0 may not be bool"},
  });
}

TEST(ArgMax, FindsTheLargest) {
  Elements x = f32({2, 3}, {1, 3, 3, 9, -kInf, 2});
  Attributes last = {{Attr::Axis, int64_t{-1}}, {Attr::SelectLastIndex, int64_t{1}}};
  Attributes drop = {{Attr::Axis, int64_t{1}}, {Attr::KeepDims, int64_t{0}}};
  expect_all({
      {"the first axis", Op::ArgMax, kNone, {x}, {i64({1, 3}, {1, 0, 0})}},
      {"dropped", Op::ArgMax, drop, {x}, {i64({2}, {1, 0})}},
      {"the last of equal ones", Op::ArgMax, last, {x}, {i64({2, 1}, {2, 0})}},
      {"a middle axis",
       Op::ArgMax,
       drop,
       {u8({2, 2, 2}, {1, 9, 2, 8, 3, 0, 3, 1})},
       {i64({2, 2}, {1, 0, 0, 1})}},
      {"NaN", Op::ArgMax, kNone, {f32({4}, {1, kNan, kInf, kNan})}, {i64({1}, {1})}},
      {"the last NaN", Op::ArgMax, last, {f32({4}, {1, kNan, kNan, kInf})}, {i64({1}, {2})}},
      {"signed", Op::ArgMax, kNone, {i64({3}, {kMin64, -1, -2})}, {i64({1}, {1})}},
      {"unsigned", Op::ArgMax, kNone, {integers(DType::UInt64, {3}, {1, kMin64, 2})}, {i64({1}, {1})}},
      {"no lines", Op::ArgMax, drop, {f32({0, 2}, {})}, {i64({0}, {})}},
  });
  expect_all_errors({
      {"",
       Op::ArgMax,
       drop,
       {f32({1, 0}, {})},
       ErrorCode::InvalidData,
       "a ArgMax node: axis 1 of f32[1,0] has no elements"},
      {"",
       Op::ArgMax,
       kNone,
       {f32({}, {1})},
       ErrorCode::InvalidModel,
       "a ArgMax node: axis 0 is outside a tensor of rank 0"},
  });
}

}  // namespace
}  // namespace fuselane
