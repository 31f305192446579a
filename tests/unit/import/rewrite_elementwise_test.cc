// Elementwise operators, Dropout, and chains of Min, Max and Sum.
#include "tests/unit/import/rewrite_case.h"

namespace fuselane {
namespace {

const RewriteCase kCases[] = {
    {"Add7",
     7,
     onnx_node("Add", {"x", "z"}, {"y"}, {}, "add"),
     {float_input("x", {2, "n"}), float_input("z", {"n"})},
     {},
     R"(  input %x: f32[2,n]
  input %z: f32[n]
  %y: f32[2,n] = Add(%x, %z) "add"
)"},
    {"HardSigmoidKeepsItsNumbers",
     7,
     onnx_node("HardSigmoid", {"x"}, {"y"}, {attribute("alpha", 0.16666667f), attribute("beta", 0.5f)}),
     {float_input("x", {2})},
     {},
     R"(  input %x: f32[2]
  %y: f32[2] = HardSigmoid(%x) {alpha = 0.16666667, beta = 0.5}
)"},
    {"Cast9",
     9,
     onnx_node("Cast", {"x"}, {"y"}, {attribute("to", 7)}),
     {float_input("x", {2})},
     {},
     R"(  input %x: f32[2]
  %y: i64[2] = Cast(%x) {to = i64}
)"},
    {"Cast19",
     19,
     onnx_node("Cast", {"x"}, {"y"}, {attribute("to", 10), attribute("saturate", 1)}),
     {float_input("x", {2})},
     {},
     R"(  input %x: f32[2]
  %y: f16[2] = Cast(%x) {to = f16}
)"},
    {"Clip7",
     7,
     onnx_node("Clip", {"x"}, {"y"}, {attribute("max", 6.0f), attribute("min", 0.0f)}),
     {float_input("x", {2})},
     {},
     R"(  const %y.min: f32[] = [0]
  const %y.max: f32[] = [6]
  input %x: f32[2]
  %y: f32[2] = Clip(%x, %y.min, %y.max)
)"},
    {"Clip7WithMaxOnly",
     7,
     onnx_node("Clip", {"x"}, {"y"}, {attribute("max", 6.0f)}),
     {onnx_value("x", 10, {2})},
     {},
     R"(  const %y.max: f16[] = [6]
  input %x: f16[2]
  %y: f16[2] = Clip(%x, _, %y.max)
)"},
    {"Clip7WithoutBounds",
     7,
     onnx_node("Clip", {"x"}, {"y"}),
     {float_input("x", {2})},
     {},
     R"(  input %x: f32[2]
  %y: f32[2] = Clip(%x)
)"},
    {"Clip13",
     13,
     onnx_node("Clip", {"x", "", "m"}, {"y"}),
     {float_input("x", {2})},
     {tensor("m", {}, std::vector<float>{6})},
     R"(  const %m: f32[] = [6]
  input %x: f32[2]
  %y: f32[2] = Clip(%x, _, %m)
)"},
    {"Dropout7",
     7,
     onnx_node("Dropout", {"x"}, {"y", "mask"}, {attribute("ratio", 0.5f)}),
     {float_input("x", {2, "n"})},
     {},
     R"(  const %y.kept: f32[] = [1]
  input %x: f32[2,n]
  %y: f32[2,n] = Identity(%x)
  %y.shape: i64[2] = Shape(%x)
  %mask: f32[?,?] = Expand(%y.kept, %y.shape)
)"},
    {"Dropout13",
     13,
     onnx_node("Dropout", {"x", "r", "t"}, {"y", "mask"}, {attribute("seed", 5)}),
     {float_input("x", {2}), float_input("r", {})},
     {tensor_of("t", 9, {}).text(9, std::string(1, '\0'))},
     R"(  const %t: bool[] = [0]
  const %y.kept: bool[] = [1]
  const %y.shape: i64[1] = [2]
  input %x: f32[2]
  input %r: f32[]
  %y: f32[2] = Identity(%x)
  %mask: bool[2] = Expand(%y.kept, %y.shape)
)"},
    {"Dropout13WithoutMask",
     13,
     onnx_node("Dropout", {"x"}, {"y"}),
     {float_input("x", {2})},
     {},
     R"(  input %x: f32[2]
  %y: f32[2] = Identity(%x)
)"},
    {"SumOfThree",
     8,
     onnx_node("Sum", {"x", "z", "w"}, {"y"}, {}, "sum"),
     {float_input("x", {2}), float_input("z", {1}), float_input("w", {3, 1})},
     {},
     R"(  input %x: f32[2]
  input %z: f32[1]
  input %w: f32[3,1]
  %y.part: f32[2] = Add(%x, %z) "sum"
  %y: f32[3,2] = Add(%y.part, %w) "sum"
)"},
    {"MinOfTwo",
     13,
     onnx_node("Min", {"x", "z"}, {"y"}),
     {float_input("x", {2}), float_input("z", {2})},
     {},
     R"(  input %x: f32[2]
  input %z: f32[2]
  %y: f32[2] = Min(%x, %z)
)"},
    {"MaxOfOne", 13, onnx_node("Max", {"x"}, {"y"}), {float_input("x", {2})}, {}, R"(  input %x: f32[2]
  %y: f32[2] = Identity(%x)
)"},
};

class RewriteElementwise : public testing::TestWithParam<RewriteCase> {};
TEST_P(RewriteElementwise, GivesTheGraphsForm) { expect_rewrite(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RewriteElementwise, testing::ValuesIn(kCases), case_name<RewriteCase>);

const RefusalCase kRefusals[] = {
    {"CastToString",
     9,
     onnx_node("Cast", {"x"}, {"y"}, {attribute("to", 8)}, "c"),
     {float_input("x", {2})},
     {},
     ErrorCode::UnsupportedModel,
     "Cast node 'c': casts to string are not supported"},
    {"CastToFloat8",
     19,
     onnx_node("Cast", {"x"}, {"y"}, {attribute("to", 17)}, "c"),
     {float_input("x", {2})},
     {},
     ErrorCode::UnsupportedModel,
     "Cast node 'c': casts to float8e4m3fn are not supported"},
    {"CastToNothing",
     9,
     onnx_node("Cast", {"x"}, {"y"}, {attribute("to", 99)}, "c"),
     {float_input("x", {2})},
     {},
     ErrorCode::InvalidModel,
     "Cast node 'c': attribute 'to' names the unknown element type 99"},
    {"CastWithoutType",
     9,
     onnx_node("Cast", {"x"}, {"y"}, {}, "c"),
     {float_input("x", {2})},
     {},
     ErrorCode::InvalidModel,
     "Cast node 'c': attribute 'to' is missing"},
    {"DropoutInTraining",
     12,
     onnx_node("Dropout", {"x", "", "t"}, {"y"}, {}, "d"),
     {float_input("x", {2})},
     {tensor_of("t", 9, {}).text(9, "\x01")},
     ErrorCode::UnsupportedModel,
     "Dropout node 'd': training_mode must be a constant false: training is not supported"},
    {"SumOfNothing",
     8,
     onnx_node("Sum", {}, {"y"}, {}, "s"),
     {},
     {},
     ErrorCode::InvalidModel,
     "Sum node 's': takes at least 1 inputs, not 0"},
    {"ClipWithAttributesInOpset13",
     13,
     onnx_node("Clip", {"x"}, {"y"}, {attribute("max", 6.0f)}, "c"),
     {float_input("x", {2})},
     {},
     ErrorCode::UnsupportedModel,
     "Clip node 'c': attribute 'max' is not known for this operator in opset 13"},
    {"AddThatDoesNotBroadcast",
     7,
     onnx_node("Add", {"x", "z"}, {"y"}, {}, "a"),
     {float_input("x", {2}), float_input("z", {3})},
     {},
     ErrorCode::InvalidModel,
     "Add node 'a': extents 2 and 3 do not broadcast"},
};

class RefuseElementwise : public testing::TestWithParam<RefusalCase> {};
TEST_P(RefuseElementwise, SaysWhatIsWrong) { expect_refusal(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RefuseElementwise, testing::ValuesIn(kRefusals), case_name<RefusalCase>);

}  // namespace
}  // namespace fuselane
