// Shape, Size and Range.
#include <gtest/gtest.h>

#include <limits>

#include "graph/parse.h"
#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using enum ErrorCode;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

OperatorCase shape(std::string name, int64_t start, int64_t end, std::vector<int64_t> extents) {
  auto count = static_cast<int64_t>(extents.size());
  return {std::move(name),
          Op::Shape,
          {{Attr::Start, start}, {Attr::End, end}},
          {f32({2, 1, 3}, {1, 2, 3, 4, 5, 6})},
          {i64({count}, std::move(extents))}};
}

TEST(Shape, GivesExtents) {
  expect_all({
      {"all", Op::Shape, {}, {f32({2, 1, 3}, {1, 2, 3, 4, 5, 6})}, {i64({3}, {2, 1, 3})}},
      {"of a scalar", Op::Shape, {}, {f32({}, {1})}, {i64({0}, {})}},
      {"with a 0", Op::Shape, {}, {u8({0, 4}, {})}, {i64({2}, {0, 4})}},
      shape("a part", 1, 2, {1}),
      shape("from behind", -1, kMost, {3}),
      shape("up to the last", 0, -1, {2, 1}),
      shape("bounds beyond the rank", kLeast, kMost, {2, 1, 3}),
      shape("end before start", 2, 1, {}),
  });
}

TEST(Size, CountsElements) {
  expect_all({
      {"of a matrix", Op::Size, {}, {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {i64({}, {6})}},
      {"of a scalar", Op::Size, {}, {boolean({}, {1})}, {i64({}, {1})}},
      {"of nothing", Op::Size, {}, {f32({2, 0}, {})}, {i64({}, {0})}},
  });
}

TEST(Range, Counts) {
  expect_all({
      {"up", Op::Range, {}, {i64({}, {3}), i64({}, {9}), i64({}, {3})}, {i64({2}, {3, 6})}},
      {"over the limit", Op::Range, {}, {i64({}, {3}), i64({}, {10}), i64({}, {3})}, {i64({3}, {3, 6, 9})}},
      {"down", Op::Range, {}, {i32({}, {10}), i32({}, {4}), i32({}, {-2})}, {i32({3}, {10, 8, 6})}},
      {"away from the limit", Op::Range, {}, {i64({}, {0}), i64({}, {-1}), i64({}, {1})}, {i64({0}, {})}},
      {"across all of int64",
       Op::Range,
       {},
       {i64({}, {kLeast}), i64({}, {kMost}), i64({}, {int64_t{1} << 62})},
       {i64({4}, {kLeast, -(int64_t{1} << 62), 0, int64_t{1} << 62})}},
      {"the longest step down",
       Op::Range,
       {},
       {i64({}, {kMost}), i64({}, {kLeast}), i64({}, {kLeast})},
       {i64({2}, {kMost, -1})}},
      {"int16",
       Op::Range,
       {},
       {integers(DType::Int16, {}, {-1}), integers(DType::Int16, {}, {2}), integers(DType::Int16, {}, {1})},
       {integers(DType::Int16, {3}, {-1, 0, 1})}},
      {"floats", Op::Range, {}, {f32({}, {1}), f32({}, {2.1}), f32({}, {0.5})}, {f32({3}, {1, 1.5, 2})}},
      {"each element rounded once",
       Op::Range,
       {},
       {f64({}, {0}), f64({}, {0.35}), f64({}, {0.1})},
       {f64({4}, {0, 0.1, 0.2, 3 * 0.1})}},
      {"floats away from an infinite limit",
       Op::Range,
       {},
       {f32({}, {0}), f32({}, {-std::numeric_limits<double>::infinity()}), f32({}, {1})},
       {f32({0}, {})}},
      {"operands of one element",
       Op::Range,
       {},
       {i64({1}, {0}), i64({}, {2}), i64({1}, {1})},
       {i64({2}, {0, 1})}},
  });
}

TEST(Range, Refuses) {
  std::string endless = "a Range node: its start, limit and delta do not give a finite number of elements";
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  expect_all_errors({
      {"a step of 0", Op::Range, {}, {i64({}, {0}), i64({}, {1}), i64({}, {0})}, InvalidModel, endless},
      {"a step of 0.0", Op::Range, {}, {f32({}, {0}), f32({}, {-1}), f32({}, {0})}, InvalidModel, endless},
      {"no end", Op::Range, {}, {f32({}, {0}), f32({}, {infinity}), f32({}, {1})}, InvalidModel, endless},
      {"no number", Op::Range, {}, {f32({}, {nan}), f32({}, {1}), f32({}, {1})}, InvalidModel, endless},
      {"more elements than int64 counts",
       Op::Range,
       {},
       {i64({}, {kLeast}), i64({}, {kMost}), i64({}, {1})},
       InvalidModel,
       endless},
      {"more bytes than int64 counts",
       Op::Range,
       {},
       {i64({}, {0}), i64({}, {int64_t{1} << 61}), i64({}, {1})},
       InvalidModel,
       "a Range node: its result i64[2305843009213693952] is too large"},
      {"two elements",
       Op::Range,
       {},
       {i64({2}, {0, 0}), i64({}, {1}), i64({}, {1})},
       InvalidModel,
       "a Range node: input 0 must be one element, not 2"},
      {"unsigned",
       Op::Range,
       {},
       {u8({}, {0}), u8({}, {1}), u8({}, {1})},
       InvalidModel,
       "a Range node: input 0 may not be uint8"},
      {"two types",
       Op::Range,
       {},
       {i64({}, {0}), i32({}, {1}), i64({}, {1})},
       InvalidModel,
       "a Range node: inputs 0 and 1 must have one type, not int64 and int32"},
  });
}

TEST(ShapeOfShapes, KeepWhatIsKnown) {
  expect_types({
      {"a rank is enough", "input %x: f32[batch,?,3]", "%y: i64[*] = Shape(%x)", {"i64[3]"}},
      {"a part of a rank", "input %x: f32[batch,?,3]", "%y: i64[*] = Shape(%x) {start = -2}", {"i64[2]"}},
      {"an unknown rank", "input %x: f32[*]", "%y: i64[*] = Shape(%x)", {"i64[?]"}},
      {"a size", "input %x: f32[*]", "%y: i64[*] = Size(%x)", {"i64[]"}},
      {"a range to somewhere",
       "const %zero: i64[] = [0] const %one: i64[] = [1] input %n: i64[]",
       "%y: i64[*] = Range(%zero, %n, %one)",
       {"i64[?]"}},
  });
}

// Whoever plans a run waits for the elements that a rule asks for: no more than it needs, and all of them at
// once.
TEST(ShapeRules, AskForTheElementsTheyNeed) {
  struct Case {
    const char* declarations;
    const char* node;
    uint64_t missing;  // a bit for each operand
  };
  for (const Case& c : {
           Case{"input %a: i64[] input %b: i64[] input %c: i64[]", "Range(%a, %b, %c)", 0b111},
           Case{"input %x: f32[2,2] input %a: i64[1] input %b: i64[1] input %c: i64[1]",
                "Slice(%x, %a, %a, %b, %c)", 0b11110},
           Case{"input %x: f32[2,2] input %a: i64[2] input %v: f32[] input %b: i64[1]", "Pad(%x, %a, %v, %b)",
                0b1010},
           Case{"input %x: f32[2,2] input %a: i64[1]", "Gather(%x, %a)", 0},
           Case{"input %x: f32[2,2]", "Shape(%x)", 0},
       }) {
    SCOPED_TRACE(c.node);
    auto graph = parse_graph(cat("graph \"\" {", c.declarations, " %y: f32[*] = ", c.node, "}"));
    ASSERT_TRUE(graph) << graph.error().message;
    const Node& node = (*graph)[graph->main().nodes[0]];
    uint64_t missing = 0;
    ASSERT_TRUE(infer(node, operands_of(*graph, node), {}, &missing));
    EXPECT_EQ(missing, c.missing);
  }
}

}  // namespace
}  // namespace fuselane
