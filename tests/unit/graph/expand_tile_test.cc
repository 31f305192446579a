// Expand and Tile.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using enum ErrorCode;

TEST(Expand, Broadcasts) {
  expect_all({
      {"one extent",
       Op::Expand,
       {},
       {f32({3, 1}, {1, 2, 3}), i64({2}, {3, 2})},
       {f32({3, 2}, {1, 1, 2, 2, 3, 3})}},
      {"both sides, and more axes",
       Op::Expand,
       {},
       {i64({2, 1}, {1, 2}), i64({3}, {2, 1, 2})},
       {i64({2, 2, 2}, {1, 1, 2, 2, 1, 1, 2, 2})}},
      {"fewer axes than the operand",
       Op::Expand,
       {},
       {f32({2, 1}, {1, 2}), i64({1}, {2})},
       {f32({2, 2}, {1, 1, 2, 2})}},
      {"a scalar", Op::Expand, {}, {boolean({}, {1}), i64({1}, {3})}, {boolean({3}, {1, 1, 1})}},
      {"to no axes", Op::Expand, {}, {f32({2}, {1, 2}), i64({0}, {})}, {f32({2}, {1, 2})}},
      {"to nothing", Op::Expand, {}, {f32({1, 2}, {1, 2}), i64({2}, {0, 1})}, {f32({0, 2}, {})}},
      {"halves of bytes",
       Op::Expand,
       {},
       {integers(DType::Int4, {2, 1}, {-1, 3}), i64({2}, {1, 3})},
       {integers(DType::Int4, {2, 3}, {-1, -1, -1, 3, 3, 3})}},
  });
}

TEST(Expand, Refuses) {
  expect_all_errors({
      {"other extents",
       Op::Expand,
       {},
       {f32({2}, {1, 2}), i64({1}, {3})},
       InvalidModel,
       "a Expand node: extents 2 and 3 do not broadcast"},
      {"a negative extent",
       Op::Expand,
       {},
       {f32({2}, {1, 2}), i64({1}, {-1})},
       InvalidModel,
       "a Expand node: cannot expand to [-1]"},
      {"too many elements",
       Op::Expand,
       {},
       {f32({1}, {1}), i64({2}, {int64_t{1} << 40, int64_t{1} << 40})},
       InvalidModel,
       "a Expand node: its result f32[1099511627776,1099511627776] is too large"},
      {"a shape of rank 2",
       Op::Expand,
       {},
       {f32({1}, {1}), i64({1, 1}, {1})},
       InvalidModel,
       "a Expand node: input 1 must have rank 1, not 2"},
  });
}

TEST(Tile, Repeats) {
  expect_all({
      {"both axes",
       Op::Tile,
       {},
       {f32({2, 2}, {1, 2, 3, 4}), i64({2}, {2, 2})},
       {f32({4, 4}, {1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4})}},
      {"the last axis",
       Op::Tile,
       {},
       {u8({2, 2}, {1, 2, 3, 4}), i64({2}, {1, 3})},
       {u8({2, 6}, {1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4})}},
      {"never", Op::Tile, {}, {f32({2}, {1, 2}), i64({1}, {0})}, {f32({0}, {})}},
      {"nothing, often",
       Op::Tile,
       {},
       {f32({0}, {}), i64({1}, {std::numeric_limits<int64_t>::max()})},
       {f32({0}, {})}},
      {"a scalar", Op::Tile, {}, {f32({}, {5}), i64({0}, {})}, {f32({}, {5})}},
      {"halves of bytes",
       Op::Tile,
       {},
       {integers(DType::UInt4, {3}, {1, 2, 15}), i64({1}, {2})},
       {integers(DType::UInt4, {6}, {1, 2, 15, 1, 2, 15})}},
  });
}

TEST(Tile, Refuses) {
  expect_all_errors({
      {"a negative count",
       Op::Tile,
       {},
       {f32({1}, {1}), i64({1}, {-1})},
       InvalidModel,
       "a Tile node: cannot repeat -1 times"},
      {"too few counts",
       Op::Tile,
       {},
       {f32({1, 1}, {1}), i64({1}, {1})},
       InvalidModel,
       "a Tile node: input 1 has 1 elements for a tensor of rank 2"},
      {"an extent beyond int64",
       Op::Tile,
       {},
       {f32({2}, {1, 2}), i64({1}, {int64_t{1} << 62})},
       InvalidModel,
       "a Tile node: an extent of 2 repeated 4611686018427387904 times is too large"},
  });
}

TEST(ExpandTileShapes, KeepWhatIsKnown) {
  expect_types({
      {"a symbol stands beside 1",
       "const %shape: i64[2] = [4, 1] input %x: f32[1,n]",
       "%y: f32[*] = Expand(%x, %shape)",
       {"f32[4,n]"}},
      {"an extent above 1 decides",
       "const %shape: i64[1] = [4] input %x: f32[n]",
       "%y: f32[*] = Expand(%x, %shape)",
       {"f32[4]"}},
      {"an unknown shape of known length",
       "input %shape: i64[3] input %x: f32[7,1]",
       "%y: f32[*] = Expand(%x, %shape)",
       {"f32[?,7,?]"}},
      {"repeats of 1, 0 and 2",
       "const %times: i64[3] = [1, 0, 2] input %x: f32[n,m,k]",
       "%y: f32[*] = Tile(%x, %times)",
       {"f32[n,0,?]"}},
      {"the rank that the repeats tell",
       "const %times: i64[2] = [1, 1] input %x: f32[*]",
       "%y: f32[*] = Tile(%x, %times)",
       {"f32[?,?]"}},
  });
}

}  // namespace
}  // namespace fuselane
