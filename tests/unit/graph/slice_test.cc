// Slice: clamping, steps of both signs, empty results, and what is known of symbolic extents.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using enum ErrorCode;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

Elements counting(int64_t count) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i));
  return f32({count}, values);
}
// x[start:end:step] of 0 .. 4.
OperatorCase one_axis(std::string name, int64_t start, int64_t end, int64_t step,
                      std::vector<double> values) {
  auto count = static_cast<int64_t>(values.size());
  return {std::move(name),
          Op::Slice,
          {},
          {counting(5), i64({1}, {start}), i64({1}, {end}), i64({1}, {0}), i64({1}, {step})},
          {f32({count}, std::move(values))}};
}

TEST(Slice, ClampsOneAxis) {
  expect_all({
      one_axis("inside", 1, 4, 1, {1, 2, 3}),
      one_axis("every second", 0, 5, 2, {0, 2, 4}),
      one_axis("every second, even end", 0, 4, 2, {0, 2}),
      one_axis("to the end", 3, kMost, 1, {3, 4}),
      one_axis("from before the start", kLeast, 2, 1, {0, 1}),
      one_axis("counted from behind", -3, -1, 1, {2, 3}),
      one_axis("behind the end", 7, 9, 1, {}),
      one_axis("end before start", 3, 2, 1, {}),
      one_axis("a step beyond everything", 1, 5, kMost, {1}),
      one_axis("backwards", 4, 0, -1, {4, 3, 2, 1}),
      one_axis("backwards over the start", -1, kLeast, -1, {4, 3, 2, 1, 0}),
      one_axis("backwards from beyond the end", kMost, -6, -2, {4, 2, 0}),
      one_axis("backwards to the last", 2, -1, -1, {}),
      one_axis("backwards from before the start", kLeast, kLeast, -1, {0}),
      one_axis("the longest step backwards", 3, kLeast, kLeast, {3}),
  });
}

TEST(Slice, CutsBoxes) {
  Elements x = f32({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect_all({
      {"all operands left out but the bounds",
       Op::Slice,
       {},
       {x, i64({2}, {1, 1}), i64({2}, {3, 3})},
       {f32({2, 2}, {5, 6, 9, 10})}},
      {"fewer bounds than axes",
       Op::Slice,
       {},
       {x, i64({1}, {2}), i64({1}, {3})},
       {f32({1, 4}, {8, 9, 10, 11})}},
      {"axes in another order, one backwards",
       Op::Slice,
       {},
       {x, i64({2}, {-1, 0}), i64({2}, {kLeast, 2}), i64({2}, {-1, 0}), i64({2}, {-2, 1})},
       {f32({2, 2}, {3, 1, 7, 5})}},
      {"bounds of int32",
       Op::Slice,
       {},
       {x, i32({1}, {1}), i32({1}, {std::numeric_limits<int32_t>::max()}), i32({1}, {1}), i32({1}, {2})},
       {f32({3, 2}, {1, 3, 5, 7, 9, 11})}},
      {"no axes at all", Op::Slice, {}, {x, i64({0}, {}), i64({0}, {})}, {x}},
      {"steps without axes",
       Op::Slice,
       {},
       {x, i64({2}, {0, 0}), i64({2}, {9, 9}), absent(), i64({2}, {2, 3})},
       {f32({2, 2}, {0, 3, 8, 11})}},
      {"an axis without elements",
       Op::Slice,
       {},
       {f32({0, 2}, {}), i64({1}, {-1}), i64({1}, {kLeast}), i64({1}, {0}), i64({1}, {-1})},
       {f32({0, 2}, {})}},
      {"halves of bytes",
       Op::Slice,
       {},
       {integers(DType::UInt4, {5}, {1, 2, 3, 4, 15}), i64({1}, {4}), i64({1}, {0}), i64({1}, {0}),
        i64({1}, {-3})},
       {integers(DType::UInt4, {2}, {15, 2})}},
  });
}

TEST(Slice, Refuses) {
  Elements x = counting(5);
  expect_all_errors({
      {"a step of 0",
       Op::Slice,
       {},
       {x, i64({1}, {0}), i64({1}, {1}), i64({1}, {0}), i64({1}, {0})},
       InvalidModel,
       "a Slice node: a step is 0"},
      {"an axis outside",
       Op::Slice,
       {},
       {x, i64({1}, {0}), i64({1}, {1}), i64({1}, {1})},
       InvalidModel,
       "a Slice node: axis 1 is outside a tensor of rank 1"},
      {"an axis twice",
       Op::Slice,
       {},
       {x, i64({2}, {0, 0}), i64({2}, {1, 1}), i64({2}, {0, -1})},
       InvalidModel,
       "a Slice node: axis 0 is named twice"},
      {"more bounds than axes",
       Op::Slice,
       {},
       {x, i64({2}, {0, 0}), i64({2}, {1, 1})},
       InvalidModel,
       "a Slice node: slices 2 axes of a tensor of rank 1"},
      {"starts without ends",
       Op::Slice,
       {},
       {x, i64({1}, {0}), i64({2}, {1, 1})},
       InvalidModel,
       "a Slice node: input 1 has 1 elements, input 2 has 2"},
      {"bounds of a float type",
       Op::Slice,
       {},
       {x, f32({1}, {0}), f32({1}, {1})},
       InvalidModel,
       "a Slice node: input 1 must be int32 or int64, not float32"},
      {"bounds of two types",
       Op::Slice,
       {},
       {x, i64({1}, {0}), i32({1}, {1})},
       InvalidModel,
       "a Slice node: inputs 1 and 2 must have one type, not int64 and int32"},
  });
}

TEST(SliceShapes, KeepWhatIsKnown) {
  std::string from_one = "const %one: i64[1] = [1] const %most: i64[1] = [9223372036854775807] ";
  expect_types({
      {"axes that are not sliced stay",
       from_one + "input %x: f32[batch,5,n]",
       "%y: f32[*] = Slice(%x, %one, %most, %one)",
       {"f32[batch,4,n]"}},
      {"a sliced symbol goes",
       from_one + "input %x: f32[batch,5]",
       "%y: f32[*] = Slice(%x, %one, %most)",
       {"f32[?,5]"}},
      {"all of a symbol stays",
       from_one + "const %zero: i64[1] = [0] input %x: f32[batch,5]",
       "%y: f32[*] = Slice(%x, %zero, %most)",
       {"f32[batch,5]"}},
      {"all of a symbol, backwards",
       "const %last: i64[1] = [-1] const %least: i64[1] = [-9223372036854775808] const %zero: i64[1] = [0] "
       "input %x: f32[n]",
       "%y: f32[*] = Slice(%x, %last, %least, %zero, %last)",
       {"f32[n]"}},
      {"all of a symbol in int32, where the axis is the second",
       "const %zero: i32[1] = [0] const %most: i32[1] = [2147483647] const %one: i32[1] = [1] input %x: "
       "f32[2,n]",
       "%y: f32[*] = Slice(%x, %zero, %most, %one)",
       {"f32[2,n]"}},
      {"unknown bounds of known axes",
       from_one + "input %start: i64[1] input %x: f32[batch,5]",
       "%y: f32[*] = Slice(%x, %start, %most, %one)",
       {"f32[batch,?]"}},
      {"unknown axes",
       from_one + "input %axes: i64[1] input %x: f32[batch,5]",
       "%y: f32[*] = Slice(%x, %one, %most, %axes)",
       {"f32[?,?]"}},
      {"an unknown rank", from_one + "input %x: f32[*]", "%y: f32[*] = Slice(%x, %one, %most)", {"f32[*]"}},
  });
}

}  // namespace
}  // namespace fuselane
