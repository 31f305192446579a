// What multiplies every channel of a product goes into its weights: BatchNormalization, and Mul, Div and Sub
// with a constant. A BatchNormalization that follows no product becomes a Mul and an Add.
//
// Legal where nothing else reads the product; where factors and shifts are constant, finite, and broadcast
// along the channels alone; and where every weight stays finite. A sum that would have overflowed and been
// scaled down again then does not overflow. Rounding differs by that of one multiplication.
#include <cmath>

#include "graph/ops.h"
#include "optimize/nodes.h"
#include "optimize/products.h"

namespace fuselane {
namespace {

// For a mean so many times as large as the deviation, x * factor - mean * factor loses more than 10 of
// float32's 24 bits, which (x - mean) * factor keeps.
constexpr double kLargestMean = 1024;

bool all_finite(const ChannelAffine& affine) {
  for (const ChannelNumbers* numbers : {&affine.factor, &affine.shift}) {
    for (double number : *numbers) {
      if (!std::isfinite(number)) return false;
    }
  }
  return true;
}

struct Normalization {
  ChannelAffine affine;
  bool is_centered = true;  // no mean is larger than kLargestMean deviations
};

// (x - mean) / sqrt(variance + epsilon) * scale + bias as x * factor + shift.
Result<std::optional<Normalization>> normalization_of(const RewriteSite& site, const Node& node) {
  std::optional<Normalization> result;
  std::shared_ptr<const Tensor> operands[4];  // scale, bias, mean, variance
  for (size_t k = 0; k < 4; ++k) {
    operands[k] = TRY(site.elements(node.inputs[k + 1]));
    if (!operands[k] || operands[k]->count() != operands[0]->count()) return result;
  }
  result.emplace();
  result->affine = {.factor = {}, .shift = {}};
  double epsilon = node.number(Attr::Epsilon);
  for (int64_t c = 0; c < operands[0]->count(); ++c) {
    double deviation = std::sqrt(operands[3]->number(c) + epsilon);
    double factor = operands[0]->number(c) / deviation;
    double mean = operands[2]->number(c);
    result->affine.factor.push_back(factor);
    result->affine.shift.push_back(operands[1]->number(c) - mean * factor);
    result->is_centered = result->is_centered && std::fabs(mean) <= kLargestMean * deviation;
  }
  if (!all_finite(result->affine)) result.reset();
  return result;
}

// One number for each channel, in a shape that broadcasts along axis 1.
Result<Tensor> channel_tensor(const ChannelNumbers& numbers, DType dtype, size_t rank) {
  Dims dims{static_cast<int64_t>(numbers.size())};
  while (dims.size() + 1 < rank) dims.push_back(1);
  return Tensor::of_numbers(dtype, std::move(dims), numbers);
}

Result<std::optional<Patch>> as_mul_and_add(const RewriteSite& site, NodeId id,
                                            const Normalization& normalization) {
  const Node& node = site.graph[id];
  const ValueType& type = site.graph[node.inputs[0]].type;
  if (!type.dims || !normalization.is_centered) return std::nullopt;
  std::optional<Patch> patch;
  patch.emplace(site.graph, "fold_batch_norm", id);
  size_t rank = type.dims->size();
  ValueId factor = patch->add_constant(TRY(channel_tensor(normalization.affine.factor, type.dtype, rank)));
  ValueId shift = patch->add_constant(TRY(channel_tensor(normalization.affine.shift, type.dtype, rank)));
  ValueId scaled = TRY(patch->add_node(Op::Mul, {node.inputs[0], factor}));
  patch->replace(node.outputs[0], TRY(patch->add_node(Op::Add, {scaled, shift})));
  return patch;
}

Result<std::optional<Patch>> fold_normalization(const RewriteSite& site, NodeId id) {
  const Node& node = site.graph[id];
  auto normalization = TRY(normalization_of(site, node));
  if (!normalization) return std::nullopt;
  // The channels of a normalization lie along axis 1, those of a MatMul along the last one.
  auto product = product_before(site, node.inputs[0], id);
  if (product && product->axis == 1) {
    auto patch = TRY(fold_into_product(site, "fold_batch_norm", id, *product, normalization->affine));
    if (patch) return patch;
  }
  return as_mul_and_add(site, id, *normalization);
}

// The arithmetic with a constant as an affine function of the product, operand `k`.
std::optional<ChannelAffine> affine_of(Op op, size_t k, ChannelNumbers constant) {
  if (op == Op::Mul) return ChannelAffine{.factor = std::move(constant)};
  if (op == Op::Div && k == 0) {
    for (double& number : constant) number = 1 / number;
    return ChannelAffine{.factor = std::move(constant)};
  }
  if (op == Op::Sub && k == 1) return ChannelAffine{.factor = {-1}, .shift = std::move(constant)};
  return std::nullopt;
}

Result<std::optional<Patch>> fold(const RewriteSite& site, NodeId id) {
  const Node& node = site.graph[id];
  if (node.op == Op::BatchNormalization) return fold_normalization(site, id);
  if (node.op != Op::Mul && node.op != Op::Div && node.op != Op::Sub) return std::nullopt;
  if (activation_of(node).kind != ActivationKind::None) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    auto product = product_before(site, node.inputs[k], id);
    if (!product) continue;
    auto constant = TRY(channel_numbers(site, node.inputs[1 - k], *product));
    auto affine = constant ? affine_of(node.op, k, *std::move(constant)) : std::nullopt;
    if (affine && all_finite(*affine))
      return fold_into_product(site, "fold_batch_norm", id, *product, *affine);
  }
  return std::nullopt;
}

}  // namespace

Result<size_t> fold_batch_norm(Graph& graph, PassContext& context) { return rewrite(graph, context, fold); }

}  // namespace fuselane
