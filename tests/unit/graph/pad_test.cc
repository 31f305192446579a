// Pad: the four modes, cropping, axes, and what is known of symbolic extents.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using enum ErrorCode;

Attributes mode(std::string text) { return {{Attr::Mode, std::move(text)}}; }
// 1 .. 3 padded by `before` and `after`.
OperatorCase one_axis(const char* how, int64_t before, int64_t after, std::vector<double> values) {
  auto count = static_cast<int64_t>(values.size());
  return {cat(how, " ", before, " ", after),
          Op::Pad,
          mode(how),
          {f32({3}, {1, 2, 3}), i64({2}, {before, after})},
          {f32({count}, std::move(values))}};
}

TEST(Pad, PadsOneAxis) {
  expect_all({
      one_axis("constant", 1, 2, {0, 1, 2, 3, 0, 0}),
      one_axis("constant", -1, 1, {2, 3, 0}),
      one_axis("constant", -2, -1, {}),
      one_axis("constant", -5, 4, {0, 0}),
      one_axis("constant", 4, -5, {0, 0}),
      one_axis("constant", 3, -4, {0, 0}),
      one_axis("reflect", 2, 1, {3, 2, 1, 2, 3, 2}),
      one_axis("reflect", 5, 0, {2, 1, 2, 3, 2, 1, 2, 3}),
      one_axis("reflect", 0, 4, {1, 2, 3, 2, 1, 2, 3}),
      one_axis("reflect", -1, 2, {2, 3, 2, 3}),
      one_axis("reflect", -2, 2, {3, 3, 3}),
      one_axis("edge", 2, 1, {1, 1, 1, 2, 3, 3}),
      one_axis("edge", 1, -1, {1, 1, 2}),
      one_axis("wrap", 2, 4, {2, 3, 1, 2, 3, 1, 2, 3, 1}),
      one_axis("wrap", 1, -1, {2, 1, 2}),
      one_axis("wrap", 0, 0, {1, 2, 3}),
  });
}

TEST(Pad, PadsBoxes) {
  Elements x = f32({2, 2}, {1, 2, 3, 4});
  expect_all({
      {"a value",
       Op::Pad,
       {},
       {x, i64({4}, {0, 1, 1, 0}), f32({}, {9})},
       {f32({3, 3}, {9, 1, 2, 9, 3, 4, 9, 9, 9})}},
      {"a value of rank 1",
       Op::Pad,
       {},
       {i32({1}, {1}), i64({2}, {1, 0}), i32({1}, {7})},
       {i32({2}, {7, 1})}},
      {"axes",
       Op::Pad,
       {},
       {x, i64({2}, {1, 0}), absent(), i64({1}, {-1})},
       {f32({2, 3}, {0, 1, 2, 0, 3, 4})}},
      {"axes of int32, in another order",
       Op::Pad,
       {},
       {x, i64({4}, {1, 0, 0, -1}), absent(), i32({2}, {1, 0})},
       {f32({1, 3}, {0, 1, 2})}},
      {"reflect",
       Op::Pad,
       mode("reflect"),
       {x, i64({4}, {1, 1, 0, 0})},
       {f32({3, 3}, {4, 3, 4, 2, 1, 2, 4, 3, 4})}},
      {"edge",
       Op::Pad,
       mode("edge"),
       {x, i64({4}, {1, 1, 0, 0})},
       {f32({3, 3}, {1, 1, 2, 1, 1, 2, 3, 3, 4})}},
      {"wrap",
       Op::Pad,
       mode("wrap"),
       {x, i64({4}, {1, 1, 0, 0})},
       {f32({3, 3}, {4, 3, 4, 2, 1, 2, 4, 3, 4})}},
      {"reflect around one element",
       Op::Pad,
       mode("reflect"),
       {f32({1, 2}, {1, 2}), i64({4}, {1, 0, 1, 0})},
       {f32({3, 2}, {1, 2, 1, 2, 1, 2})}},
      {"nothing, around it a value",
       Op::Pad,
       {},
       {f32({0}, {}), i64({2}, {1, 1}), f32({}, {5})},
       {f32({2}, {5, 5})}},
      {"another axis without elements",
       Op::Pad,
       mode("edge"),
       {f32({2, 0}, {}), i64({4}, {1, 0, 0, 0})},
       {f32({3, 0}, {})}},
      {"a scalar", Op::Pad, mode("reflect"), {f32({}, {5}), i64({0}, {})}, {f32({}, {5})}},
      {"bool", Op::Pad, {}, {boolean({1}, {1}), i64({2}, {1, 1})}, {boolean({3}, {0, 1, 0})}},
      {"halves of bytes",
       Op::Pad,
       {},
       {integers(DType::Int4, {3}, {-8, 7, 1}), i64({2}, {1, 1}), integers(DType::Int4, {}, {-3})},
       {integers(DType::Int4, {5}, {-3, -8, 7, 1, -3})}},
  });
}

TEST(Pad, Refuses) {
  Elements x = f32({3}, {1, 2, 3});
  expect_all_errors({
      {"another mode",
       Op::Pad,
       mode("mirror"),
       {x, i64({2}, {0, 0})},
       InvalidModel,
       "a Pad node: mode must be constant, reflect, edge or wrap, not 'mirror'"},
      {"too few pads",
       Op::Pad,
       {},
       {x, i64({1}, {0})},
       InvalidModel,
       "a Pad node: input 1 must have 2 elements, not 1"},
      {"pads for another number of axes",
       Op::Pad,
       {},
       {x, i64({4}, {0, 0, 0, 0}), absent(), i64({1}, {0})},
       InvalidModel,
       "a Pad node: input 1 must have 2 elements, not 4"},
      {"cropping more than there is",
       Op::Pad,
       {},
       {x, i64({2}, {-3, -1})},
       InvalidModel,
       "a Pad node: pads -3 and -1 do not fit an extent of 3"},
      {"nothing to repeat",
       Op::Pad,
       mode("edge"),
       {f32({0}, {}), i64({2}, {1, 0})},
       InvalidModel,
       "a Pad node: mode 'edge' has no element to repeat"},
      {"everything cropped, then repeated",
       Op::Pad,
       mode("wrap"),
       {x, i64({2}, {-3, 1})},
       InvalidModel,
       "a Pad node: mode 'wrap' has no element to repeat"},
      {"pads beyond reason",
       Op::Pad,
       {},
       {x, i64({2}, {std::numeric_limits<int64_t>::min(), 0})},
       InvalidModel,
       "a Pad node: pads -9223372036854775808 and 0 are too large"},
      {"two values",
       Op::Pad,
       {},
       {x, i64({2}, {0, 0}), f32({2}, {1, 2})},
       InvalidModel,
       "a Pad node: input 2 must be one element, not 2"},
      {"a value of another type",
       Op::Pad,
       {},
       {x, i64({2}, {0, 0}), f64({}, {1})},
       InvalidModel,
       "a Pad node: inputs 0 and 2 must have one type, not float32 and float64"},
      {"an axis twice",
       Op::Pad,
       {},
       {x, i64({4}, {0, 0, 0, 0}), absent(), i64({2}, {0, 0})},
       InvalidModel,
       "a Pad node: axis 0 is named twice"},
  });
}

TEST(PadShapes, KeepWhatIsKnown) {
  expect_types({
      {"axes without pads stay",
       "const %pads: i64[6] = [0, 0, 1, 0, 0, 1] input %x: f32[batch,n,5]",
       "%y: f32[*] = Pad(%x, %pads)",
       {"f32[batch,n,7]"}},
      {"a padded symbol goes",
       "const %pads: i64[2] = [1, 0] input %x: f32[n]",
       "%y: f32[*] = Pad(%x, %pads)",
       {"f32[?]"}},
      {"a shifted symbol stays",
       "const %pads: i64[2] = [1, -1] input %x: f32[n]",
       "%y: f32[*] = Pad(%x, %pads)",
       {"f32[n]"}},
      {"unknown pads of known axes",
       "input %pads: i64[2] const %axes: i64[1] = [1] input %x: f32[batch,5]",
       "%y: f32[*] = Pad(%x, %pads, _, %axes)",
       {"f32[batch,?]"}},
      {"unknown axes",
       "input %pads: i64[2] input %axes: i64[1] input %x: f32[batch,5]",
       "%y: f32[*] = Pad(%x, %pads, _, %axes)",
       {"f32[?,?]"}},
  });
}

}  // namespace
}  // namespace fuselane
