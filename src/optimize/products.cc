#include "optimize/products.h"

#include <algorithm>
#include <cmath>

#include "graph/ops.h"
#include "optimize/nodes.h"

namespace fuselane {
namespace {

bool is_one(const ChannelNumbers& numbers) {
  return std::ranges::all_of(numbers, [](double number) { return number == 1; });
}
bool is_zero(const ChannelNumbers& numbers) {
  return std::ranges::all_of(numbers, [](double number) { return number == 0; });
}

// Which channel an element of the weights belongs to: (index / stride) % extent, and with groups (of a
// ConvTranspose) the group's own channels after those of the groups before.
struct WeightChannels {
  int64_t stride = 1;
  int64_t extent = 1;
  int64_t group_size = 0;  // elements of one group; 0 without groups

  int64_t of(int64_t index) const {
    int64_t group = group_size > 0 ? index / group_size : 0;
    return group * extent + index / stride % extent;
  }
};

std::optional<WeightChannels> weight_channels(const Node& node, DimsView dims) {
  if (dims.size() < 2) return std::nullopt;
  int64_t count = element_count(dims).value_or(0);
  if (count == 0) return std::nullopt;
  switch (node.op) {
    case Op::Conv:
      return WeightChannels{.stride = count / dims[0], .extent = dims[0]};
    case Op::ConvTranspose:
      return WeightChannels{.stride = count / dims[0] / dims[1],
                            .extent = dims[1],
                            .group_size = count / node.integer(Attr::Group)};
    case Op::Gemm:
      if (node.flag(Attr::TransB)) return WeightChannels{.stride = dims[1], .extent = dims[0]};
      return WeightChannels{.stride = 1, .extent = dims[1]};
    case Op::MatMul:
      return WeightChannels{.stride = 1, .extent = dims.back()};
    default:  // NOLINT: product_before() gives no others
      return std::nullopt;
  }
}

// Whether all stay finite. Elements that lie together belong to one channel: most of the time of the passes
// over large networks is spent here.
template <class Float>
bool scale(const TensorView& from, const WeightChannels& channels, const ChannelNumbers& factor,
           const TensorView& to) {
  bool finite = true;
  for (int64_t i = 0; i < to.count; i += channels.stride) {
    const double number = number_of(factor, channels.of(i));
    for (int64_t j = i; j < i + channels.stride; ++j) {
      to.as<Float>()[j] = static_cast<Float>(from.as<Float>()[j] * number);
      finite &= std::isfinite(to.as<Float>()[j]);
    }
  }
  return finite;
}

// The weights times the factors; nothing when one of them does not stay finite. product_before() lets only
// these two types through.
Result<std::optional<Tensor>> scaled_weights(const Node& node, const Tensor& weights,
                                             const ChannelNumbers& factor) {
  std::optional<Tensor> scaled;
  auto channels = weight_channels(node, weights.dims());
  if (!channels) return scaled;
  Tensor result = TRY(Tensor::allocate(weights.dtype(), weights.dims()));
  const auto scale_all = weights.dtype() == DType::Float64 ? scale<double> : scale<float>;
  if (scale_all(weights.view(), *channels, factor, result.view())) scaled = std::move(result);
  return scaled;
}

Result<std::optional<ChannelNumbers>> numbers_of(const RewriteSite& site, ValueId constant) {
  std::optional<ChannelNumbers> numbers;
  auto elements = TRY(site.elements(constant));
  if (!elements) return numbers;
  numbers.emplace();
  for (int64_t i = 0; i < elements->count(); ++i) numbers->push_back(elements->number(i));
  return numbers;
}

class Folding {
 public:
  Folding(const RewriteSite& site, const Product& product, const ChannelAffine& affine)
      : site_(site), node_(*product.node), product_(product), affine_(affine) {}

  Result<std::optional<Patch>> run(std::string_view rule, NodeId reader) {
    std::optional<Patch> patch;
    patch.emplace(site_.graph, rule, reader);
    std::vector<ValueId> inputs{node_.inputs[0], node_.inputs[1]};
    Attributes attributes = node_.attributes;
    if (!TRY(scale_weights(*patch, inputs[1])) || !TRY(make_bias(*patch, inputs, attributes))) {
      return std::optional<Patch>();
    }
    ValueId result = TRY(patch->add_node(node_.op, std::move(inputs), std::move(attributes)));
    patch->replace(site_.graph[reader].outputs[0], result);
    return patch;
  }

 private:
  Result<bool> scale_weights(Patch& patch, ValueId& weights) const {
    if (is_one(affine_.factor)) return true;
    bool small = bytes_of(site_.graph[weights].type).value_or(0) <= site_.context.limits.grown_bytes;
    if (site_.uses.of(weights).size() > 1 && !small) return false;
    auto known = TRY(site_.elements(weights));
    if (!known) return false;
    auto scaled = TRY(scaled_weights(node_, *known, affine_.factor));
    if (!scaled) return false;
    weights = patch.add_constant(*std::move(scaled));
    return true;
  }

  // (product + bias) * factor + shift = product * factor + (bias * factor + shift)
  Result<bool> make_bias(Patch& patch, std::vector<ValueId>& inputs, Attributes& attributes) const {
    ValueId old = input_of(node_, 2);
    ChannelNumbers bias{0};
    if (old) {
      // Gemm adds any matrix; the others a list of channels, whatever the rank of their result.
      auto numbers =
          node_.op == Op::Gemm ? TRY(channel_numbers(site_, old, product_)) : TRY(numbers_of(site_, old));
      if (!numbers) return false;
      bias = *std::move(numbers);
    } else if (is_zero(affine_.shift)) {
      return true;
    }
    double beta = 1;
    if (node_.op == Op::Gemm) {
      beta = node_.number(Attr::Beta);
      attributes.set(Attr::Beta, 1.0);
    }
    DType dtype = site_.graph[node_.inputs[0]].type.dtype;
    Tensor tensor = TRY(Tensor::allocate(dtype, {product_.channels}));
    for (int64_t c = 0; c < product_.channels; ++c) {
      double number = beta * number_of(bias, c) * number_of(affine_.factor, c) + number_of(affine_.shift, c);
      tensor.view().set_number(c, number);
      if (!std::isfinite(tensor.number(c))) return false;
    }
    inputs.push_back(patch.add_constant(std::move(tensor)));
    return true;
  }

  const RewriteSite& site_;
  const Node& node_;
  const Product& product_;
  const ChannelAffine& affine_;
};

}  // namespace

std::optional<Product> product_before(const RewriteSite& site, ValueId value, NodeId reader) {
  const Node* node = site.sole_producer(value, reader);
  if (!node) return std::nullopt;
  bool is_convolution = node->op == Op::Conv || node->op == Op::ConvTranspose;
  if (!is_convolution && node->op != Op::Gemm && node->op != Op::MatMul) return std::nullopt;
  if (activation_of(*node).kind != ActivationKind::None) return std::nullopt;
  const ValueType& type = site.graph[value].type;
  // Narrower floats round at each node: one rounding less is another answer, by more than these passes may.
  if (type.dtype != DType::Float32 && type.dtype != DType::Float64) return std::nullopt;
  if (!type.dims || type.dims->size() < 2) return std::nullopt;
  // A vector on the right of a MatMul leaves no axis for its one column.
  const auto& weights = site.graph[node->inputs[1]].type.dims;
  if (node->op == Op::MatMul && (!weights || weights->size() < 2)) return std::nullopt;
  size_t axis = is_convolution ? 1 : type.dims->size() - 1;
  int64_t channels = (*type.dims)[axis].extent;
  if (channels < 1) return std::nullopt;
  return Product{.node = node, .rank = type.dims->size(), .axis = axis, .channels = channels};
}

Result<std::optional<ChannelNumbers>> channel_numbers(const RewriteSite& site, ValueId constant,
                                                      const Product& product) {
  std::optional<ChannelNumbers> numbers;
  if (!constant || !site.graph.constant_of(constant)) return numbers;
  const Dims& dims = site.graph.constant_of(constant)->dims;
  if (dims.size() > product.rank) return numbers;
  for (size_t i = 0; i < dims.size(); ++i) {
    size_t axis = i + product.rank - dims.size();
    if (dims[i] != 1 && !(axis == product.axis && dims[i] == product.channels)) return numbers;
  }
  return numbers_of(site, constant);
}

Result<std::optional<Patch>> fold_into_product(const RewriteSite& site, std::string_view rule, NodeId reader,
                                               const Product& product, const ChannelAffine& affine) {
  return Folding(site, product, affine).run(rule, reader);
}

}  // namespace fuselane
