// Names, order, scopes, types: what the graph around the operators must be, and the errors when it is not.
#include "tests/unit/import/import_case.h"
#include "tests/unit/import/onnx_writer.h"

namespace fuselane {
namespace {

Message in(std::string_view name, const std::vector<DimText>& dims = {2}) {
  return onnx_value(name, 1, dims);
}
Message copy(const char* from, const char* to, std::string_view name = "") {
  return onnx_node("Identity", {from}, {to}, {}, name);
}

TEST(ImportStructure, SortsNodesThatStandInAnyOrder) {
  Message graph =
      onnx_graph({copy("b", "y"), copy("a", "b"), copy("x", "a"), copy("x", "c")}, {}, {in("x")}, {in("y")});
  EXPECT_EQ(imported_text(onnx_model(13, graph)), R"(graph "g" {
  source "m.onnx"
  input %x: f32[2]
  %a: f32[2] = Identity(%x)
  %b: f32[2] = Identity(%a)
  %y: f32[2] = Identity(%b)
  %c: f32[2] = Identity(%x)
  output "y" = %y
}
)");
}

TEST(ImportStructure, SortsALongChainThatStandsBackwards) {
  std::vector<Message> nodes;
  constexpr int kLength = 20000;
  for (int i = kLength; i > 0; --i) {
    nodes.push_back(copy(cat("v", i - 1).c_str(), cat("v", i).c_str()));
  }
  auto graph = import_bytes(onnx_model(13, onnx_graph(nodes, {}, {in("v0")}, {in(cat("v", kLength))})));
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->node_count(), kLength);
}

TEST(ImportStructure, TakesInputsThatAreInitializersAsConstants) {
  Message graph =
      onnx_graph({onnx_node("Reshape", {"x", "s"}, {"y"})},
                 {tensor("s", {1}, std::vector<int64_t>{-1}), tensor("unused", {1}, std::vector<float>{1})},
                 {in("x", {1, 2}), onnx_value("s", 7, {1})}, {in("y", {2})});
  EXPECT_EQ(imported_text(onnx_model(8, graph, 3)), R"(graph "g" {
  source "m.onnx"
  const %s: i64[1] = [-1]
  input %x: f32[1,2]
  %y: f32[2] = Reshape(%x, %s)
  output "y" = %y
}
)");
}

TEST(ImportStructure, LetsOutputsBeInputsAndConstants) {
  Message graph = onnx_graph(
      {onnx_node("Constant", {}, {"c"}, {attribute("value_ints", std::vector<int64_t>{1, 2})})},
      {tensor("w", {2}, std::vector<float>{1, 2})}, {in("x")}, {in("x"), in("w"), onnx_value("c", 7, {2})});
  EXPECT_EQ(imported_text(onnx_model(13, graph)), R"(graph "g" {
  source "m.onnx"
  const %w: f32[2] = [1, 2]
  const %c: i64[2] = [1, 2]
  input %x: f32[2]
  output "x" = %x
  output "w" = %w
  output "c" = %c
}
)");
}

TEST(ImportStructure, ReadsDimensions) {
  Message graph =
      onnx_graph({}, {}, {in("x", {0, -1, "", "n", "batch size", "n"}), onnx_value_without_rank("z", 10)},
                 {in("x", {"a", "b", "c", "d", "e", "f"})});
  EXPECT_EQ(imported_text(onnx_model(13, graph)), R"(graph "g" {
  source "m.onnx"
  input %x: f32[0,?,?,n,"batch size",n]
  input %z: f16[*]
  output "x" = %x
}
)");
}

// Reshape to a shape that is not known gives no dimensions; the model may know them.
TEST(ImportStructure, CompletesTypesFromDeclarations) {
  Message graph =
      onnx_graph({onnx_node("Reshape", {"x", "s"}, {"t"}), copy("t", "y")}, {},
                 {in("x", {6}), onnx_value("s", 7, {2})}, {in("y", {"n", 3})}, {in("t", {2, "m"})});
  EXPECT_EQ(imported_text(onnx_model(13, graph)), R"(graph "g" {
  source "m.onnx"
  input %x: f32[6]
  input %s: i64[2]
  %t: f32[2,m] = Reshape(%x, %s)
  %y: f32[2,m] = Identity(%t)
  output "y" = %y
}
)");
}

TEST(ImportStructure, RunsIfWithNamesOfItsOwn) {
  Message then_branch = onnx_graph({onnx_node("Squeeze", {"x", "w"}, {"t"}), copy("t", "r")},
                                   {tensor("w", {1}, std::vector<int64_t>{0})}, {}, {in("r", {})});
  Message else_branch =
      onnx_graph({onnx_node("Constant", {}, {"w"}, {attribute("value_float", 1.5f)}), copy("w", "t")}, {}, {},
                 {Message().text(1, "t")});
  Message graph = onnx_graph(
      {onnx_node("If", {"c"}, {"y"},
                 {graph_attribute("else_branch", else_branch), graph_attribute("then_branch", then_branch)},
                 "choose"),
       copy("x0", "x"), copy("y", "t")},
      {}, {onnx_value("c", 9, {}), in("x0", {1})}, {in("t", {})});
  EXPECT_EQ(imported_text(onnx_model(13, graph)), R"(graph "g" {
  source "m.onnx"
  const %w: i64[1] = [0]
  const %w.1: f32[] = [1.5]
  input %c: bool[]
  input %x0: f32[1]
  %x: f32[1] = Identity(%x0)
  %y: f32[] = If(%c) "choose" do {
    %t.1: f32[] = Squeeze(%x, %w)
    %r: f32[] = Identity(%t.1)
    yield %r
  } do {
    %t.2: f32[] = Identity(%w.1)
    yield %t.2
  }
  %t: f32[] = Identity(%y)
  output "t" = %t
}
)");
}

struct StructureCase {
  const char* name;
  Message graph;
  ErrorCode code;
  std::string_view message;
};
void PrintTo(const StructureCase& c, std::ostream* out) { *out << c.name; }

Message if_node(const Message& then_branch, const Message& else_branch) {
  return onnx_node("If", {"c"}, {"y"},
                   {graph_attribute("then_branch", then_branch), graph_attribute("else_branch", else_branch)},
                   "if");
}
Message branch(const char* result) { return onnx_graph({}, {}, {}, {Message().text(1, result)}); }

const StructureCase kBad[] = {
    {"Cycle",
     onnx_graph({copy("x", "a", "one"), copy("c", "b", "two"), copy("b", "c", "three")}, {}, {in("x")},
                {in("a")}),
     ErrorCode::InvalidModel,
     "the graph has a cycle of 2 nodes: Identity node 'two' -> Identity node 'three'"},
    {"CycleOfOne", onnx_graph({copy("a", "a", "one")}, {}, {in("x")}, {in("a")}), ErrorCode::InvalidModel,
     "Identity node 'one' reads what it computes itself"},
    {"CycleThroughABranch",
     onnx_graph({if_node(branch("z"), branch("x")), copy("y", "z", "back")}, {},
                {in("x"), onnx_value("c", 9, {})}, {in("z")}),
     ErrorCode::InvalidModel, "the graph has a cycle of 2 nodes: If node 'if' -> Identity node 'back'"},
    {"ValueComputedTwice",
     onnx_graph({copy("x", "a", "one"), copy("x", "a", "two")}, {}, {in("x")}, {in("a")}),
     ErrorCode::InvalidModel, "'a' is computed twice, by Identity node 'one' and by Identity node 'two'"},
    {"ValueNamedLikeAnInput",
     onnx_graph({copy("w", "x", "one")}, {tensor("w", {1}, std::vector<float>{1})}, {in("x")}, {in("x")}),
     ErrorCode::InvalidModel, "two values are named 'x'"},
    {"TwoInitializersOfOneName",
     onnx_graph({}, {tensor("w", {1}, std::vector<float>{1}), tensor("w", {1}, std::vector<float>{1})}, {},
                {in("w", {1})}),
     ErrorCode::InvalidModel, "two values are named 'w'"},
    {"TwoInputsOfOneName", onnx_graph({}, {}, {in("x"), in("x")}, {in("x")}), ErrorCode::InvalidModel,
     "two inputs are named 'x'"},
    {"TwoOutputsOfOneName", onnx_graph({}, {}, {in("x")}, {in("x"), in("x")}), ErrorCode::InvalidModel,
     "two outputs are named 'x'"},
    {"UndefinedValue", onnx_graph({copy("w", "y", "one")}, {}, {in("x")}, {in("y")}), ErrorCode::InvalidModel,
     "Identity node 'one' reads 'w', which nothing defines"},
    {"ValueOfABranchOutside",
     onnx_graph({if_node(onnx_graph({copy("x", "t")}, {}, {}, {Message().text(1, "t")}), branch("x")),
                 copy("t", "z", "late")},
                {}, {in("x"), onnx_value("c", 9, {})}, {in("z")}),
     ErrorCode::InvalidModel, "Identity node 'late' reads 't', which nothing defines"},
    {"OutputNobodyComputes", onnx_graph({}, {}, {in("x")}, {in("y")}), ErrorCode::InvalidModel,
     "output 'y' is computed by no node"},
    {"InputWithoutType", onnx_graph({}, {}, {Message().text(1, "x")}, {Message().text(1, "x")}),
     ErrorCode::InvalidModel,
     "input 'x' has no type, or one that is not a tensor, a sequence or an optional of tensors"},
    {"InputWithoutName", onnx_graph({}, {}, {in("")}, {}), ErrorCode::InvalidModel, "an input has no name"},
    {"OutputOfAnotherType", onnx_graph({copy("x", "y")}, {}, {in("x")}, {onnx_value("y", 7, {2})}),
     ErrorCode::InvalidModel, "output 'y' is declared as i64[2], but computed as f32[2]"},
    {"OutputOfAnotherExtent", onnx_graph({copy("x", "y")}, {}, {in("x")}, {in("y", {3})}),
     ErrorCode::InvalidModel, "output 'y' is declared as f32[3], but computed as f32[2]"},
    {"NodeWithoutOutput",
     onnx_graph({onnx_node("Identity", {"x"}, {}, {}, "none")}, {}, {in("x")}, {in("x")}),
     ErrorCode::InvalidModel, "Identity node 'none': computes nothing"},
    {"TooManyOperands", onnx_graph({onnx_node("Identity", {"x", "x"}, {"y"})}, {}, {in("x")}, {in("y")}),
     ErrorCode::InvalidModel, "Identity node computing 'y': takes 1 inputs, not 2"},
    {"IfWithOneBranch",
     onnx_graph({onnx_node("If", {"c"}, {"y"}, {graph_attribute("then_branch", branch("x"))}, "if")}, {},
                {in("x"), onnx_value("c", 9, {})}, {in("y")}),
     ErrorCode::InvalidModel, "If node 'if' has no graph 'else_branch'"},
    {"BranchWithAnInput",
     onnx_graph({if_node(onnx_graph({}, {}, {in("i")}, {in("i")}), branch("x"))}, {},
                {in("x"), onnx_value("c", 9, {})}, {in("y")}),
     ErrorCode::InvalidModel, "a branch of an If node has an input 'i', it may have none"},
    {"SparseInitializer", onnx_graph({}, {}, {in("x")}, {in("x")}).text(15, ""), ErrorCode::UnsupportedModel,
     "the model has 1 sparse initializers, which are not supported"},
    {"ConstantOfNothing",
     onnx_graph({onnx_node("Constant", {}, {"c"}, {}, "k")}, {}, {}, {Message().text(1, "c")}),
     ErrorCode::InvalidModel, "Constant node 'k': must have one attribute with its value, not 0"},
};

class BadStructure : public testing::TestWithParam<StructureCase> {};
TEST_P(BadStructure, IsNamed) {
  expect_refused(onnx_model(13, GetParam().graph), GetParam().code, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(All, BadStructure, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

TEST(ImportStructure, ListsAllUnsupportedOperatorsAtOnce) {
  Message inner =
      onnx_graph({onnx_node("Mystery", {"x"}, {"t"}, {}, "inner")}, {}, {}, {Message().text(1, "t")});
  Message graph =
      onnx_graph({onnx_node("Mystery", {"x"}, {"a"}, {}, "", "com.example"),
                  onnx_node("Mystery", {"a"}, {"b"}, {}, "second", "com.example"),
                  onnx_node("HardSwish", {"b"}, {"d"}, {}, "swish"), if_node(inner, branch("missing")),
                  onnx_node("Loop", {"b"}, {"e"}, {graph_attribute("body", inner)}, "loop"),
                  onnx_node("Twice", {"b"}, {"f"}, {}, "call", "local")},
                 {}, {in("x")}, {in("y")});
  std::string model = Message()
                          .integer(1, 8)
                          .message(7, graph)
                          .message(8, onnx_opset(13))
                          .message(8, onnx_opset(2, "com.example"))
                          .message(25, Message().text(1, "Twice").text(10, "local"))
                          .bytes;
  expect_refused(
      model, ErrorCode::UnsupportedModel,
      "the model uses 5 operators that are not supported:\n"
      "  Mystery, domain com.example, opset 2: 2 nodes, the first is Mystery node computing 'a'\n"
      "  HardSwish, domain ai.onnx, opset 13, which opset 14 introduces: 1 node, 'swish'\n"
      "  Mystery, domain ai.onnx, opset 13: 2 nodes, the first is 'inner'\n"
      "  Loop, domain ai.onnx, opset 13: 1 node, 'loop'\n"
      "  Twice, domain local, opset not stated, a function that the model defines: 1 node, 'call'");
}

}  // namespace
}  // namespace fuselane
