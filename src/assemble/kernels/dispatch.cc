// Which planner takes which operator.
#include "assemble/kernels/planners.h"

namespace fuselane {
namespace {

struct Row {
  Op op;
  Planner planner;
};

constexpr Row kRows[] = {
    {Op::MatMul, plan_matmul},
    {Op::Gemm, plan_gemm},
    {Op::Conv, plan_conv},
    {Op::ConvTranspose, plan_conv_transpose},
    {Op::LSTM, plan_lstm},
    {Op::GRU, plan_gru},
    {Op::MaxPool, plan_pool},
    {Op::AveragePool, plan_pool},
    {Op::Resize, plan_resize},
    {Op::Softmax, plan_softmax},
    {Op::LogSoftmax, plan_softmax},
    {Op::LayerNormalization, plan_layer_normalization},
    {Op::RMSNormalization, plan_layer_normalization},
    {Op::InstanceNormalization, plan_instance_normalization},
    {Op::ReduceSum, plan_reduce},
    {Op::ReduceMean, plan_reduce},
    {Op::ReduceMax, plan_reduce},
    {Op::ReduceMin, plan_reduce},
    {Op::ReduceL2, plan_reduce},
    {Op::ArgMax, plan_arg_max},
    {Op::Transpose, plan_transpose},
    {Op::Concat, plan_concat},
    {Op::Split, plan_split},
    {Op::Slice, plan_slice},
    {Op::Expand, plan_expand},
    {Op::Tile, plan_tile},
    {Op::Pad, plan_pad},
    {Op::Gather, plan_gather},
    {Op::Cast, plan_cast},
    {Op::Where, plan_where},
    {Op::Abs, plan_elementwise},
    {Op::Neg, plan_elementwise},
    {Op::Floor, plan_elementwise},
    {Op::Ceil, plan_elementwise},
    {Op::Sqrt, plan_elementwise},
    {Op::Exp, plan_elementwise},
    {Op::Log, plan_elementwise},
    {Op::Erf, plan_elementwise},
    {Op::Tanh, plan_elementwise},
    {Op::Sigmoid, plan_elementwise},
    {Op::Relu, plan_elementwise},
    {Op::LeakyRelu, plan_elementwise},
    {Op::HardSigmoid, plan_elementwise},
    {Op::HardSwish, plan_elementwise},
    {Op::Clip, plan_elementwise},
    {Op::Add, plan_elementwise},
    {Op::Sub, plan_elementwise},
    {Op::Mul, plan_elementwise},
    {Op::Div, plan_elementwise},
    {Op::Pow, plan_elementwise},
    {Op::Min, plan_elementwise},
    {Op::Max, plan_elementwise},
    {Op::PRelu, plan_elementwise},
    {Op::Equal, plan_elementwise},
    {Op::Greater, plan_elementwise},
    {Op::GreaterOrEqual, plan_elementwise},
    {Op::Less, plan_elementwise},
    {Op::LessOrEqual, plan_elementwise},
};

}  // namespace

Packing::Operand whole_constant(const Site& site, size_t input, size_t at) {
  auto bytes = bytes_of(site.dtype(input), element_count(site.dims(input)).value_or(0));
  return {.at = static_cast<uint32_t>(at),
          .constant = site.constant(input),
          .bytes = static_cast<uint64_t>(bytes.value_or(0))};
}

bool fits32(DimsView dims) {
  auto count = element_count(dims);
  return count && fits32(*count) && std::ranges::all_of(dims, [](int64_t extent) { return fits32(extent); });
}

Result<bool> plan_with_kernels(Site& site) {
  for (const Row& entry : kRows) {
    if (entry.op == site.node().op) return entry.planner(site);
  }
  return false;
}

}  // namespace fuselane
