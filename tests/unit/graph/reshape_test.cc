// Reshape, Flatten, Squeeze, Unsqueeze: which extents they give, and which symbols survive them.
#include <gtest/gtest.h>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using enum ErrorCode;

const std::vector<double> kSix = {1, 2, 3, 4, 5, 6};

OperatorCase reshape(Dims from, std::vector<int64_t> shape, Dims to, bool allow_zero = false) {
  std::vector<double> values;
  for (int64_t i = 0; i < *element_count(from); ++i) values.push_back(static_cast<double>(i));
  auto rank = static_cast<int64_t>(shape.size());
  return {cat(text_of(from), " to [", join(shape), "]"),
          Op::Reshape,
          {{Attr::AllowZero, int64_t{allow_zero}}},
          {f32(std::move(from), values), i64({rank}, std::move(shape))},
          {f32(std::move(to), values)}};
}
OperatorErrorCase bad_reshape(Dims from, std::vector<int64_t> shape, std::string message,
                              bool allow_zero = false) {
  OperatorCase c = reshape(std::move(from), std::move(shape), {0}, allow_zero);
  return {c.name, c.op, c.attributes, c.inputs, InvalidModel, cat("a Reshape node: ", message)};
}

TEST(Reshape, GivesExtents) {
  expect_all({
      reshape({2, 3}, {3, 2}, {3, 2}),
      reshape({2, 3}, {-1}, {6}),
      reshape({2, 3}, {0, -1}, {2, 3}),
      reshape({2, 3}, {3, 1, -1}, {3, 1, 2}),
      reshape({2, 3, 2}, {0, 6}, {2, 6}),
      reshape({2, 3, 2}, {-1, 0}, {4, 3}),
      reshape({}, {1, 1}, {1, 1}),
      reshape({1}, {}, {}),
      reshape({0, 3}, {0, -1}, {0, 3}),
      reshape({0, 3}, {3, -1}, {3, 0}),
      reshape({0, 3}, {0, 4}, {0, 4}),
      reshape({0, 3}, {3, 0}, {3, 0}, true),
      reshape({2, 3}, {-1, 2}, {3, 2}, true),
  });
}

TEST(Reshape, Refuses) {
  expect_all_errors({
      bad_reshape({2, 3}, {4}, "cannot reshape [2,3] to [4]"),
      bad_reshape({2, 3}, {4, -1}, "cannot reshape [2,3] to [4,-1]"),
      bad_reshape({2, 3}, {-1, -1}, "cannot reshape to [-1,-1], which leaves more than one extent open"),
      bad_reshape({2, 3}, {-2, 3}, "cannot reshape to [-2,3]"),
      bad_reshape({6}, {6, 0}, "extent 1 of [6,0] copies an axis that rank 1 does not have"),
      bad_reshape({2, 3}, {0, 3}, "cannot reshape [2,3] to [0,3]", true),
      bad_reshape({0, 3}, {0, -1}, "with allowzero, [0,-1] leaves -1 undetermined", true),
      bad_reshape({1}, {int64_t{1} << 62, 4, -1}, "the product of its extents is too large"),
      bad_reshape({1}, {int64_t{1} << 62, 4}, "cannot reshape [1] to [4611686018427387904,4]"),
  });
}

TEST(Flatten, GivesTwoAxes) {
  auto at = [](int64_t axis) { return Attributes{{Attr::Axis, axis}}; };
  expect_all({
      {"by default", Op::Flatten, {}, {f32({2, 3, 1}, kSix)}, {f32({2, 3}, kSix)}},
      {"at 0", Op::Flatten, at(0), {f32({2, 3}, kSix)}, {f32({1, 6}, kSix)}},
      {"at the rank", Op::Flatten, at(2), {f32({2, 3}, kSix)}, {f32({6, 1}, kSix)}},
      {"from behind", Op::Flatten, at(-1), {f32({1, 2, 3}, kSix)}, {f32({2, 3}, kSix)}},
      {"a scalar", Op::Flatten, at(0), {f32({}, {1})}, {f32({1, 1}, {1})}},
      {"no elements", Op::Flatten, {}, {f32({2, 0, 3}, {})}, {f32({2, 0}, {})}},
  });
  expect_error({"an axis outside",
                Op::Flatten,
                at(3),
                {f32({2, 3}, kSix)},
                InvalidModel,
                "a Flatten node: axis 3 is outside a tensor of rank 2"});
}

TEST(Squeeze, RemovesAxesOfOne) {
  expect_all({
      {"all", Op::Squeeze, {}, {f32({1, 2, 1, 3}, kSix)}, {f32({2, 3}, kSix)}},
      {"one", Op::Squeeze, {}, {f32({1, 2, 1, 3}, kSix), i64({1}, {2})}, {f32({1, 2, 3}, kSix)}},
      {"from behind", Op::Squeeze, {}, {f32({1, 2, 1, 3}, kSix), i64({2}, {-2, 0})}, {f32({2, 3}, kSix)}},
      {"a scalar axis", Op::Squeeze, {}, {f32({1, 2}, {1, 2}), i64({}, {0})}, {f32({2}, {1, 2})}},
      {"none", Op::Squeeze, {}, {f32({1, 2}, {1, 2}), i64({0}, {})}, {f32({1, 2}, {1, 2})}},
      {"to a scalar", Op::Squeeze, {}, {boolean({1, 1}, {1})}, {boolean({}, {1})}},
  });
  expect_all_errors({
      {"an extent of 2",
       Op::Squeeze,
       {},
       {f32({1, 2}, {1, 2}), i64({1}, {1})},
       InvalidModel,
       "a Squeeze node: cannot remove axis 1, whose extent is 2"},
      {"an axis twice",
       Op::Squeeze,
       {},
       {f32({1, 2}, {1, 2}), i64({2}, {0, -2})},
       InvalidModel,
       "a Squeeze node: axis 0 is named twice"},
      {"an axis outside",
       Op::Squeeze,
       {},
       {f32({1}, {1}), i64({1}, {1})},
       InvalidModel,
       "a Squeeze node: axis 1 is outside a tensor of rank 1"},
  });
}

TEST(Unsqueeze, AddsAxesOfOne) {
  expect_all({
      {"in front", Op::Unsqueeze, {}, {f32({2, 3}, kSix), i64({1}, {0})}, {f32({1, 2, 3}, kSix)}},
      {"in any order",
       Op::Unsqueeze,
       {},
       {f32({2, 3}, kSix), i64({3}, {4, 0, 2})},
       {f32({1, 2, 1, 3, 1}, kSix)}},
      {"from behind", Op::Unsqueeze, {}, {f32({2, 3}, kSix), i64({1}, {-1})}, {f32({2, 3, 1}, kSix)}},
      {"a scalar", Op::Unsqueeze, {}, {i64({}, {7}), i64({}, {0})}, {i64({1}, {7})}},
      {"nowhere", Op::Unsqueeze, {}, {f32({2}, {1, 2}), i64({0}, {})}, {f32({2}, {1, 2})}},
  });
  expect_all_errors({
      {"an axis outside",
       Op::Unsqueeze,
       {},
       {f32({2}, {1, 2}), i64({1}, {2})},
       InvalidModel,
       "a Unsqueeze node: axis 2 is outside a tensor of rank 2"},
      {"an axis twice",
       Op::Unsqueeze,
       {},
       {f32({2}, {1, 2}), i64({2}, {0, -3})},
       InvalidModel,
       "a Unsqueeze node: axis 0 is named twice"},
  });
}

TEST(ReshapeShapes, KeepWhatIsKnown) {
  auto shape = [](std::string extents, int count) {
    return cat("const %shape: i64[", count, "] = [", extents, "] ");
  };
  std::string node = "%y: f32[*] = Reshape(%x, %shape)";
  expect_types({
      {"a copied symbol", shape("0, -1", 2) + "input %x: f32[batch,3,4]", node, {"f32[batch,12]"}},
      {"a symbol that -1 stands for",
       shape("-1, 64", 2) + "input %x: f32[batch,8,8]",
       node,
       {"f32[batch,64]"}},
      {"heads", shape("0, 0, 12, 64", 4) + "input %x: f32[batch,n,768]", node, {"f32[batch,n,12,64]"}},
      {"a symbol times 2", shape("-1, 32", 2) + "input %x: f32[batch,64]", node, {"f32[?,32]"}},
      {"a symbol that may divide", shape("-1, 5", 2) + "input %x: f32[batch,64]", node, {"f32[?,5]"}},
      {"two symbols", shape("-1, 64", 2) + "input %x: f32[batch,n,64]", node, {"f32[?,64]"}},
      {"a symbol beside a copied one", shape("0, -1", 2) + "input %x: f32[batch,n]", node, {"f32[batch,n]"}},
      {"an unknown rank", shape("0, 3, -1", 3) + "input %x: f32[*]", node, {"f32[?,3,?]"}},
      {"an unknown shape of known length", "input %shape: i64[2] input %x: f32[6]", node, {"f32[?,?]"}},
      {"flat, a symbol on the left",
       "input %x: f32[batch,3,4]",
       "%y: f32[*] = Flatten(%x)",
       {"f32[batch,12]"}},
      {"flat, symbols on the right", "input %x: f32[2,n,4]", "%y: f32[*] = Flatten(%x)", {"f32[2,?]"}},
      {"flat, an extent of 0", "input %x: f32[2,n,0]", "%y: f32[*] = Flatten(%x)", {"f32[2,0]"}},
      {"flat, an unknown rank", "input %x: f32[*]", "%y: f32[*] = Flatten(%x) {axis = 0}", {"f32[1,?]"}},
      {"squeezed beside symbols",
       "const %axes: i64[1] = [1] input %x: f32[batch,1,n]",
       "%y: f32[*] = Squeeze(%x, %axes)",
       {"f32[batch,n]"}},
      {"squeezed by itself, where a symbol may be 1",
       "input %x: f32[batch,1]",
       "%y: f32[*] = Squeeze(%x)",
       {"f32[*]"}},
      {"squeezed on an unknown axis",
       "input %axes: i64[1] input %x: f32[batch,1,1]",
       "%y: f32[*] = Squeeze(%x, %axes)",
       {"f32[?,?]"}},
      {"unsqueezed beside symbols",
       "const %axes: i64[2] = [0, -1] input %x: f32[batch,n]",
       "%y: f32[*] = Unsqueeze(%x, %axes)",
       {"f32[1,batch,n,1]"}},
      {"unsqueezed on an unknown axis",
       "input %axes: i64[1] input %x: f32[n]",
       "%y: f32[*] = Unsqueeze(%x, %axes)",
       {"f32[?,?]"}},
  });
}

// A model may declare any extents: no rule may make as many dimensions as a list says before it has looked.
TEST(ReshapeShapes, RefuseRanksBeyondReason) {
  std::string list = "input %list: i64[1000000000000] input %x: f32[1] ";
  std::string message = ": input 1 has 1000000000000 elements, a tensor at most 64 axes";
  expect_refusals({
      {"reshaped", list, "%y: f32[*] = Reshape(%x, %list)", {"a Reshape node" + message}},
      {"expanded", list, "%y: f32[*] = Expand(%x, %list)", {"a Expand node" + message}},
      {"tiled", list, "%y: f32[*] = Tile(%x, %list)", {"a Tile node" + message}},
      {"unsqueezed", list, "%y: f32[*] = Unsqueeze(%x, %list)", {"a Unsqueeze node" + message}},
      {"squeezed",
       list,
       "%y: f32[*] = Squeeze(%x, %list)",
       {"a Squeeze node: cannot remove 1000000000000 axes of rank 1"}},
      {"unsqueezed too often",
       "input %list: i64[64] input %x: f32[1]",
       "%y: f32[*] = Unsqueeze(%x, %list)",
       {"a Unsqueeze node: its result of rank 65 is too large"}},
  });
}

}  // namespace
}  // namespace fuselane
