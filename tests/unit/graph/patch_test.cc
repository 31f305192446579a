// Patches: the graph's text before and after; what is refused leaves the text as it was.
#include "graph/patch.h"

#include <gtest/gtest.h>

#include <functional>

#include "graph/parse.h"
#include "graph/print.h"
#include "graph/uses.h"
#include "graph/verify.h"

namespace fuselane {
namespace {

Graph graph_of(std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph) << graph.error().message;
  if (!graph) return {};
  EXPECT_TRUE(verify(*graph)) << verify(*graph).error().message;
  return *std::move(graph);
}
ValueId value(const Graph& graph, std::string_view name) {
  ValueId id = graph.find(name);
  EXPECT_TRUE(id) << name;
  return id;
}
NodeId maker(const Graph& graph, std::string_view name) { return graph[value(graph, name)].producer; }
// A node of the patch that is expected to be right.
ValueId add(Patch& patch, Op op, std::vector<ValueId> inputs, Attributes attributes = {}) {
  auto result = patch.add_node(op, std::move(inputs), std::move(attributes));
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : ValueId();
}
Tensor floats(Dims dims, std::vector<double> values) {
  return *Tensor::of_numbers(DType::Float32, std::move(dims), values);
}

using Change = std::function<void(Graph&, Patch&)>;

// Applies a patch before the node that makes `before`; the graph must verify, and print as `after`.
void expect_change(std::string_view text, std::string_view before, const Change& change,
                   std::string_view after) {
  Graph graph = graph_of(text);
  Patch patch(graph, "test", maker(graph, before));
  change(graph, patch);
  auto status = std::move(patch).apply(graph);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(print(graph), after);
  EXPECT_TRUE(verify(graph)) << verify(graph).error().message;
}

// Refuses the patch with this message, and the graph stays.
void expect_refusal(std::string_view text, std::string_view before, const Change& change,
                    std::string_view message) {
  Graph graph = graph_of(text);
  std::string unchanged = print(graph);
  size_t values = graph.value_count();
  Patch patch(graph, "test", maker(graph, before));
  change(graph, patch);
  auto status = std::move(patch).apply(graph);
  ASSERT_FALSE(status) << print(graph);
  EXPECT_EQ(status.error().code, ErrorCode::InternalError);
  EXPECT_EQ(status.error().message, message);
  EXPECT_EQ(print(graph), unchanged);
  EXPECT_EQ(graph.value_count(), values);
}

TEST(Patch, PutsNewNodesInThePlaceOfOld) {
  expect_change(
      R"(graph "g" {
  input %x: f32[batch,4]
  %a: f32[batch,4] = Identity(%x) "first"
  %y: f32[batch,4] = Identity(%a) "second"
  %z: f32[4,batch] = Transpose(%y)
  output "y" = %y
  output "z" = %z
}
)",
      "y",
      [](Graph& graph, Patch& patch) {
        ValueId shape = patch.add_constant(*Tensor::of_ints(DType::Int64, {2}, std::vector<int64_t>{0, -1}));
        ValueId inner = add(patch, Op::Transpose, {value(graph, "x")});
        ValueId outer = add(patch, Op::Transpose, {inner});
        patch.replace(value(graph, "y"), add(patch, Op::Reshape, {outer, shape}));
      },
      R"(graph "g" {
  const %y.1: i64[2] = [0, -1]
  input %x: f32[batch,4]
  %y.2: f32[4,batch] = Transpose(%x) "second"
  %y.3: f32[batch,4] = Transpose(%y.2) "second"
  %y.4: f32[batch,4] = Reshape(%y.3, %y.1) "second"
  %z: f32[4,batch] = Transpose(%y.4)
  output "y" = %y.4
  output "z" = %z
}
)");
}

TEST(Patch, KeepsWhatOthersRead) {
  expect_change(
      R"(graph "g" {
  input %x: f32[2]
  %a: f32[2] = Identity(%x)
  %y: f32[2] = Identity(%a)
  %other: f32[2] = Identity(%a)
  output "y" = %y
  output "other" = %other
}
)",
      "y", [](Graph& graph, Patch& patch) { patch.replace(value(graph, "y"), value(graph, "x")); },
      R"(graph "g" {
  input %x: f32[2]
  %a: f32[2] = Identity(%x)
  %other: f32[2] = Identity(%a)
  output "y" = %x
  output "other" = %other
}
)");
}

TEST(Patch, ReplacesByAConstantWhereverTheValueIsRead) {
  expect_change(
      R"(graph "g" {
  input %c: bool[]
  input %x: f32[2]
  %y: f32[2] = Identity(%x)
  %z: f32[2] = If(%c) do {
    yield %y
  } do {
    %t: f32[2] = Identity(%y)
    yield %t
  }
  output "z" = %z
}
)",
      "z",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "y"), patch.add_constant(floats({2}, {1, 2})));
      },
      R"(graph "g" {
  const %y.1: f32[2] = [1, 2]
  input %c: bool[]
  input %x: f32[2]
  %z: f32[2] = If(%c) do {
    yield %y.1
  } do {
    %t: f32[2] = Identity(%y.1)
    yield %t
  }
  output "z" = %z
}
)");
}

TEST(Patch, WorksInsideABlock) {
  expect_change(
      R"(graph "g" {
  input %c: bool[]
  input %x: f32[2,1]
  %a: f32[2,1] = Identity(%x)
  %z: f32[*] = If(%c) do {
    %t: f32[2,1] = Identity(%a)
    %u: f32[1,2] = Transpose(%t)
    yield %u
  } do {
    yield %x
  }
  output "z" = %z
}
)",
      "u",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "u"), add(patch, Op::Transpose, {value(graph, "x")}));
      },
      R"(graph "g" {
  input %c: bool[]
  input %x: f32[2,1]
  %z: f32[*] = If(%c) do {
    %u.1: f32[1,2] = Transpose(%x)
    yield %u.1
  } do {
    yield %x
  }
  output "z" = %z
}
)");
}

TEST(Patch, TakesOutANodeWithItsBlocksAndAllThatOnlyTheyRead) {
  expect_change(
      R"(graph "g" {
  input %c: bool[]
  input %x: f32[2]
  %a: f32[2] = Identity(%x)
  %b: f32[2] = Identity(%x)
  %z: f32[2] = If(%c) do {
    %t: f32[2] = Identity(%a)
    yield %t
  } do {
    yield %b
  }
  %y: f32[2] = Identity(%z)
  output "y" = %y
}
)",
      "y", [](Graph& graph, Patch& patch) { patch.replace(value(graph, "z"), value(graph, "x")); },
      R"(graph "g" {
  input %c: bool[]
  input %x: f32[2]
  %y: f32[2] = Identity(%x)
  output "y" = %y
}
)");
}

TEST(Patch, ItsOwnNodesMayReadTheValueTheyReplace) {
  expect_change(
      R"(graph "g" {
  input %x: f32[2]
  %y: f32[2] = Identity(%x)
  %z: f32[2] = Identity(%y)
  output "z" = %z
}
)",
      "z",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "y"), add(patch, Op::Transpose, {value(graph, "y")}));
      },
      R"(graph "g" {
  input %x: f32[2]
  %y: f32[2] = Identity(%x)
  %y.1: f32[2] = Transpose(%y)
  %z: f32[2] = Identity(%y.1)
  output "z" = %z
}
)");
}

TEST(Patch, KeepsWhatWasKnownOfTheTypeItReplaces) {
  expect_change(
      R"(graph "g" {
  input %shape: i64[2]
  input %x: f32[6]
  %y: f32[n,3] = Reshape(%x, %shape)
  output "y" = %y
}
)",
      "y",
      [](Graph& graph, Patch& patch) {
        ValueId flat = add(patch, Op::Identity, {value(graph, "x")});
        patch.replace(value(graph, "y"), add(patch, Op::Reshape, {flat, value(graph, "shape")}));
      },
      R"(graph "g" {
  input %shape: i64[2]
  input %x: f32[6]
  %y.1: f32[6] = Identity(%x)
  %y.2: f32[n,3] = Reshape(%y.1, %shape)
  output "y" = %y.2
}
)");
}

TEST(Patch, ReplacesSeveralResultsOfOneNode) {
  expect_change(
      R"(graph "g" {
  input %x: f32[4]
  %a: f32[2], %b: f32[2] = Split(%x)
  %y: f32[4] = Concat(%b, %a) {axis = 0}
  output "y" = %y
}
)",
      "a",
      [](Graph& graph, Patch& patch) {
        auto parts =
            patch.add_node(Op::Split, {value(graph, "x")}, {{Attr::Axis, int64_t{-1}}}, {true, true});
        ASSERT_TRUE(parts) << parts.error().message;
        patch.replace(value(graph, "a"), (*parts)[0]);
        patch.replace(value(graph, "b"), (*parts)[1]);
      },
      R"(graph "g" {
  input %x: f32[4]
  %a.1: f32[2], %b.1: f32[2] = Split(%x) {axis = -1}
  %y: f32[4] = Concat(%b.1, %a.1) {axis = 0}
  output "y" = %y
}
)");
}

TEST(Patch, DropsItsOwnNodesThatNobodyReads) {
  expect_change(
      R"(graph "g" {
  input %x: f32[2]
  %y: f32[2] = Identity(%x)
  output "y" = %y
}
)",
      "y",
      [](Graph& graph, Patch& patch) {
        ValueId unread = add(patch, Op::Identity, {value(graph, "x")});
        add(patch, Op::Identity, {unread});
        patch.replace(value(graph, "y"), add(patch, Op::Transpose, {value(graph, "x")}));
      },
      R"(graph "g" {
  input %x: f32[2]
  %y.3: f32[2] = Transpose(%x)
  output "y" = %y.3
}
)");
}

constexpr std::string_view kChain = R"(graph "g" {
  input %c: bool[]
  input %x: f32[2]
  %a: f32[2] = Identity(%x) "a"
  %b: f32[2] = Identity(%a) "b"
  %z: f32[2] = If(%c) "z" do {
    %t: f32[2] = Identity(%b) "t"
    yield %t
  } do {
    yield %a
  }
  output "b" = %b
  output "z" = %z
}
)";

TEST(Patch, RefusesWhatDoesNotFit) {
  expect_refusal(
      kChain, "b",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "b"), patch.add_constant(floats({3}, {1, 2, 3})));
      },
      "rule 'test': replaces 'b', which is f32[2], by f32[3]");
  expect_refusal(
      kChain, "b", [](Graph& graph, Patch& patch) { patch.replace(value(graph, "b"), value(graph, "c")); },
      "rule 'test': replaces 'b', which is f32[2], by bool[]");
}

TEST(Patch, RefusesToReadWhatIsNotDefinedThere) {
  expect_refusal(
      kChain, "a",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "a"), add(patch, Op::Identity, {value(graph, "b")}));
      },
      "rule 'test': Identity reads 'b', which is not defined there");
  expect_refusal(
      kChain, "b",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "b"), add(patch, Op::Identity, {value(graph, "t")}));
      },
      "rule 'test': Identity reads 't', which is not defined there");
  expect_refusal(
      kChain, "b",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "b"), add(patch, Op::Identity, {value(graph, "b")}));
      },
      "rule 'test': Identity reads 'b', which is not defined there");
}

TEST(Patch, RefusesAUseThatTheNewValueDoesNotReach) {
  // New nodes before z come too late for b, which reads a.
  expect_refusal(
      kChain, "z",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "a"), add(patch, Op::Identity, {value(graph, "x")}));
      },
      "rule 'test': replaces 'a' by new value 0, which Identity node 'b' cannot read");
  // A value of a block cannot be read outside it.
  expect_refusal(
      kChain, "t",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "b"), add(patch, Op::Identity, {value(graph, "x")}));
      },
      "rule 'test': replaces 'b' by new value 0, which a block's result cannot read");
  // A value of the graph that is defined later.
  expect_refusal(
      kChain, "z", [](Graph& graph, Patch& patch) { patch.replace(value(graph, "a"), value(graph, "b")); },
      "rule 'test': replaces 'a' by 'b', which Identity node 'b' cannot read");
}

TEST(Patch, RefusesReplacementsThatContradict) {
  expect_refusal(
      kChain, "z",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "b"), value(graph, "x"));
        patch.replace(value(graph, "b"), value(graph, "a"));
      },
      "rule 'test': replaces 'b' twice");
  expect_refusal(
      kChain, "z",
      [](Graph& graph, Patch& patch) {
        patch.replace(value(graph, "b"), value(graph, "a"));
        patch.replace(value(graph, "a"), value(graph, "x"));
      },
      "rule 'test': replaces by 'a', which it replaces too");
  expect_refusal(
      kChain, "z", [](Graph& graph, Patch& patch) { patch.replace(value(graph, "b"), ValueId()); },
      "rule 'test': replaces by a value that does not exist");
}

TEST(Patch, RefusesToRemoveWhatIsRead) {
  expect_refusal(
      kChain, "z", [](Graph& graph, Patch& patch) { patch.remove(maker(graph, "a")); },
      "rule 'test': removes Identity node 'a', which is still read");
}

TEST(Patch, RefusesAnotherGraph) {
  Graph graph = graph_of(kChain);
  Patch patch(graph, "test", maker(graph, "b"));
  graph.add_value("new", tensor_type(DType::Float32, DimVector()));
  auto status = std::move(patch).apply(graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "rule 'test': the graph is not the one that the patch was made for");
}

TEST(Patch, GivesTheShapeRulesErrors) {
  Graph graph = graph_of(kChain);
  Patch patch(graph, "test", maker(graph, "b"));
  auto result = patch.add_node(Op::Concat, {value(graph, "x")}, {{Attr::Axis, int64_t{1}}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "rule 'test': Concat node 'b': axis 1 is outside a tensor of rank 1");
  EXPECT_FALSE(patch.add_node(Op::Identity, {ValueId(size_t{1000})}));
}

TEST(Uses, ListsReadersInOrder) {
  Graph graph = graph_of(kChain);
  Uses uses(graph);
  auto readers = [&](std::string_view name) {
    std::string text;
    for (const Use& use : uses.of(value(graph, name))) {
      append(text, cat(use.node ? graph[use.node].name : cat("block ", use.place.block.index), ":", use.index,
                       " "));
    }
    return text;
  };
  EXPECT_EQ(readers("a"), "b:0 block 2:0 ");
  EXPECT_EQ(readers("b"), "t:0 block 0:0 ");
  EXPECT_EQ(readers("c"), "z:0 ");
  EXPECT_EQ(readers("z"), "block 0:1 ");
  Place inside = *uses.place_of(maker(graph, "t"));
  EXPECT_EQ(uses.position_within(Graph::kMain, inside), 2u);
  EXPECT_EQ(uses.position_within(inside.block, {Graph::kMain, 2}), std::nullopt);
  EXPECT_TRUE(uses.is_defined_at(value(graph, "b"), inside));
  EXPECT_FALSE(uses.is_defined_at(value(graph, "t"), inside));
  EXPECT_FALSE(uses.is_defined_at(value(graph, "t"), {Graph::kMain, 3}));
}

}  // namespace
}  // namespace fuselane
