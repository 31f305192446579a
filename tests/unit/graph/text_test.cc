// The graph's text form: what is printed parses back, and what does not parse is refused with a place.
#include <gtest/gtest.h>

#include "graph/parse.h"
#include "graph/print.h"
#include "graph/verify.h"

namespace fuselane {
namespace {

constexpr std::string_view kSample = R"(graph "sample \"1\"" {
  source "model.onnx"
  const %w: f32[2,3] = source 0 at 64 length 24
  const %ids: i64[3] = source 0 at 88 length 5 varints
  const %scale: f32[2] = [0.5, -inf]
  const %"odd name:0": str[1] = ["a\x01"]
  input %c: bool[]
  input %x: f32["batch size",3,?]
  input %any: f32[*]
  %y: f32[*] = If(%c) "choose" do {
    yield %any
  } do {
    %z: f32[*] = If(%c) do {
      yield %any
    } do {
      yield %x
    }
    yield %z
  }
  output "y" = %y
}
)";

TEST(GraphText, PrintsWhatItParsed) {
  auto graph = parse_graph(kSample);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(print(*graph), kSample);
  EXPECT_TRUE(verify(*graph)) << verify(*graph).error().message;
}

struct BadText {
  const char* text;
  const char* message;
};
class GraphTextErrors : public testing::TestWithParam<BadText> {};

TEST_P(GraphTextErrors, NameTheirPlace) {
  auto graph = parse_graph(GetParam().text);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::InvalidText);
  EXPECT_EQ(graph.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, GraphTextErrors,
    testing::Values(
        BadText{"graph x {", "line 1, column 7: expected the graph's name in quotes, found 'x'"},
        BadText{"graph \"\" {\n  output \"y\" = %y }", "line 2, column 16: %y is not defined before this"},
        BadText{"graph \"\" {\n input %x: f33[] }", "line 2, column 12: 'f33' is not an element type"},
        BadText{"graph \"\" { input %x: f32[-1] }", "line 1, column 26: an extent is not negative"},
        BadText{"graph \"\" { input %x: f32[] input %x: f32[] }", "line 1, column 34: %x is defined twice"},
        BadText{"graph \"\" { input %x: f32[] %y: f32[] = Foo(%x) }",
                "line 1, column 40: 'Foo' is not an operator"},
        BadText{"graph \"\" { const %c: i64[1] = [99999999999999999999] }",
                "line 1, column 32: 99999999999999999999 does not fit 64 bits"},
        BadText{"graph \"never closed", "line 1, column 7: this text has no closing quote"}));

TEST(GraphVerify, RefusesAnOperandOfAnotherScope) {
  auto graph = parse_graph(R"(graph "g" {
    input %c: bool[]
    input %x: f32[]
    %a: f32[] = If(%c) do { %t: f32[] = If(%c) do { yield %x } do { yield %x } yield %t } do { yield %x }
    output "y" = %t
  })");
  ASSERT_TRUE(graph) << graph.error().message;
  auto status = verify(*graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "a block's result reads 't', which is not defined before it");
}

}  // namespace
}  // namespace fuselane
