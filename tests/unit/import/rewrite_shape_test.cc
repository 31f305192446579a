// Squeeze, Unsqueeze, Split, Slice, Pad and ConstantOfShape of all opsets.
#include "tests/unit/import/rewrite_case.h"

namespace fuselane {
namespace {

const RewriteCase kCases[] = {
    {"Squeeze11",
     11,
     onnx_node("Squeeze", {"x"}, {"y"}, {attribute("axes", std::vector<int64_t>{0, -1})}),
     {float_input("x", {1, "n", 1})},
     {},
     R"(  const %y.axes: i64[2] = [0, -1]
  input %x: f32[1,n,1]
  %y: f32[n] = Squeeze(%x, %y.axes)
)"},
    {"Squeeze11WithoutAxes",
     11,
     onnx_node("Squeeze", {"x"}, {"y"}),
     {float_input("x", {1, 3, 1})},
     {},
     R"(  input %x: f32[1,3,1]
  %y: f32[3] = Squeeze(%x)
)"},
    {"Squeeze13",
     13,
     onnx_node("Squeeze", {"x", "a"}, {"y"}),
     {float_input("x", {1, 3})},
     {tensor("a", {1}, std::vector<int64_t>{0})},
     R"(  const %a: i64[1] = [0]
  input %x: f32[1,3]
  %y: f32[3] = Squeeze(%x, %a)
)"},
    {"Unsqueeze9",
     9,
     onnx_node("Unsqueeze", {"x"}, {"y"}, {attribute("axes", std::vector<int64_t>{0, 2})}, "u"),
     {float_input("x", {"n"})},
     {},
     R"(  const %y.axes: i64[2] = [0, 2]
  input %x: f32[n]
  %y: f32[1,n,1] = Unsqueeze(%x, %y.axes) "u"
)"},
    {"Unsqueeze17",
     17,
     onnx_node("Unsqueeze", {"x", "a"}, {"y"}),
     {float_input("x", {3})},
     {tensor("a", {1}, std::vector<int64_t>{1})},
     R"(  const %a: i64[1] = [1]
  input %x: f32[3]
  %y: f32[3,1] = Unsqueeze(%x, %a)
)"},
    {"Split11",
     11,
     onnx_node("Split", {"x"}, {"y", "z"},
               {attribute("axis", 1), attribute("split", std::vector<int64_t>{1, 3})}),
     {float_input("x", {2, 4})},
     {},
     R"(  const %y.split: i64[2] = [1, 3]
  input %x: f32[2,4]
  %y: f32[2,1], %z: f32[2,3] = Split(%x, %y.split) {axis = 1}
)"},
    {"Split11InEqualParts",
     11,
     onnx_node("Split", {"x"}, {"y", "z"}),
     {float_input("x", {4})},
     {},
     R"(  input %x: f32[4]
  %y: f32[2], %z: f32[2] = Split(%x)
)"},
    {"Split13",
     13,
     onnx_node("Split", {"x", "s"}, {"y", ""}),
     {float_input("x", {4})},
     {tensor("s", {2}, std::vector<int64_t>{3, 1})},
     R"(  const %s: i64[2] = [3, 1]
  input %x: f32[4]
  %y: f32[3], _ = Split(%x, %s)
)"},
    {"Split18IntoUnevenParts",
     18,
     onnx_node("Split", {"x"}, {"y", "z", "w"}, {attribute("num_outputs", 3), attribute("axis", -1)}),
     {float_input("x", {2, 7})},
     {},
     R"(  const %y.split: i64[3] = [3, 3, 1]
  input %x: f32[2,7]
  %y: f32[2,3], %z: f32[2,3], %w: f32[2,1] = Split(%x, %y.split) {axis = -1}
)"},
    {"Slice9",
     9,
     onnx_node("Slice", {"x"}, {"y"},
               {attribute("starts", std::vector<int64_t>{1}), attribute("ends", std::vector<int64_t>{-1}),
                attribute("axes", std::vector<int64_t>{1})}),
     {float_input("x", {2, 6})},
     {},
     R"(  const %y.starts: i64[1] = [1]
  const %y.ends: i64[1] = [-1]
  const %y.axes: i64[1] = [1]
  input %x: f32[2,6]
  %y: f32[2,4] = Slice(%x, %y.starts, %y.ends, %y.axes)
)"},
    {"Slice9WithoutAxes",
     9,
     onnx_node("Slice", {"x"}, {"y"},
               {attribute("starts", std::vector<int64_t>{1}), attribute("ends", std::vector<int64_t>{2})}),
     {float_input("x", {2, 6})},
     {},
     R"(  const %y.starts: i64[1] = [1]
  const %y.ends: i64[1] = [2]
  input %x: f32[2,6]
  %y: f32[1,6] = Slice(%x, %y.starts, %y.ends)
)"},
    {"Slice13",
     13,
     onnx_node("Slice", {"x", "s", "e", "", "t"}, {"y"}),
     {float_input("x", {6})},
     {tensor("s", {1}, std::vector<int64_t>{-1}), tensor("e", {1}, std::vector<int64_t>{-9}),
      tensor("t", {1}, std::vector<int64_t>{-2})},
     R"(  const %s: i64[1] = [-1]
  const %e: i64[1] = [-9]
  const %t: i64[1] = [-2]
  input %x: f32[6]
  %y: f32[3] = Slice(%x, %s, %e, _, %t)
)"},
    {"Pad7",
     7,
     onnx_node("Pad", {"x"}, {"y"},
               {attribute("pads", std::vector<int64_t>{0, 1, 0, 2}), attribute("value", 0.5f)}),
     {float_input("x", {2, 3})},
     {},
     R"(  const %y.pads: i64[4] = [0, 1, 0, 2]
  const %y.value: f32[] = [0.5]
  input %x: f32[2,3]
  %y: f32[2,6] = Pad(%x, %y.pads, %y.value)
)"},
    {"Pad10Reflect",
     10,
     onnx_node("Pad", {"x"}, {"y"},
               {attribute("mode", "reflect"), attribute("pads", std::vector<int64_t>{1, 1})}),
     {float_input("x", {3})},
     {},
     R"(  const %y.pads: i64[2] = [1, 1]
  input %x: f32[3]
  %y: f32[5] = Pad(%x, %y.pads) {mode = "reflect"}
)"},
    {"Pad18WithAxes",
     18,
     onnx_node("Pad", {"x", "p", "", "a"}, {"y"}),
     {float_input("x", {2, 3})},
     {tensor("p", {2}, std::vector<int64_t>{1, 1}), tensor("a", {1}, std::vector<int64_t>{-1})},
     R"(  const %p: i64[2] = [1, 1]
  const %a: i64[1] = [-1]
  input %x: f32[2,3]
  %y: f32[2,5] = Pad(%x, %p, _, %a)
)"},
    {"ConstantOfShape9",
     9,
     onnx_node("ConstantOfShape", {"s"}, {"y"},
               {tensor_attribute("value", tensor("", {1}, std::vector<int64_t>{7}))}),
     {},
     {tensor("s", {2}, std::vector<int64_t>{2, 3})},
     R"(  const %s: i64[2] = [2, 3]
  const %y.value: i64[] = [7]
  %y: i64[2,3] = Expand(%y.value, %s)
)"},
    {"ConstantOfShapeIsZero",
     17,
     onnx_node("ConstantOfShape", {"s"}, {"y"}),
     {onnx_value("s", 7, {2})},
     {},
     R"(  const %y.value: f32[] = [0]
  input %s: i64[2]
  %y: f32[?,?] = Expand(%y.value, %s)
)"},
    {"ReshapeKeepsItsAttribute",
     14,
     onnx_node("Reshape", {"x", "s"}, {"y"}, {attribute("allowzero", 1)}),
     {float_input("x", {2, 3})},
     {tensor("s", {1}, std::vector<int64_t>{6})},
     R"(  const %s: i64[1] = [6]
  input %x: f32[2,3]
  %y: f32[6] = Reshape(%x, %s) {allowzero = 1}
)"},
    {"ShapeWithBounds",
     15,
     onnx_node("Shape", {"x"}, {"y"}, {attribute("start", 1)}),
     {float_input("x", {2, "n", 4})},
     {},
     R"(  input %x: f32[2,n,4]
  %y: i64[2] = Shape(%x) {start = 1}
)"},
};

class RewriteShape : public testing::TestWithParam<RewriteCase> {};
TEST_P(RewriteShape, GivesTheGraphsForm) { expect_rewrite(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RewriteShape, testing::ValuesIn(kCases), case_name<RewriteCase>);

const RefusalCase kRefusals[] = {
    {"SliceWithoutBounds",
     9,
     onnx_node("Slice", {"x"}, {"y"}),
     {float_input("x", {2})},
     {},
     ErrorCode::InvalidModel,
     "Slice node computing 'y': attributes 'starts' and 'ends' must be there"},
    {"SliceWithScalarBounds",
     9,
     onnx_node("Slice", {"x"}, {"y"}, {attribute("starts", 1), attribute("ends", std::vector<int64_t>{2})},
               "s"),
     {float_input("x", {2})},
     {},
     ErrorCode::InvalidModel,
     "Slice node 's': attribute 'starts' must be a list of integers, not an integer"},
    {"SplitIntoTooManyParts",
     18,
     onnx_node("Split", {"x"}, {"y", "z", "w"}, {attribute("num_outputs", 3)}),
     {float_input("x", {1})},
     {},
     ErrorCode::InvalidModel,
     "Split node computing 'y': an extent of 1 does not make 3 parts of 1"},
    {"UnsqueezeOutsideTheRank",
     11,
     onnx_node("Unsqueeze", {"x"}, {"y"}, {attribute("axes", std::vector<int64_t>{4})}),
     {float_input("x", {2})},
     {},
     ErrorCode::InvalidModel,
     "Unsqueeze node computing 'y': axis 4 is outside a tensor of rank 2"},
    {"AttributesNobodyKnows",
     13,
     onnx_node("Shape", {"x"}, {"y"}, {attribute("flavour", 1)}),
     {float_input("x", {2})},
     {},
     ErrorCode::UnsupportedModel,
     "Shape node computing 'y': attribute 'flavour' is not known for this operator in opset 13"},
    {"ConstantOfShapeWithTwoValues",
     9,
     onnx_node("ConstantOfShape", {"x"}, {"y"},
               {tensor_attribute("value", tensor("", {2}, std::vector<int64_t>{7, 8}))}),
     {onnx_value("x", 7, {2})},
     {},
     ErrorCode::InvalidModel,
     "ConstantOfShape node computing 'y': its value must be one number, not i64[2]"},
    {"ShapeThatOverflows",
     9,
     onnx_node("ConstantOfShape", {"s"}, {"y"}),
     {},
     {tensor("s", {2}, std::vector<int64_t>{int64_t{1} << 40, int64_t{1} << 40})},
     ErrorCode::InvalidModel,
     "ConstantOfShape node computing 'y': its result f32[1099511627776,1099511627776] is too large"},
};

class RefuseShape : public testing::TestWithParam<RefusalCase> {};
TEST_P(RefuseShape, SaysWhatIsWrong) { expect_refusal(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RefuseShape, testing::ValuesIn(kRefusals), case_name<RefusalCase>);

}  // namespace
}  // namespace fuselane
