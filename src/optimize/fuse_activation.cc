// An activation becomes part of the operator whose result it is applied to, which then stores its result
// once. Before that, the ways in which exporters write gated activations are recognized:
//
//   x * sigmoid(x)                                    silu
//   x * hard_sigmoid(x), with 1/6 and 0.5             HardSwish
//   x * clip(x + 3, 0, 6) / 6                         HardSwish
//   x * 0.5 * (1 + erf(x / sqrt(2)))                  gelu
//
// in any order of the factors. Legal where nothing else reads what is between, since that is not computed any
// more; where numbers are constants that do not enlarge the result; and for float32, whose results a kernel
// holds when it applies the activation.
#include <algorithm>
#include <cmath>

#include "graph/ops.h"
#include "optimize/nodes.h"
#include "optimize/rewrite.h"

namespace fuselane {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether a constant is this number, as far as float32 can write it.
bool is_about(std::optional<double> number, double expected) {
  return number && std::fabs(*number - expected) <= 1e-6 * std::fabs(expected);
}

// The bounds of a Clip, where they are known, in order, and no NaN.
std::optional<Activation> clamp_of(const Graph& graph, const Node& node) {
  auto bound = [&](size_t i, double absent) {
    return input_of(node, i) ? uniform_number(graph, node.inputs[i]) : std::optional(absent);
  };
  auto low = bound(1, -kInfinity);
  auto high = bound(2, kInfinity);
  if (!low || !high || *low > *high) return std::nullopt;
  return Activation{ActivationKind::Clamp, static_cast<float>(*low), static_cast<float>(*high)};
}

std::optional<Activation> activation_by(const Graph& graph, const Node& node) {
  auto alpha = static_cast<float>(node.number(Attr::Alpha));
  switch (node.op) {
    case Op::Relu:
      return Activation{ActivationKind::Clamp, 0, static_cast<float>(kInfinity)};
    case Op::Clip:
      return clamp_of(graph, node);
    case Op::LeakyRelu:
      return Activation{ActivationKind::LeakyRelu, alpha, 0};
    case Op::HardSigmoid:
      return Activation{ActivationKind::HardSigmoid, alpha, static_cast<float>(node.number(Attr::Beta))};
    case Op::HardSwish:
      return Activation{ActivationKind::HardSwish, 0, 0};
    case Op::Sigmoid:
      return Activation{ActivationKind::Sigmoid, 0, 0};
    case Op::Tanh:
      return Activation{ActivationKind::Tanh, 0, 0};
    default:  // NOLINT: the others are no activations
      return std::nullopt;
  }
}

bool takes_activation(const Graph& graph, const Node& node) {
  return row_of(node.op).find(Attr::FusedActivation) && activation_of(node).kind == ActivationKind::None &&
         graph[node.outputs[0]].type.dtype == DType::Float32;
}

// `producer` again, with the activation, in place of node `id`.
Result<std::optional<Patch>> activated(const Site& site, NodeId id, const Node& producer,
                                       const Activation& activation) {
  std::optional<Patch> patch;
  patch.emplace(site.graph, "fuse_activation", id);
  Attributes attributes = producer.attributes;
  attributes.set(Attr::FusedActivation, std::string(text_of(activation.kind)));
  if (activation.a != 0) attributes.set(Attr::FusedA, static_cast<double>(activation.a));
  if (activation.b != 0) attributes.set(Attr::FusedB, static_cast<double>(activation.b));
  ValueId result = TRY(patch->add_node(producer.op, producer.inputs, std::move(attributes)));
  patch->replace(site.graph[id].outputs[0], result);
  return patch;
}

Result<std::optional<Patch>> fuse(const Site& site, NodeId id) {
  const Node& node = site.graph[id];
  auto activation = activation_by(site.graph, node);
  const Node* producer = activation ? site.sole_producer(node.inputs[0], id) : nullptr;
  if (!producer || !takes_activation(site.graph, *producer)) return std::nullopt;
  return activated(site, id, *producer, *activation);
}

// A product of values and numbers as one: `constant` times the factors.
struct Flattened {
  double constant = 1;
  struct Factor {
    ValueId value;
    NodeId reader;  // the node of the product that reads it
  };
  std::vector<Factor> factors;
};

// Follows Mul, and Div by a number, through values that nothing else reads; three factors are more than any
// pattern has.
void flatten(const Site& site, NodeId id, Flattened& product, size_t rank) {
  const Node& node = site.graph[id];
  for (size_t k = 0; k < 2; ++k) {
    ValueId value = node.inputs[k];
    auto number = uniform_number(site.graph, value);
    bool keeps_shape =
        number && site.graph.known(value)->count() == 1 && site.graph.known(value)->dims().size() <= rank;
    if (keeps_shape && (k == 1 || node.op == Op::Mul)) {
      product.constant = node.op == Op::Mul ? product.constant * *number : product.constant / *number;
      continue;
    }
    const Node* inner = site.sole_producer(value, id);
    bool goes_on = node.op == Op::Mul || k == 0;
    bool is_product = inner && (inner->op == Op::Mul || inner->op == Op::Div) &&
                      activation_of(*inner).kind == ActivationKind::None;
    if (goes_on && is_product && product.factors.size() < 3) {
      flatten(site, site.graph[value].producer, product, rank);
    } else {
      product.factors.push_back({value, goes_on ? id : NodeId()});
    }
  }
}

// The operand that `node` adds a number to; none for other nodes.
ValueId plus_number(const Graph& graph, const Node* node, double number) {
  if (!node || node->op != Op::Add || activation_of(*node).kind != ActivationKind::None) return ValueId();
  for (size_t k = 0; k < 2; ++k) {
    const Tensor* known = graph.known(node->inputs[k]);
    if (known && known->count() == 1 && is_about(uniform_number(graph, node->inputs[k]), number)) {
      return node->inputs[1 - k];
    }
  }
  return ValueId();
}

// x / sqrt(2), divided or multiplied.
bool is_over_root_two(const Graph& graph, const Node* node, ValueId x) {
  if (!node || activation_of(*node).kind != ActivationKind::None) return false;
  auto right = uniform_number(graph, input_of(*node, 1));
  if (node->op == Op::Div) return node->inputs[0] == x && is_about(right, std::sqrt(2.0));
  if (node->op != Op::Mul) return false;
  auto left = uniform_number(graph, node->inputs[0]);
  return (node->inputs[0] == x && is_about(right, std::sqrt(0.5))) ||
         (node->inputs[1] == x && is_about(left, std::sqrt(0.5)));
}

// What a gate makes of x, and the node of it that reads x.
struct Gate {
  ActivationKind kind;
  NodeId reader;
};

// The chain of nodes behind a gate, each read by the one before alone.
std::optional<Gate> gate_of(const Site& site, const Flattened::Factor& factor, ValueId x, double constant) {
  const Graph& graph = site.graph;
  const Node* last = site.sole_producer(factor.value, factor.reader);
  if (!last) return std::nullopt;
  NodeId id = graph[factor.value].producer;
  if (last->op == Op::Sigmoid && last->inputs[0] == x && constant == 1) return Gate{ActivationKind::Silu, id};
  if (last->op == Op::HardSigmoid && last->inputs[0] == x && constant == 1 &&
      is_about(last->number(Attr::Alpha), 1.0 / 6) && last->number(Attr::Beta) == 0.5) {
    return Gate{ActivationKind::HardSwish, id};
  }
  if (last->op == Op::Clip && is_about(constant, 1.0 / 6)) {
    const Node* shifted = site.sole_producer(last->inputs[0], id);
    bool fits = clamp_of(graph, *last) == Activation{ActivationKind::Clamp, 0, 6};
    if (fits && plus_number(graph, shifted, 3) == x) {
      return Gate{ActivationKind::HardSwish, graph[last->inputs[0]].producer};
    }
  }
  ValueId sum = plus_number(graph, last, 1);
  const Node* erf = sum ? site.sole_producer(sum, id) : nullptr;
  if (!erf || erf->op != Op::Erf || constant != 0.5) return std::nullopt;
  const Node* scaled = site.sole_producer(erf->inputs[0], graph[sum].producer);
  if (!is_over_root_two(graph, scaled, x)) return std::nullopt;
  return Gate{ActivationKind::Gelu, graph[erf->inputs[0]].producer};
}

Result<std::optional<Patch>> recognize(const Site& site, NodeId id) {
  const Node& node = site.graph[id];
  bool is_product = node.op == Op::Mul || node.op == Op::Div;
  const ValueType& type = is_product ? site.graph[node.outputs[0]].type : ValueType();
  if (!is_product || type.dtype != DType::Float32 || !type.dims) return std::nullopt;
  if (activation_of(node).kind != ActivationKind::None) return std::nullopt;
  Flattened product;
  flatten(site, id, product, type.dims->size());
  if (product.factors.size() != 2 || !product.factors[0].reader || !product.factors[1].reader)
    return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const auto& [x, reader] = product.factors[k];
    auto gate = gate_of(site, product.factors[1 - k], x, product.constant);
    if (!gate) continue;
    if (gate->kind == ActivationKind::HardSwish) {
      std::optional<Patch> patch;
      patch.emplace(site.graph, "fuse_activation", id);
      patch->replace(node.outputs[0], TRY(patch->add_node(Op::HardSwish, {x})));
      return patch;
    }
    NodeId producer = site.graph[x].producer;
    bool only_here = site.uses.of(x).size() == 2 && site.is_read_only_by(x, {reader, gate->reader});
    bool same_block = producer && site.uses.place_of(producer)->block == site.uses.place_of(id)->block;
    if (!only_here || !same_block || !takes_activation(site.graph, site.graph[producer])) continue;
    return activated(site, id, site.graph[producer], {gate->kind, 0, 0});
  }
  return std::nullopt;
}

}  // namespace

Result<size_t> fuse_activation(Graph& graph, PassContext& context) {
  size_t recognized = TRY(rewrite(graph, context, recognize));
  return recognized + TRY(rewrite(graph, context, fuse));
}

}  // namespace fuselane
