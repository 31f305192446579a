// Convolution, pooling, normalization, products, resizing and recurrence of all opsets.
#include "tests/unit/import/rewrite_case.h"

namespace fuselane {
namespace {

using Ints = std::vector<int64_t>;
const std::vector<Message> kStatistics = {zeros("s", {3}), zeros("b", {3}), zeros("m", {3}), zeros("v", {3})};
constexpr std::string_view kStatisticsText = R"(  const %s: f32[3] = [0, 0, 0]
  const %b: f32[3] = [0, 0, 0]
  const %m: f32[3] = [0, 0, 0]
  const %v: f32[3] = [0, 0, 0]
  input %x: f32[1,3,8,8]
  %y: f32[1,3,8,8] = BatchNormalization(%x, %s, %b, %m, %v))";
const std::string kPlainBatchNorm = cat(kStatisticsText, "\n");
const std::string kBatchNormWithEpsilon = cat(kStatisticsText, " {epsilon = 0.001}\n");

Message image() { return float_input("x", {1, 3, 8, 8}); }
Message scales() { return tensor("s", {4}, std::vector<float>{1, 1, 2, 2}); }

const RewriteCase kCases[] = {
    {"Conv",
     11,
     onnx_node("Conv", {"x", "w"}, {"y"},
               {attribute("kernel_shape", Ints{1, 1}), attribute("strides", Ints{2, 2}),
                attribute("group", 1), attribute("auto_pad", "NOTSET")},
               "conv"),
     {image()},
     {tensor("w", {1, 3, 1, 1}, std::vector<float>{1, 2, 3})},
     R"(  const %w: f32[1,3,1,1] = [1, 2, 3]
  input %x: f32[1,3,8,8]
  %y: f32[1,1,4,4] = Conv(%x, %w) {auto_pad = "NOTSET", strides = [2, 2], group = 1} "conv"
)"},
    {"ConvTranspose",
     11,
     onnx_node("ConvTranspose", {"x", "w"}, {"y"},
               {attribute("kernel_shape", Ints{1, 2}), attribute("output_padding", Ints{0, 0})}),
     {image()},
     {tensor("w", {3, 1, 1, 2}, std::vector<float>{1, 2, 3, 4, 5, 6})},
     R"(  const %w: f32[3,1,1,2] = [1, 2, 3, 4, 5, 6]
  input %x: f32[1,3,8,8]
  %y: f32[1,1,8,9] = ConvTranspose(%x, %w) {output_padding = [0, 0]}
)"},
    {"MaxPoolWithIndices",
     8,
     onnx_node("MaxPool", {"x"}, {"y", "i"},
               {attribute("kernel_shape", Ints{2, 2}), attribute("storage_order", 0)}),
     {image()},
     {},
     R"(  input %x: f32[1,3,8,8]
  %y: f32[1,3,7,7], %i: i64[1,3,7,7] = MaxPool(%x) {kernel_shape = [2, 2], storage_order = 0}
)"},
    {"AveragePool",
     7,
     onnx_node("AveragePool", {"x"}, {"y"},
               {attribute("kernel_shape", Ints{3, 3}), attribute("count_include_pad", 1)}),
     {image()},
     {},
     R"(  input %x: f32[1,3,8,8]
  %y: f32[1,3,6,6] = AveragePool(%x) {kernel_shape = [3, 3], count_include_pad = 1}
)"},
    {"BatchNormalization7",
     7,
     onnx_node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"},
               {attribute("momentum", 0.9f), attribute("spatial", 1), attribute("epsilon", 0.001f)}),
     {image()},
     kStatistics,
     kBatchNormWithEpsilon},
    {"BatchNormalization9WithEmptyOutputs",
     9,
     onnx_node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y", "", ""}),
     {image()},
     kStatistics,
     kPlainBatchNorm},
    {"BatchNormalization15",
     15,
     onnx_node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"}, {attribute("training_mode", 0)}),
     {image()},
     kStatistics,
     kPlainBatchNorm},
    {"GemmWithoutC",
     11,
     onnx_node("Gemm", {"x", "w"}, {"y"}, {attribute("transB", 1), attribute("alpha", 0.5f)}),
     {float_input("x", {"n", 2})},
     {tensor("w", {1, 2}, std::vector<float>{1, 2})},
     R"(  const %w: f32[1,2] = [1, 2]
  input %x: f32[n,2]
  %y: f32[n,1] = Gemm(%x, %w) {alpha = 0.5, transB = 1}
)"},
    {"Upsample7",
     7,
     onnx_node("Upsample", {"x"}, {"y"},
               {attribute("mode", "nearest"), attribute("scales", std::vector<float>{1, 1, 2, 2})}),
     {image()},
     {},
     R"(  const %y.scales: f32[4] = [1, 1, 2, 2]
  input %x: f32[1,3,8,8]
  %y: f32[1,3,16,16] = Resize(%x, _, %y.scales) {mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"}
)"},
    {"Upsample9",
     9,
     onnx_node("Upsample", {"x", "s"}, {"y"}, {attribute("mode", "linear")}),
     {image()},
     {scales()},
     R"(  const %s: f32[4] = [1, 1, 2, 2]
  input %x: f32[1,3,8,8]
  %y: f32[1,3,16,16] = Resize(%x, _, %s) {mode = "linear", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"}
)"},
    {"Resize10",
     10,
     onnx_node("Resize", {"x", "s"}, {"y"}),
     {image()},
     {scales()},
     R"(  const %s: f32[4] = [1, 1, 2, 2]
  input %x: f32[1,3,8,8]
  %y: f32[1,3,16,16] = Resize(%x, _, %s) {coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"}
)"},
    {"Resize11WithEmptyRegion",
     11,
     onnx_node("Resize", {"x", "r", "s"}, {"y"},
               {attribute("coordinate_transformation_mode", "align_corners"), attribute("mode", "linear")}),
     {image()},
     {tensor("r", {0}, std::vector<float>{}), scales()},
     R"(  const %r: f32[0] = []
  const %s: f32[4] = [1, 1, 2, 2]
  input %x: f32[1,3,8,8]
  %y: f32[1,3,16,16] = Resize(%x, _, %s) {mode = "linear", coordinate_transformation_mode = "align_corners"}
)"},
    {"Resize11WithSizesAndEmptyScales",
     11,
     onnx_node("Resize", {"x", "r", "e", "z"}, {"y"}),
     {image()},
     {tensor("r", {0}, std::vector<float>{}), tensor("e", {0}, std::vector<float>{}),
      tensor("z", {4}, Ints{1, 3, 5, 6})},
     R"(  const %r: f32[0] = []
  const %e: f32[0] = []
  const %z: i64[4] = [1, 3, 5, 6]
  input %x: f32[1,3,8,8]
  %y: f32[1,3,5,6] = Resize(%x, _, _, %z)
)"},
    {"Resize18",
     18,
     onnx_node("Resize", {"x", "", "s"}, {"y"},
               {attribute("antialias", 0), attribute("keep_aspect_ratio_policy", "stretch"),
                attribute("cubic_coeff_a", -0.5f)}),
     {image()},
     {scales()},
     R"(  const %s: f32[4] = [1, 1, 2, 2]
  input %x: f32[1,3,8,8]
  %y: f32[1,3,16,16] = Resize(%x, _, %s) {cubic_coeff_a = -0.5}
)"},
    {"InstanceNormalization",
     9,
     onnx_node("InstanceNormalization", {"x", "s", "b"}, {"y"}),
     {float_input("x", {"n", 3, 4})},
     {zeros("s", {3}), zeros("b", {3})},
     R"(  const %s: f32[3] = [0, 0, 0]
  const %b: f32[3] = [0, 0, 0]
  input %x: f32[n,3,4]
  %y: f32[n,3,4] = InstanceNormalization(%x, %s, %b)
)"},
    {"LayerNormalization",
     17,
     onnx_node("LayerNormalization", {"x", "s"}, {"y"}, {attribute("axis", -1), attribute("stash_type", 1)}),
     {float_input("x", {"n", 3})},
     {zeros("s", {3})},
     R"(  const %s: f32[3] = [0, 0, 0]
  input %x: f32[n,3]
  %y: f32[n,3] = LayerNormalization(%x, %s) {axis = -1, stash_type = f32}
)"},
    {"Lstm",
     7,
     onnx_node("LSTM", {"x", "w", "r", "", "", "h", "c"}, {"", "y", "cy"},
               {attribute("hidden_size", 2), attribute("direction", "forward"),
                attribute("activations", std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"})}),
     {float_input("x", {"t", "n", 1}), float_input("h", {1, "n", 2}), float_input("c", {1, "n", 2})},
     {zeros("w", {1, 8, 1}), zeros("r", {1, 8, 2})},
     R"(  const %w: f32[1,8,1] = [0, 0, 0, 0, 0, 0, 0, 0]
  const %r: f32[1,8,2] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  input %x: f32[t,n,1]
  input %h: f32[1,n,2]
  input %c: f32[1,n,2]
  _, %y: f32[1,n,2], %cy: f32[1,n,2] = LSTM(%x, %w, %r, _, _, %h, %c) {hidden_size = 2, direction = "forward", activations = ["Sigmoid", "Tanh", "Tanh"]}
)"},
    {"GruWithoutHiddenSize",
     14,
     onnx_node("GRU", {"x", "w", "r"}, {"y"}, {attribute("linear_before_reset", 1), attribute("layout", 0)}),
     {float_input("x", {"t", "n", 1})},
     {zeros("w", {1, 3, 1}), zeros("r", {1, 3, 1})},
     R"(  const %w: f32[1,3,1] = [0, 0, 0]
  const %r: f32[1,3,1] = [0, 0, 0]
  input %x: f32[t,n,1]
  %y: f32[t,1,n,1] = GRU(%x, %w, %r) {hidden_size = 1, linear_before_reset = 1, layout = 0}
)"},
};

class RewriteNetwork : public testing::TestWithParam<RewriteCase> {};
TEST_P(RewriteNetwork, GivesTheGraphsForm) { expect_rewrite(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RewriteNetwork, testing::ValuesIn(kCases), case_name<RewriteCase>);

const RefusalCase kRefusals[] = {
    {"KernelThatIsNotTheWeights",
     11,
     onnx_node("Conv", {"x", "w"}, {"y"}, {attribute("kernel_shape", Ints{3, 3})}, "conv"),
     {image()},
     {zeros("w", {1, 3, 1, 1})},
     ErrorCode::InvalidModel,
     "Conv node 'conv': kernel_shape is [3,3], the weights are f32[1,3,1,1]"},
    {"MatMulWithABias",
     13,
     onnx_node("MatMul", {"x", "x", "x"}, {"y"}, {}, "m"),
     {float_input("x", {2, 2})},
     {},
     ErrorCode::InvalidModel,
     "MatMul node 'm': takes 2 inputs, not 3"},
    {"ConvWithAnActivation",
     13,
     onnx_node("Conv", {"x", "w"}, {"y"}, {attribute("activation", "Relu")}, "conv"),
     {image()},
     {zeros("w", {1, 3, 1, 1})},
     ErrorCode::UnsupportedModel,
     "Conv node 'conv': attribute 'activation' is not known for this operator in opset 13"},
    {"PoolWithoutKernel",
     11,
     onnx_node("MaxPool", {"x"}, {"y"}, {}, "pool"),
     {image()},
     {},
     ErrorCode::InvalidModel,
     "MaxPool node 'pool': attribute 'kernel_shape' is missing"},
    {"StatisticsForEachElement",
     7,
     onnx_node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"}, {attribute("spatial", 0)}, "bn"),
     {image()},
     kStatistics,
     ErrorCode::UnsupportedModel,
     "BatchNormalization node 'bn': spatial = 0 (statistics for each element) is not supported"},
    {"BatchNormalizationInTraining",
     14,
     onnx_node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"}, {attribute("training_mode", 1)}, "bn"),
     {image()},
     kStatistics,
     ErrorCode::UnsupportedModel,
     "BatchNormalization node 'bn': training_mode is set, and training is not supported"},
    {"StatisticsAskedFor",
     9,
     onnx_node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y", "mean"}, {}, "bn"),
     {image()},
     kStatistics,
     ErrorCode::UnsupportedModel,
     "BatchNormalization node 'bn': its statistics are asked for, which only training computes"},
    {"UpsampleByCubic",
     9,
     onnx_node("Upsample", {"x", "s"}, {"y"}, {attribute("mode", "cubic")}, "up"),
     {image()},
     {scales()},
     ErrorCode::InvalidModel,
     "Upsample node 'up': mode must be nearest or linear, not 'cubic'"},
    {"UpsampleOfOpset10",
     10,
     onnx_node("Upsample", {"x", "s"}, {"y"}, {}, "up"),
     {image()},
     {scales()},
     ErrorCode::UnsupportedModel,
     "the model uses an operator that is not supported:\n  Upsample, domain ai.onnx, opset 10, supported up "
     "to opset "
     "9: 1 node, 'up'"},
    {"ResizeWithAntialias",
     18,
     onnx_node("Resize", {"x", "", "s"}, {"y"}, {attribute("antialias", 1)}, "up"),
     {image()},
     {scales()},
     ErrorCode::UnsupportedModel,
     "Resize node 'up': antialias is not supported"},
    {"ResizeOfSomeAxes",
     18,
     onnx_node("Resize", {"x", "", "s"}, {"y"}, {attribute("axes", Ints{2, 3})}, "up"),
     {image()},
     {scales()},
     ErrorCode::UnsupportedModel,
     "Resize node 'up': attribute 'axes' is not supported"},
};

class RefuseNetwork : public testing::TestWithParam<RefusalCase> {};
TEST_P(RefuseNetwork, SaysWhatIsWrong) { expect_refusal(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, RefuseNetwork, testing::ValuesIn(kRefusals), case_name<RefusalCase>);

}  // namespace
}  // namespace fuselane
