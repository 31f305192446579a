// Concat and Split: elements side by side, uneven and empty parts, and what is known of symbolic extents.
#include <gtest/gtest.h>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using enum ErrorCode;

Attributes axis(int64_t at) { return {{Attr::Axis, at}}; }

TEST(Concat, PutsOperandsSideBySide) {
  expect_all({
      {"rows",
       Op::Concat,
       axis(0),
       {f32({1, 2}, {1, 2}), f32({2, 2}, {3, 4, 5, 6})},
       {f32({3, 2}, {1, 2, 3, 4, 5, 6})}},
      {"columns",
       Op::Concat,
       axis(1),
       {f32({2, 1}, {1, 2}), f32({2, 2}, {3, 4, 5, 6})},
       {f32({2, 3}, {1, 3, 4, 2, 5, 6})}},
      {"the last axis counted from behind",
       Op::Concat,
       axis(-1),
       {i64({2, 1, 1}, {1, 2}), i64({2, 1, 2}, {3, 4, 5, 6})},
       {i64({2, 1, 3}, {1, 3, 4, 2, 5, 6})}},
      {"the middle axis of three",
       Op::Concat,
       axis(1),
       {u8({2, 1, 2}, {1, 2, 3, 4}), u8({2, 2, 2}, {5, 6, 7, 8, 9, 10, 11, 12})},
       {u8({2, 3, 2}, {1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12})}},
      {"one operand", Op::Concat, axis(0), {boolean({2}, {1, 0})}, {boolean({2}, {1, 0})}},
      {"an empty operand between",
       Op::Concat,
       axis(0),
       {f64({1}, {1}), f64({0}, {}), f64({1}, {2})},
       {f64({2}, {1, 2})}},
      {"only empty operands", Op::Concat, axis(1), {f32({2, 0}, {}), f32({2, 0}, {})}, {f32({2, 0}, {})}},
      {"halves of bytes",
       Op::Concat,
       axis(1),
       {integers(DType::Int4, {2, 1}, {-8, 7}), integers(DType::Int4, {2, 2}, {1, 2, 3, 4})},
       {integers(DType::Int4, {2, 3}, {-8, 1, 2, 7, 3, 4})}},
  });
}

TEST(Concat, Refuses) {
  expect_all_errors({
      {"another rank",
       Op::Concat,
       axis(0),
       {f32({1}, {1}), f32({1, 1}, {1})},
       InvalidModel,
       "a Concat node: input 1 must have rank 1, not 2"},
      {"another extent",
       Op::Concat,
       axis(0),
       {f32({1, 2}, {1, 2}), f32({1, 1}, {1})},
       InvalidModel,
       "a Concat node: input 1 has extent 1 on axis 1, the inputs before it 2"},
      {"another type",
       Op::Concat,
       axis(0),
       {f32({1}, {1}), i32({1}, {1})},
       InvalidModel,
       "a Concat node: inputs 0 and 1 must have one type, not float32 and int32"},
      {"an axis outside",
       Op::Concat,
       axis(2),
       {f32({1, 1}, {1})},
       InvalidModel,
       "a Concat node: axis 2 is outside a tensor of rank 2"},
      {"scalars",
       Op::Concat,
       axis(0),
       {f32({}, {1})},
       InvalidModel,
       "a Concat node: axis 0 is outside a tensor of rank 0"},
      {"a missing operand",
       Op::Concat,
       axis(0),
       {f32({1}, {1}), absent()},
       InvalidModel,
       "a Concat node: input 1 is missing"},
      {"strings",
       Op::Concat,
       axis(0),
       {numbers(DType::String, {0}, {})},
       UnsupportedModel,
       "a Concat node: input 0 holds strings, which are not supported here"},
  });
}

TEST(Split, CutsIntoParts) {
  expect_all({
      {"equal parts", Op::Split, axis(0), {f32({4}, {1, 2, 3, 4})}, {f32({2}, {1, 2}), f32({2}, {3, 4})}},
      {"a smaller last part",
       Op::Split,
       axis(0),
       {f32({5}, {1, 2, 3, 4, 5})},
       {f32({2}, {1, 2}), f32({2}, {3, 4}), f32({1}, {5})}},
      {"given parts along the last axis",
       Op::Split,
       axis(-1),
       {i32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2}, {2, 1})},
       {i32({2, 2}, {1, 2, 4, 5}), i32({2, 1}, {3, 6})}},
      {"an empty part",
       Op::Split,
       axis(0),
       {u8({2}, {1, 2}), i64({3}, {0, 2, 0})},
       {u8({0}, {}), u8({2}, {1, 2}), u8({0}, {})}},
      {"a part nobody wants",
       Op::Split,
       axis(0),
       {f32({3}, {1, 2, 3}), i64({3}, {1, 1, 1})},
       {f32({1}, {1}), absent(), f32({1}, {3})}},
      {"an empty tensor", Op::Split, axis(0), {f32({0, 2}, {})}, {f32({0, 2}, {}), f32({0, 2}, {})}},
      {"one part", Op::Split, {}, {f32({3}, {1, 2, 3})}, {f32({3}, {1, 2, 3})}},
  });
}

TEST(Split, Refuses) {
  expect_all_errors({
      {"parts of another sum",
       Op::Split,
       axis(0),
       {f32({3}, {1, 2, 3}), i64({2}, {1, 1})},
       InvalidModel,
       "a Split node: parts of 1, 1 do not add up to the extent 3",
       2},
      {"a negative part",
       Op::Split,
       axis(0),
       {f32({3}, {1, 2, 3}), i64({2}, {4, -1})},
       InvalidModel,
       "a Split node: cannot split into parts of 4, -1",
       2},
      {"another number of parts",
       Op::Split,
       axis(0),
       {f32({3}, {1, 2, 3}), i64({2}, {1, 2})},
       InvalidModel,
       "a Split node: input 1 gives 2 parts for 3 outputs",
       3},
      {"too many equal parts",
       Op::Split,
       axis(0),
       {f32({5}, {1, 2, 3, 4, 5})},
       InvalidModel,
       "a Split node: cannot split an extent of 5 into 4 equal parts",
       4},
      {"a scalar",
       Op::Split,
       axis(0),
       {f32({}, {1})},
       InvalidModel,
       "a Split node: axis 0 is outside a tensor of rank 0",
       2},
  });
}

TEST(ConcatShapes, KeepWhatIsKnown) {
  expect_types({
      {"symbols of other axes stay; an axis of unknown parts does not",
       "input %a: f32[batch,2] input %b: f32[?,n]",
       "%y: f32[*] = Concat(%a, %b) {axis = 1}",
       {"f32[batch,?]"}},
      {"an extent beats a symbol",
       "input %a: f32[batch,2] input %b: f32[4,3]",
       "%y: f32[*] = Concat(%a, %b) {axis = 1}",
       {"f32[4,5]"}},
      {"a symbol beside nothing",
       "input %a: f32[n] input %b: f32[0]",
       "%y: f32[*] = Concat(%a, %b) {axis = 0}",
       {"f32[n]"}},
      {"an unknown rank",
       "input %a: f32[*] input %b: f32[2,n]",
       "%y: f32[*] = Concat(%a, %b) {axis = 0}",
       {"f32[?,n]"}},
      {"parts of a symbolic extent",
       "const %parts: i64[2] = [1, 2] input %x: f32[n,batch]",
       "%y: f32[*], %z: f32[*] = Split(%x, %parts)",
       {"f32[1,batch]", "f32[2,batch]"}},
      {"equal parts of a symbolic extent",
       "input %x: f32[n,2]",
       "%y: f32[*], %z: f32[*] = Split(%x)",
       {"f32[?,2]", "f32[?,2]"}},
  });
}

}  // namespace
}  // namespace fuselane
