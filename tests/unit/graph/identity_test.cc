// Identity: the same elements for every type, of any width.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

TEST(Identity, CopiesElements) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  double infinity = std::numeric_limits<double>::infinity();
  expect_all({
      {"special values",
       Op::Identity,
       {},
       {f32({4}, {nan, infinity, -0.0, 0.1})},
       {f32({4}, {nan, infinity, -0.0, 0.1})}},
      {"a scalar", Op::Identity, {}, {f64({}, {0.1})}, {f64({}, {0.1})}},
      {"no elements", Op::Identity, {}, {f32({2, 0}, {})}, {f32({2, 0}, {})}},
      {"large integers",
       Op::Identity,
       {},
       {i64({1, 1}, {(int64_t{1} << 62) + 1})},
       {i64({1, 1}, {(int64_t{1} << 62) + 1})}},
      {"packed",
       Op::Identity,
       {},
       {integers(DType::Int4, {3}, {-8, 7, 1})},
       {integers(DType::Int4, {3}, {-8, 7, 1})}},
      {"bool", Op::Identity, {}, {boolean({2}, {1, 0})}, {boolean({2}, {1, 0})}},
  });
}

TEST(Identity, RefusesStrings) {
  expect_error({"strings",
                Op::Identity,
                {},
                {numbers(DType::String, {0}, {})},
                ErrorCode::UnsupportedModel,
                "a Identity node: input 0 holds strings, which are not supported here"});
}

}  // namespace
}  // namespace fuselane
