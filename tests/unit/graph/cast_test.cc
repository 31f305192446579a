// Cast: every pair of kinds, and what is chosen where ONNX leaves it open.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();

OperatorCase cast(std::string name, Elements from, Elements to) {
  DType dtype = to.dtype;
  return {std::move(name), Op::Cast, {{Attr::To, dtype}}, {std::move(from)}, {std::move(to)}};
}

TEST(Cast, FromFloats) {
  expect_all({
      cast("toward zero", f32({4}, {1.9, -1.9, 0.5, -0.5}), i32({4}, {1, -1, 0, 0})),
      cast("beyond the range: the low bits", f32({3}, {300, -1, 65537}), u8({3}, {44, 255, 1})),
      cast("beyond 64 bits", f64({4}, {1e30, -1e30, kNan, kInf}), i64({4}, {-1, kMin64, 0, -1})),
      cast("to uint64", f64({2}, {0x1p63, 3.5}), integers(DType::UInt64, {2}, {kMin64, 3})),
      cast("to bool", f32({5}, {0, -0.0, 0.1, kNan, -2}), boolean({5}, {0, 0, 1, 1, 1})),
      cast("to a narrower float", f64({4}, {0.1, 1e39, -1e-50, kNan}), f32({4}, {0.1, kInf, -0.0, kNan})),
      cast("to a wider float", f32({2}, {0.5, -kInf}), f64({2}, {0.5, -kInf})),
      cast("to float16", f32({4}, {1.00048828125, 65520, 1e-8, 0.1}),
           numbers(DType::Float16, {4}, {1, kInf, 0, 0.0999755859375})),
      cast("to bfloat16", f32({2}, {1.00390625, 3}), numbers(DType::BFloat16, {2}, {1, 3})),
      cast("from float16", numbers(DType::Float16, {2}, {-2.5, 65504}), i32({2}, {-2, 65504})),
      cast("the same type", f32({2, 1}, {kNan, 0.1}), f32({2, 1}, {kNan, 0.1})),
      cast("no elements", f32({0}, {}), i64({0}, {})),
  });
}

TEST(Cast, FromIntegers) {
  expect_all({
      cast("wrapping", i32({3}, {-1, 256, 127}), i8({3}, {-1, 0, 127})),
      cast("widening", i8({2}, {-128, 127}), i64({2}, {-128, 127})),
      cast("widening without a sign", u8({1}, {255}), i32({1}, {255})),
      cast("to bool", i64({3}, {0, int64_t{1} << 40, -1}), boolean({3}, {0, 1, 1})),
      cast("from bool", boolean({2}, {0, 1}), f32({2}, {0, 1})),
      cast("to packed integers", i32({3}, {-8, 9, 7}), integers(DType::Int4, {3}, {-8, -7, 7})),
      cast("from packed integers", integers(DType::UInt4, {3}, {15, 1, 2}), f32({3}, {15, 1, 2})),
      // Half way between two floats and a little more: a detour through double would round to the even one.
      cast("rounded once", i64({1}, {(int64_t{1} << 62) + (int64_t{1} << 38) + 1}),
           f32({1}, {0x1p62 + 0x1p39})),
      cast("uint64 rounded once",
           integers(DType::UInt64, {2}, {(int64_t{1} << 62) + (int64_t{1} << 38) + 1, -1}),
           f32({2}, {0x1p62 + 0x1p39, 0x1p64})),
      cast("uint64 as float64", integers(DType::UInt64, {1}, {kMin64}), f64({1}, {0x1p63})),
      cast("uint64 as int64", integers(DType::UInt64, {1}, {-1}), i64({1}, {-1})),
      cast("int64 as float64", i64({1}, {kMax64}), f64({1}, {0x1p63})),
  });
}

TEST(Cast, RefusesStrings) {
  expect_error({"",
                Op::Cast,
                {{Attr::To, DType::String}},
                {f32({}, {1})},
                ErrorCode::UnsupportedModel,
                "a Cast node: casting float32 to string is not supported"});
}

TEST(Where, Chooses) {
  expect_all({
      {"equal shapes",
       Op::Where,
       {},
       {boolean({2, 2}, {1, 0, 1, 1}), f32({2, 2}, {1, 2, 3, 4}), f32({2, 2}, {9, 8, 7, 6})},
       {f32({2, 2}, {1, 8, 3, 4})}},
      {"all broadcast",
       Op::Where,
       {},
       {boolean({2, 1, 1}, {1, 0}), i64({2, 1}, {1, 2}), i64({2}, {-1, -2})},
       {i64({2, 2, 2}, {1, 1, 2, 2, -1, -2, -1, -2})}},
      {"scalars", Op::Where, {}, {boolean({}, {0}), f64({}, {1}), f64({}, {0.1})}, {f64({}, {0.1})}},
      {"bits stay",
       Op::Where,
       {},
       {boolean({3}, {1, 0, 1}), f32({}, {kNan}), f32({3}, {1, -0.0, 2})},
       {f32({3}, {kNan, -0.0, kNan})}},
      {"packed",
       Op::Where,
       {},
       {boolean({3}, {1, 0, 1}), integers(DType::UInt4, {3}, {1, 2, 3}), integers(DType::UInt4, {}, {15})},
       {integers(DType::UInt4, {3}, {1, 15, 3})}},
      {"no elements", Op::Where, {}, {boolean({1}, {1}), u8({0}, {}), u8({}, {1})}, {u8({0}, {})}},
  });
  expect_all_errors({
      {"",
       Op::Where,
       {},
       {f32({}, {1}), f32({}, {1}), f32({}, {1})},
       ErrorCode::InvalidModel,
       "a Where node: input 0 may not be float32"},
      {"",
       Op::Where,
       {},
       {boolean({}, {1}), f32({}, {1}), i64({}, {1})},
       ErrorCode::InvalidModel,
       "a Where node: inputs 1 and 2 must have one type, not float32 and int64"},
      {"",
       Op::Where,
       {},
       {boolean({2}, {1, 0}), f32({}, {1}), f32({3}, {1, 2, 3})},
       ErrorCode::InvalidModel,
       "a Where node: extents 2 and 3 do not broadcast"},
  });
}

}  // namespace
}  // namespace fuselane
