// An activation becomes part of the operator whose result it is applied to, which then stores its result
// once. Before that, the ways in which exporters write gated activations are recognized:
//
//   x * sigmoid(x)                                                      silu
//   x * clip(x / 6 + 0.5, 0, 1)                                         HardSwish
//   x * (0.5 + 0.5 * erf(x / sqrt(2)))                                  gelu
//   x * (0.5 + 0.5 * tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))         gelu_tanh
//
// by what they compute: factors and terms in any order, numbers anywhere, the function's operand any
// polynomial that is the one above. Legal where nothing else reads what is between, since that is not
// computed any more; where numbers are constants that do not enlarge the result; and for float32, whose
// results a kernel holds when it applies the activation. Results that are not finite are the same.
#include <algorithm>
#include <array>
#include <cmath>

#include "graph/ops.h"
#include "optimize/nodes.h"
#include "optimize/rewrite.h"

namespace fuselane {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether a constant is this number, as far as float32 can write it.
bool is_about(double number, double expected) {
  return std::fabs(number - expected) <= 1e-6 * std::fabs(expected);
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
Result<std::optional<Patch>> activated(const RewriteSite& site, NodeId id, const Node& producer,
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

Result<std::optional<Patch>> fuse(const RewriteSite& site, NodeId id) {
  const Node& node = site.graph[id];
  auto activation = activation_by(site.graph, node);
  const Node* producer = activation ? site.sole_producer(node.inputs[0], id) : nullptr;
  if (!producer || !takes_activation(site.graph, *producer)) return std::nullopt;
  return activated(site, id, *producer, *activation);
}

// Coefficients of 1, x, x^2 and x^3.
using Polynomial = std::array<double, 4>;

bool is_about(const Polynomial& a, const Polynomial& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return is_about(x, y); });
}

Polynomial scaled(Polynomial a, double factor) {
  for (double& coefficient : a) coefficient *= factor;
  return a;
}

// Nothing where the product has more powers than there are.
std::optional<Polynomial> product_of(const Polynomial& a, const Polynomial& b) {
  Polynomial product{};
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < 4; ++k) {
      if (a[i] == 0 || b[k] == 0) continue;
      if (i + k > 3) return std::nullopt;
      product[i + k] += a[i] * b[k];
    }
  }
  return product;
}

// A product, followed backwards, and the nodes it is made of.
class Match {
 public:
  Match(const RewriteSite& site, NodeId product) : site_(site), graph_(site.graph), nodes_{product} {}

  double constant = 1;           // times the factors
  std::vector<ValueId> factors;  // one that is divided by has no id

  // Follows Mul, and Div by a number, through values that nothing else reads; three factors are more than any
  // pattern has.
  void flatten(NodeId id) {
    const Node& node = graph_[id];
    for (size_t k = 0; k < 2; ++k) {
      bool multiplied = node.op == Op::Mul || k == 0;
      auto number = number_beside(graph_, node, k);
      if (number && (k == 1 || multiplied)) {
        constant = node.op == Op::Mul ? constant * *number : constant / *number;
        if (number == 0) factors.emplace_back();
        continue;
      }
      const Node* inner = site_.sole_producer(node.inputs[k], id);
      if (multiplied && inner && is_product(*inner) && factors.size() < 3) {
        nodes_.push_back(graph_[node.inputs[k]].producer);
        flatten(nodes_.back());
      } else {
        factors.push_back(multiplied ? node.inputs[k] : ValueId());
      }
    }
  }

  // What the constant times the gate times x is.
  ActivationKind activation(ValueId gate, ValueId x) {
    // gate * constant = function(p(x)) * factor + shift
    double factor = constant;
    double shift = 0;
    const Node* function = take(gate);
    while (function) {
      size_t k = number_of(*function, 1) ? 1 : 0;
      auto number = number_of(*function, k);
      if (!number) break;
      if (function->op == Op::Add) {
        shift += *number * factor;
      } else if (function->op == Op::Mul) {
        factor *= *number;
      } else {
        break;
      }
      function = take(function->inputs[1 - k]);
    }
    auto p = function ? polynomial(function->inputs[0], x) : std::nullopt;
    return p ? activation(*function, *p, factor, shift) : ActivationKind::None;
  }

  // Whether all of it may become one node with the node of x: to be asked after activation().
  bool takes_producer_of(ValueId x) const {
    NodeId producer = graph_[x].producer;
    return producer && site_.uses.place_of(producer)->block == site_.uses.place_of(nodes_[0])->block &&
           site_.is_read_only_by(x, nodes_);
  }
  bool is_alone() const { return site_.may_become_one(nodes_); }
  void restart(size_t nodes) { nodes_.resize(nodes); }
  size_t size() const { return nodes_.size(); }

 private:
  static bool is_product(const Node& node) {
    return (node.op == Op::Mul || node.op == Op::Div) && activation_of(node).kind == ActivationKind::None;
  }
  // The node that computes a value and becomes part of the match.
  const Node* take(ValueId value) {
    NodeId id = graph_[value].producer;
    if (!id || graph_[id].inputs.empty() || activation_of(graph_[id]).kind != ActivationKind::None)
      return nullptr;
    if (!std::ranges::contains(nodes_, id)) nodes_.push_back(id);
    return &graph_[id];
  }
  std::optional<double> number_of(const Node& node, size_t k) const {
    return node.inputs.size() == 2 ? number_beside(graph_, node, k) : std::nullopt;
  }

  // The value as a polynomial in x.
  std::optional<Polynomial> polynomial(ValueId value, ValueId x) {
    if (value == x) return Polynomial{0, 1, 0, 0};
    const Node* node = nodes_.size() < kMostNodes ? take(value) : nullptr;
    if (!node || node->inputs.size() != 2) return std::nullopt;
    auto part = [&](size_t k) -> std::optional<Polynomial> {
      if (auto number = number_of(*node, k)) return Polynomial{*number, 0, 0, 0};
      return polynomial(node->inputs[k], x);
    };
    auto a = part(0);
    auto b = a ? part(1) : std::nullopt;
    if (!b) return std::nullopt;
    switch (node->op) {
      case Op::Add:
        for (size_t i = 0; i < 4; ++i) {
          if ((*a)[i] * (*b)[i] < 0) return std::nullopt;  // what cancels has been rounded before
          (*a)[i] += (*b)[i];
        }
        return a;
      case Op::Mul:
        return product_of(*a, *b);
      case Op::Div:
        return number_of(*node, 1) ? std::optional(scaled(*a, 1 / (*b)[0])) : std::nullopt;
      case Op::Pow: {
        auto square = product_of(*a, *a);
        if (number_of(*node, 1) == 2) return square;
        return square && number_of(*node, 1) == 3 ? product_of(*square, *a) : std::nullopt;
      }
      default:  // NOLINT: the others are no polynomials
        return std::nullopt;
    }
  }

  // x * (function(p) * factor + shift)
  ActivationKind activation(const Node& function, const Polynomial& p, double factor, double shift) const {
    auto is = [&](double f, double s) { return is_about(factor, f) && is_about(shift, s); };
    constexpr double kTanhScale = 0.79788456080286536;  // sqrt(2 / pi)
    switch (function.op) {
      case Op::Sigmoid:
        return is(1, 0) && is_about(p, {0, 1, 0, 0}) ? ActivationKind::Silu : ActivationKind::None;
      case Op::Erf:
        return is(0.5, 0.5) && is_about(p, {0, std::sqrt(0.5), 0, 0}) ? ActivationKind::Gelu
                                                                      : ActivationKind::None;
      case Op::Tanh:
        return is(0.5, 0.5) && is_about(p, {0, kTanhScale, 0, kTanhScale * 0.044715})
                   ? ActivationKind::GeluTanh
                   : ActivationKind::None;
      case Op::HardSigmoid: {
        Polynomial inner = scaled(p, function.number(Attr::Alpha));
        inner[0] += function.number(Attr::Beta);
        return is(1, 0) && is_about(inner, kHardSwish) ? ActivationKind::HardSwish : ActivationKind::None;
      }
      case Op::Clip: {
        auto bounds = clamp_of(graph_, function);
        if (!bounds || bounds->a != 0 || !is(1 / double{bounds->b}, 0)) return ActivationKind::None;
        return is_about(scaled(p, factor), kHardSwish) ? ActivationKind::HardSwish : ActivationKind::None;
      }
      default:  // NOLINT: the others gate nothing
        return ActivationKind::None;
    }
  }

  static constexpr size_t kMostNodes = 16;
  static constexpr Polynomial kHardSwish = {0.5, 1.0 / 6, 0, 0};

  const RewriteSite& site_;
  const Graph& graph_;
  std::vector<NodeId> nodes_;  // the product first
};

Result<std::optional<Patch>> recognize(const RewriteSite& site, NodeId id) {
  const Node& node = site.graph[id];
  bool is_product = node.op == Op::Mul || node.op == Op::Div;
  if (!is_product || site.graph[node.outputs[0]].type.dtype != DType::Float32) return std::nullopt;
  if (activation_of(node).kind != ActivationKind::None) return std::nullopt;
  Match match(site, id);
  match.flatten(id);
  if (match.factors.size() != 2 || !match.factors[0] || !match.factors[1]) return std::nullopt;
  size_t product = match.size();
  for (size_t k = 0; k < 2; ++k) {
    match.restart(product);
    ValueId x = match.factors[k];
    ActivationKind kind = match.activation(match.factors[1 - k], x);
    if (kind == ActivationKind::None || !match.is_alone()) continue;
    if (kind == ActivationKind::HardSwish) {
      std::optional<Patch> patch;
      patch.emplace(site.graph, "fuse_activation", id);
      patch->replace(node.outputs[0], TRY(patch->add_node(Op::HardSwish, {x})));
      return patch;
    }
    if (!match.takes_producer_of(x)) continue;
    const Node& producer = site.graph[site.graph[x].producer];
    if (takes_activation(site.graph, producer)) return activated(site, id, producer, {kind, 0, 0});
  }
  return std::nullopt;
}

}  // namespace

Result<size_t> fuse_activation(Graph& graph, PassContext& context) {
  size_t recognized = TRY(rewrite(graph, context, recognize));
  return recognized + TRY(rewrite(graph, context, fuse));
}

}  // namespace fuselane
