// Reductions, global pooling and Softmax of all opsets.
#include "tests/unit/import/rewrite_case.h"

namespace fuselane {
namespace {

const std::vector<int64_t> kLast = {-1};

const RewriteCase kCases[] = {
    {"ReduceMean11",
     11,
     onnx_node("ReduceMean", {"x"}, {"y"}, {attribute("axes", kLast), attribute("keepdims", 0)}, "mean"),
     {float_input("x", {"n", 3})},
     {},
     R"(  const %y.axes: i64[1] = [-1]
  input %x: f32[n,3]
  %y: f32[n] = ReduceMean(%x, %y.axes) {keepdims = 0} "mean"
)"},
    {"ReduceMaxOfAll",
     12,
     onnx_node("ReduceMax", {"x"}, {"y"}),
     {float_input("x", {2, 3})},
     {},
     R"(  input %x: f32[2,3]
  %y: f32[1,1] = ReduceMax(%x)
)"},
    {"ReduceSum13",
     13,
     onnx_node("ReduceSum", {"x", "a"}, {"y"},
               {attribute("keepdims", 1), attribute("noop_with_empty_axes", 1)}),
     {float_input("x", {2, 3})},
     {tensor("a", {1}, std::vector<int64_t>{0})},
     R"(  const %a: i64[1] = [0]
  input %x: f32[2,3]
  %y: f32[1,3] = ReduceSum(%x, %a) {keepdims = 1, noop_with_empty_axes = 1}
)"},
    {"ReduceL2InOpset13HasAttributes",
     13,
     onnx_node("ReduceL2", {"x"}, {"y"}, {attribute("axes", kLast)}),
     {float_input("x", {2, 3})},
     {},
     R"(  const %y.axes: i64[1] = [-1]
  input %x: f32[2,3]
  %y: f32[2,1] = ReduceL2(%x, %y.axes)
)"},
    {"ReduceMin18",
     18,
     onnx_node("ReduceMin", {"x", "a"}, {"y"}),
     {float_input("x", {2, 3})},
     {tensor("a", {1}, std::vector<int64_t>{1})},
     R"(  const %a: i64[1] = [1]
  input %x: f32[2,3]
  %y: f32[2,1] = ReduceMin(%x, %a)
)"},
    {"GlobalAveragePool",
     7,
     onnx_node("GlobalAveragePool", {"x"}, {"y"}),
     {float_input("x", {"n", 8, "h", "w"})},
     {},
     R"(  const %y.axes: i64[2] = [2, 3]
  input %x: f32[n,8,h,w]
  %y: f32[n,8,1,1] = ReduceMean(%x, %y.axes)
)"},
    {"GlobalMaxPoolOfOneDimension",
     7,
     onnx_node("GlobalMaxPool", {"x"}, {"y"}),
     {float_input("x", {1, 8, 5})},
     {},
     R"(  const %y.axes: i64[1] = [2]
  input %x: f32[1,8,5]
  %y: f32[1,8,1] = ReduceMax(%x, %y.axes)
)"},
    {"GlobalPoolOfNothing",
     7,
     onnx_node("GlobalMaxPool", {"x"}, {"y"}),
     {float_input("x", {1, 8})},
     {},
     R"(  input %x: f32[1,8]
  %y: f32[1,8] = Identity(%x)
)"},
    {"Softmax13",
     13,
     onnx_node("Softmax", {"x"}, {"y"}, {attribute("axis", 1)}),
     {float_input("x", {2, 3, 4})},
     {},
     R"(  input %x: f32[2,3,4]
  %y: f32[2,3,4] = Softmax(%x) {axis = 1}
)"},
    {"Softmax13ByDefault",
     13,
     onnx_node("Softmax", {"x"}, {"y"}),
     {float_input("x", {2, 3, 4})},
     {},
     R"(  input %x: f32[2,3,4]
  %y: f32[2,3,4] = Softmax(%x)
)"},
    {"Softmax9OnTheLastAxis",
     9,
     onnx_node("Softmax", {"x"}, {"y"}, {attribute("axis", 2)}),
     {float_input("x", {2, 3, 4})},
     {},
     R"(  input %x: f32[2,3,4]
  %y: f32[2,3,4] = Softmax(%x) {axis = -1}
)"},
    {"Softmax11OnTheLastAxisOfAnyRank",
     11,
     onnx_node("Softmax", {"x"}, {"y"}, {attribute("axis", -1)}),
     {onnx_value_without_rank("x", 1)},
     {},
     R"(  input %x: f32[*]
  %y: f32[*] = Softmax(%x) {axis = -1}
)"},
    {"Softmax9ByDefault",
     9,
     onnx_node("Softmax", {"x"}, {"y"}, {}, "s"),
     {float_input("x", {2, 3, 4})},
     {},
     R"(  const %y.shape: i64[3] = [2, 3, 4]
  input %x: f32[2,3,4]
  %y.flat: f32[2,12] = Flatten(%x) {axis = 1} "s"
  %y.soft: f32[2,12] = Softmax(%y.flat) {axis = -1} "s"
  %y: f32[2,3,4] = Reshape(%y.soft, %y.shape) {allowzero = 1} "s"
)"},
    {"LogSoftmax9OfUnknownRank",
     9,
     onnx_node("LogSoftmax", {"x"}, {"y"}, {attribute("axis", 2)}),
     {onnx_value_without_rank("x", 1)},
     {},
     R"(  input %x: f32[*]
  %y.flat: f32[?,?] = Flatten(%x) {axis = 2}
  %y.soft: f32[?,?] = LogSoftmax(%y.flat) {axis = -1}
  %y.shape: i64[?] = Shape(%x)
  %y: f32[*] = Reshape(%y.soft, %y.shape) {allowzero = 1}
)"},
    {"ArgMax",
     11,
     onnx_node("ArgMax", {"x"}, {"y"}, {attribute("axis", 1), attribute("keepdims", 0)}),
     {float_input("x", {2, 3})},
     {},
     R"(  input %x: f32[2,3]
  %y: i64[2] = ArgMax(%x) {axis = 1, keepdims = 0}
)"},
};

class RewriteReduce : public testing::TestWithParam<RewriteCase> {};
TEST_P(RewriteReduce, GivesTheGraphsForm) { expect_rewrite(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RewriteReduce, testing::ValuesIn(kCases), case_name<RewriteCase>);

const RefusalCase kRefusals[] = {
    {"GlobalPoolOfUnknownRank",
     7,
     onnx_node("GlobalAveragePool", {"x"}, {"y"}, {}, "p"),
     {onnx_value_without_rank("x", 1)},
     {},
     ErrorCode::UnsupportedModel,
     "GlobalAveragePool node 'p': the rank of its input is not known, which this operator needs"},
    {"AxesAsAnOperandTooEarly",
     13,
     onnx_node("ReduceMean", {"x", "a"}, {"y"}, {}, "r"),
     {float_input("x", {2})},
     {tensor("a", {1}, std::vector<int64_t>{0})},
     ErrorCode::InvalidModel,
     "ReduceMean node 'r': takes 1 inputs in opset 13, not 2"},
    {"AxesAsAnAttributeTooLate",
     18,
     onnx_node("ReduceMean", {"x"}, {"y"}, {attribute("axes", kLast)}, "r"),
     {float_input("x", {2})},
     {},
     ErrorCode::UnsupportedModel,
     "ReduceMean node 'r': attribute 'axes' is not known for this operator in opset 18"},
    {"SoftmaxOutsideTheRank",
     9,
     onnx_node("Softmax", {"x"}, {"y"}, {attribute("axis", 2)}, "s"),
     {float_input("x", {2, 3})},
     {},
     ErrorCode::InvalidModel,
     "Softmax node 's': axis 2 is outside a tensor of rank 2"},
};

class RefuseReduce : public testing::TestWithParam<RefusalCase> {};
TEST_P(RefuseReduce, SaysWhatIsWrong) { expect_refusal(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RefuseReduce, testing::ValuesIn(kRefusals), case_name<RefusalCase>);

}  // namespace
}  // namespace fuselane
