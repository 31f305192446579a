// Gather and Transpose.
#include <gtest/gtest.h>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using enum ErrorCode;

Attributes axis(int64_t at) { return {{Attr::Axis, at}}; }
Attributes perm(std::vector<int64_t> axes) { return {{Attr::Permutation, std::move(axes)}}; }

TEST(Gather, TakesSlices) {
  Elements x = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_all({
      {"rows", Op::Gather, {}, {x, i64({2, 2}, {0, 1, 1, 2})}, {f32({2, 2, 2}, {1, 2, 3, 4, 3, 4, 5, 6})}},
      {"columns",
       Op::Gather,
       axis(1),
       {x, i64({1, 3}, {1, 0, 1})},
       {f32({3, 1, 3}, {2, 1, 2, 4, 3, 4, 6, 5, 6})}},
      {"an index counted from behind",
       Op::Gather,
       axis(-2),
       {x, i32({2}, {-1, -3})},
       {f32({2, 2}, {5, 6, 1, 2})}},
      {"a scalar index removes the axis", Op::Gather, axis(0), {x, i64({}, {1})}, {f32({2}, {3, 4})}},
      {"an element", Op::Gather, axis(0), {i64({3}, {7, 8, 9}), i64({}, {2})}, {i64({}, {9})}},
      {"no index", Op::Gather, axis(0), {x, i64({0}, {})}, {f32({0, 2}, {})}},
      {"slices without elements", Op::Gather, axis(0), {f32({2, 0}, {}), i64({1}, {1})}, {f32({1, 0}, {})}},
      {"no index into nothing", Op::Gather, axis(0), {f32({0, 2}, {}), i64({0}, {})}, {f32({0, 2}, {})}},
      {"halves of bytes",
       Op::Gather,
       axis(0),
       {integers(DType::Int4, {3}, {-8, 7, 1}), i64({3}, {2, 0, 0})},
       {integers(DType::Int4, {3}, {1, -8, -8})}},
  });
}

TEST(Gather, Refuses) {
  Elements x = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_all_errors({
      {"an index behind the end",
       Op::Gather,
       {},
       {x, i64({1}, {3})},
       InvalidData,
       "a Gather node: index 3 is outside [-3, 2]"},
      {"an index before the start",
       Op::Gather,
       {},
       {x, i64({1}, {-4})},
       InvalidData,
       "a Gather node: index -4 is outside [-3, 2]"},
      {"an index into nothing",
       Op::Gather,
       axis(1),
       {f32({1, 0}, {}), i64({1}, {0})},
       InvalidData,
       "a Gather node: index 0 is outside [0, -1]"},
      {"an axis outside",
       Op::Gather,
       axis(2),
       {x, i64({1}, {0})},
       InvalidModel,
       "a Gather node: axis 2 is outside a tensor of rank 2"},
      {"a scalar",
       Op::Gather,
       {},
       {f32({}, {1}), i64({}, {0})},
       InvalidModel,
       "a Gather node: input 0 must have rank at least 1, not 0"},
      {"indices of a float type",
       Op::Gather,
       {},
       {x, f32({1}, {0})},
       InvalidModel,
       "a Gather node: input 1 must be int32 or int64, not float32"},
  });
}

TEST(Transpose, PermutesAxes) {
  Elements x = f32({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  expect_all({
      {"reversed by default", Op::Transpose, {}, {x}, {f32({3, 1, 2}, {1, 4, 2, 5, 3, 6})}},
      {"a permutation", Op::Transpose, perm({1, 2, 0}), {x}, {f32({1, 3, 2}, {1, 4, 2, 5, 3, 6})}},
      {"the identity", Op::Transpose, perm({0, 1, 2}), {x}, {x}},
      {"four axes",
       Op::Transpose,
       perm({0, 2, 3, 1}),
       {i64({1, 2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})},
       {i64({1, 2, 3, 2}, {0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11})}},
      {"a scalar", Op::Transpose, {}, {f64({}, {1})}, {f64({}, {1})}},
      {"no elements", Op::Transpose, {}, {u8({0, 2}, {})}, {u8({2, 0}, {})}},
      {"halves of bytes",
       Op::Transpose,
       {},
       {integers(DType::UInt4, {2, 3}, {1, 2, 3, 4, 5, 15})},
       {integers(DType::UInt4, {3, 2}, {1, 4, 2, 5, 3, 15})}},
      {"16 bits",
       Op::Transpose,
       {},
       {numbers(DType::Float16, {2, 2}, {1, 2, 3, 4})},
       {numbers(DType::Float16, {2, 2}, {1, 3, 2, 4})}},
  });
}

TEST(Transpose, Refuses) {
  Elements x = f32({1, 2}, {1, 2});
  for (std::vector<int64_t> axes : {std::vector<int64_t>{0, 0}, {0, 2}, {-1, 0}, {0}, {0, 1, 2}}) {
    expect_error(
        {"not a permutation",
         Op::Transpose,
         perm(axes),
         {x},
         InvalidModel,
         cat("a Transpose node: perm [", join(axes), "] is not a permutation of the axes of rank 2")});
  }
}

TEST(GatherTransposeShapes, KeepWhatIsKnown) {
  expect_types({
      {"symbols of both operands",
       "input %x: f32[words,768] input %ids: i64[batch,n]",
       "%y: f32[*] = Gather(%x, %ids)",
       {"f32[batch,n,768]"}},
      {"indices of unknown rank",
       "input %x: f32[2,768] input %ids: i64[*]",
       "%y: f32[*] = Gather(%x, %ids)",
       {"f32[*]"}},
      {"permuted symbols",
       "input %x: f32[batch,3,?,w]",
       "%y: f32[*] = Transpose(%x) {perm = [3, 2, 0, 1]}",
       {"f32[w,?,batch,3]"}},
      {"the rank that perm tells",
       "input %x: f32[*]",
       "%y: f32[*] = Transpose(%x) {perm = [1, 0]}",
       {"f32[?,?]"}},
      {"nothing known", "input %x: f32[*]", "%y: f32[*] = Transpose(%x)", {"f32[*]"}},
  });
}

}  // namespace
}  // namespace fuselane
