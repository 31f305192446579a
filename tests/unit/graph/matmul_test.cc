// MatMul and Gemm.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();

TEST(MatMul, Shapes) {
  Elements m23 = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  Elements m32 = f32({3, 2}, {1, 0, 0, 1, 1, 1});
  Elements v3 = f32({3}, {1, 10, 100});
  expect_all({
      {"matrices", Op::MatMul, {}, {m23, m32}, {f32({2, 2}, {4, 5, 10, 11})}},
      {"a row", Op::MatMul, {}, {v3, m32}, {f32({2}, {101, 110})}},
      {"a column", Op::MatMul, {}, {m23, v3}, {f32({2}, {321, 654})}},
      {"vectors", Op::MatMul, {}, {v3, v3}, {f32({}, {10101})}},
      {"a row by a stack",
       Op::MatMul,
       {},
       {f32({2}, {1, 10}), f32({2, 2, 1}, {1, 2, 3, 4})},
       {f32({2, 1}, {21, 43})}},
      {"a stack by a column",
       Op::MatMul,
       {},
       {f32({2, 1, 2}, {1, 2, 3, 4}), f32({2}, {1, 10})},
       {f32({2, 1}, {21, 43})}},
      {"a stack by one",
       Op::MatMul,
       {},
       {f32({2, 1, 2}, {1, 2, 3, 4}), f32({2, 2}, {1, 0, 0, 2})},
       {f32({2, 1, 2}, {1, 4, 3, 8})}},
      {"stacks broadcast",
       Op::MatMul,
       {},
       {f32({2, 1, 1, 1}, {2, 3}), f32({1, 3, 1, 2}, {1, 2, 3, 4, 5, 6})},
       {f32({2, 3, 1, 2}, {2, 4, 6, 8, 10, 12, 3, 6, 9, 12, 15, 18})}},
      {"no inner extent", Op::MatMul, {}, {f32({2, 0}, {}), f32({0, 2}, {})}, {f32({2, 2}, {0, 0, 0, 0})}},
      {"no rows", Op::MatMul, {}, {f32({0, 3}, {}), m32}, {f32({0, 2}, {})}},
      {"no batch", Op::MatMul, {}, {f32({0, 2, 3}, {}), m32}, {f32({0, 2, 2}, {})}},
      {"one inner extent, which nothing bounds",
       Op::MatMul,
       {},
       {f32({0, int64_t{1} << 40}, {}), f32({int64_t{1} << 40, 0}, {})},
       {f32({0, 0}, {})}},
  });
}

TEST(MatMul, Numbers) {
  expect_all({
      {"NaN and infinity",
       Op::MatMul,
       {},
       {f32({2, 2}, {kInf, 0, 0, kNan}), f32({2, 1}, {0, 1})},
       {f32({2, 1}, {kNan, kNan})}},
      {"rounded once",
       Op::MatMul,
       {},
       {f32({3}, {16777216, 1, 1}), f32({3}, {1, 1, 1})},
       {f32({}, {16777218})}},
      {"float64", Op::MatMul, {}, {f64({1, 2}, {0.1, 2}), f64({2, 1}, {10, 0.5})}, {f64({1, 1}, {2})}},
      {"float16",
       Op::MatMul,
       {},
       {numbers(DType::Float16, {1, 1}, {0.5}), numbers(DType::Float16, {1, 1}, {3})},
       {numbers(DType::Float16, {1, 1}, {1.5})}},
      {"int32 wraps",
       Op::MatMul,
       {},
       {i32({1, 2}, {65536, 3}), i32({2, 1}, {65536, -4})},
       {i32({1, 1}, {-12})}},
      {"int64 is exact",
       Op::MatMul,
       {},
       {i64({1, 2}, {int64_t{1} << 53, 1}), i64({2, 1}, {1, 1})},
       {i64({1, 1}, {(int64_t{1} << 53) + 1})}},
      {"uint64 wraps",
       Op::MatMul,
       {},
       {integers(DType::UInt64, {1, 1}, {kMin64}), integers(DType::UInt64, {1, 1}, {3})},
       {integers(DType::UInt64, {1, 1}, {kMin64})}},
  });
}

// More columns than are computed together, in a product whose elements have a formula.
TEST(MatMul, ManyColumns) {
  constexpr int64_t kColumns = 600;
  std::vector<double> b;
  for (int64_t k = 0; k < 2; ++k) {
    for (int64_t n = 0; n < kColumns; ++n) b.push_back(static_cast<double>(k == 0 ? n : 1));
  }
  std::vector<double> y;
  for (int64_t m = 1; m <= 2; ++m) {
    for (int64_t n = 0; n < kColumns; ++n) y.push_back(static_cast<double>(m * n + 10 * m));
  }
  expect_results({"wide",
                  Op::MatMul,
                  {},
                  {f32({2, 2}, {1, 10, 2, 20}), f32({2, kColumns}, b)},
                  {f32({2, kColumns}, y)}});
}

TEST(MatMul, Refusals) {
  expect_all_errors({
      {"",
       Op::MatMul,
       {},
       {f32({1, 2}, {1, 2}), f32({1, 2}, {1, 2})},
       ErrorCode::InvalidModel,
       "a MatMul node: the inner extents 2 and 1 of its factors differ"},
      {"",
       Op::MatMul,
       {},
       {f32({}, {1}), f32({1}, {1})},
       ErrorCode::InvalidModel,
       "a MatMul node: input 0 must have rank at least 1, not 0"},
      {"",
       Op::MatMul,
       {},
       {f32({1}, {1}), f64({1}, {1})},
       ErrorCode::InvalidModel,
       "a MatMul node: inputs 0 and 1 must have one type, not float32 and float64"},
      {"",
       Op::MatMul,
       {},
       {f32({2, 1, 1}, {1, 2}), f32({3, 1, 1}, {1, 2, 3})},
       ErrorCode::InvalidModel,
       "a MatMul node: extents 2 and 3 do not broadcast"},
      {"",
       Op::MatMul,
       {},
       {boolean({1}, {1}), boolean({1}, {1})},
       ErrorCode::InvalidModel,
       "a MatMul node: input 0 may not be bool"},
  });
}

TEST(Gemm, Forms) {
  Elements a = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  Elements a_transposed = f32({3, 2}, {1, 4, 2, 5, 3, 6});
  Elements b = f32({3, 2}, {1, 0, 0, 1, 1, 1});
  Elements b_transposed = f32({2, 3}, {1, 0, 1, 0, 1, 1});
  Elements y = f32({2, 2}, {4, 5, 10, 11});
  expect_all({
      {"as they lie", Op::Gemm, {}, {a, b}, {y}},
      {"A transposed", Op::Gemm, {{Attr::TransA, int64_t{1}}}, {a_transposed, b}, {y}},
      {"B transposed", Op::Gemm, {{Attr::TransB, int64_t{1}}}, {a, b_transposed}, {y}},
      {"both transposed",
       Op::Gemm,
       {{Attr::TransA, int64_t{1}}, {Attr::TransB, int64_t{1}}},
       {a_transposed, b_transposed},
       {y}},
      {"plus a row", Op::Gemm, {}, {a, b, f32({2}, {100, 200})}, {f32({2, 2}, {104, 205, 110, 211})}},
      {"plus a column", Op::Gemm, {}, {a, b, f32({2, 1}, {100, 200})}, {f32({2, 2}, {104, 105, 210, 211})}},
      {"plus a matrix",
       Op::Gemm,
       {},
       {a, b, f32({2, 2}, {100, 200, 300, 400})},
       {f32({2, 2}, {104, 205, 310, 411})}},
      {"plus a scalar", Op::Gemm, {}, {a, b, f32({}, {100})}, {f32({2, 2}, {104, 105, 110, 111})}},
      {"factors",
       Op::Gemm,
       {{Attr::Alpha, 0.5}, {Attr::Beta, 2.0}},
       {a, b, f32({1, 2}, {1, 2})},
       {f32({2, 2}, {4, 6.5, 7, 9.5})}},
      {"no inner extent",
       Op::Gemm,
       {},
       {f32({2, 0}, {}), f32({0, 1}, {}), f32({1}, {3})},
       {f32({2, 1}, {3, 3})}},
      {"integers",
       Op::Gemm,
       {},
       {i32({1, 2}, {2147483647, 1}), i32({2, 1}, {1, 1}), i32({1}, {-1})},
       {i32({1, 1}, {2147483647})}},
      {"integers with factors",
       Op::Gemm,
       {{Attr::Alpha, 0.5}},
       {i32({1, 1}, {7}), i32({1, 1}, {1}), i32({}, {1})},
       {i32({1, 1}, {4})}},
  });
}

TEST(Gemm, Refusals) {
  expect_all_errors({
      {"",
       Op::Gemm,
       {},
       {f32({1, 2}, {1, 2}), f32({3, 1}, {1, 2, 3})},
       ErrorCode::InvalidModel,
       "a Gemm node: the inner extents 2 and 3 of its factors differ"},
      {"",
       Op::Gemm,
       {{Attr::TransB, int64_t{1}}},
       {f32({1, 2}, {1, 2}), f32({2, 1}, {1, 2})},
       ErrorCode::InvalidModel,
       "a Gemm node: the inner extents 2 and 1 of its factors differ"},
      {"",
       Op::Gemm,
       {},
       {f32({1}, {1}), f32({1, 1}, {1})},
       ErrorCode::InvalidModel,
       "a Gemm node: input 0 must have rank 2, not 1"},
      {"",
       Op::Gemm,
       {},
       {f32({1, 1}, {1}), f32({1, 1}, {1}), f32({2}, {1, 2})},
       ErrorCode::InvalidModel,
       "a Gemm node: input 2 has extent 2 which does not broadcast to 1"},
  });
}

}  // namespace
}  // namespace fuselane

namespace fuselane {
namespace {

TEST(MatMul, AddsABiasAndAppliesAnActivation) {
  expect_results({"bias",
                  Op::MatMul,
                  {},
                  {f32({1, 2}, {1, 2}), f32({2, 2}, {1, 0, 0, 1}), f32({2}, {10, 20})},
                  {f32({1, 2}, {11, 22})}});
  expect_results({"clamped",
                  Op::MatMul,
                  {{Attr::FusedActivation, std::string("clamp")}, {Attr::FusedA, 0.0}, {Attr::FusedB, 6.0}},
                  {f32({1, 2}, {1, 2}), f32({2, 3}, {1, -1, 5, 0, 0, 5})},
                  {f32({1, 3}, {1, 0, 6})}});
  expect_error({"too short",
                Op::MatMul,
                {},
                {f32({1, 2}, {1, 2}), f32({2, 2}, {1, 0, 0, 1}), f32({1}, {10})},
                ErrorCode::InvalidModel,
                "a MatMul node: the bias has 1 elements for 2 columns"});
}

}  // namespace
}  // namespace fuselane
