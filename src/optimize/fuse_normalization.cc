// The ways in which exporters write the normalization of rows become one operator:
//
//   d / sqrt(mean(d^2) + epsilon)    LayerNormalization, where d is x - mean(x)
//   x / sqrt(mean(x^2) + epsilon)    RMSNormalization
//   those times a scale, plus a bias operands 1 and 2
//
// The square is a Pow or a Mul, the root a Sqrt or a Pow, the quotient a Div or a Mul by the reciprocal; a
// scale may stand before or behind it; factors and terms stand in any order; d may be computed twice.
//
// Legal where the means are those of the same trailing axes, which stay as axes of extent 1; where a scale
// and a bias have an element for each of a row and leave the shape as it is, constant or not; where nothing
// else reads what is between; and for float32, since narrower floats round at each node. The operator does
// the same arithmetic, so that what is not finite stays so, but for the order of its sums and of two
// multiplications: a scale that was multiplied first may have overflowed. Epsilon must not be negative or
// NaN.
#include <algorithm>

#include "graph/ops.h"
#include "optimize/nodes.h"
#include "optimize/rewrite.h"

namespace fuselane {
namespace {

bool is_plain(const Node& node, Op op) {
  return node.op == op && activation_of(node).kind == ActivationKind::None;
}

// Whether the value has an element for each of a row of the last `axes` axes of x, and leaves x its shape.
bool fits_rows(const Graph& graph, ValueId value, ValueId x, size_t axes) {
  const ValueType& type = graph[value].type;
  const DimVector& rows = *graph[x].type.dims;
  if (type.dtype != DType::Float32 || !type.dims || type.dims->size() > rows.size()) return false;
  const DimVector& dims = *type.dims;
  for (size_t i = 0; i < std::max(axes, dims.size()); ++i) {
    // From the last axis on; an axis that is not there has extent 1.
    Dim own = i < dims.size() ? dims[dims.size() - 1 - i] : Dim(1);
    Dim wanted = i < axes ? rows[rows.size() - 1 - i] : Dim(1);
    if (!same_extent(own, wanted)) return false;
  }
  return true;
}

// Follows a normalization from its quotient backwards. One that has not found it is done with.
class Match {
 public:
  Match(const RewriteSite& site, NodeId quotient) : site_(site), graph_(site.graph), nodes_{quotient} {}

  ValueId x;
  size_t axes = 0;
  double epsilon = 0;
  bool centered = false;

  // Whether numerator / root, or numerator * root where that is a reciprocal, is a normalization; with
  // `may_center`, of x where it is one of x - mean(x).
  bool run(ValueId numerator, ValueId root, bool reciprocal, bool may_center) {
    ValueId square = squared(mean_of(shifted(radicand(root, reciprocal))));
    if (!square || graph_[square].type.dtype != DType::Float32) return false;
    size_t squared_axes = axes;
    if (ValueId center = may_center ? center_of(square) : ValueId(); center && axes == squared_axes) {
      x = center;
      centered = true;
      return numerator == square || (center_of(numerator) == x && axes == squared_axes);
    }
    axes = squared_axes;
    x = square;
    return numerator == square;
  }

  // To be asked after run().
  bool is_alone() const { return site_.may_become_one(nodes_); }
  // The node of this operator behind a value, which becomes part of the match; null for other values.
  const Node* take(ValueId value, Op op) {
    const Node* node = value ? made_by(graph_, value, op) : nullptr;
    if (!node || !is_plain(*node, op)) return nullptr;
    NodeId id = graph_[value].producer;
    if (!std::ranges::contains(nodes_, id)) nodes_.push_back(id);
    return node;
  }

 private:
  // The value that this one is a power of.
  ValueId power(ValueId value, double exponent) {
    const Node* node = made_by(graph_, value, Op::Pow);
    if (!node || number_beside(graph_, *node, 1) != exponent) return ValueId();
    return take(value, Op::Pow)->inputs[0];
  }
  // What the root, or its reciprocal, is the root of.
  ValueId radicand(ValueId root, bool reciprocal) {
    if (reciprocal) {
      if (ValueId base = power(root, -0.5)) return base;
      const Node* division = take(root, Op::Div);
      if (!division || number_beside(graph_, *division, 0) != 1) return ValueId();
      root = division->inputs[1];
    }
    if (ValueId base = power(root, 0.5)) return base;
    const Node* sqrt = take(root, Op::Sqrt);
    return sqrt ? sqrt->inputs[0] : ValueId();
  }
  // What epsilon is added to; the value itself where nothing is.
  ValueId shifted(ValueId value) {
    const Node* sum = take(value, Op::Add);
    for (size_t k = 0; sum && k < 2; ++k) {
      auto number = number_beside(graph_, *sum, k);
      if (!number || !(*number >= 0)) continue;
      epsilon = *number;
      return sum->inputs[1 - k];
    }
    return value;
  }
  // What the value is the mean of, along the last `axes` axes.
  ValueId mean_of(ValueId value) {
    const Node* mean = take(value, Op::ReduceMean);
    if (!mean || !mean->flag(Attr::KeepDims)) return ValueId();
    const auto& dims = graph_[mean->inputs[0]].type.dims;
    const Tensor* known = input_of(*mean, 1) ? graph_.known(mean->inputs[1]) : nullptr;
    if (!dims || (input_of(*mean, 1) && !known)) return ValueId();
    bool listed = known && known->count() > 0;
    if (!listed && mean->flag(Attr::NoopWithEmptyAxes)) return ValueId();
    auto rank = static_cast<int64_t>(dims->size());
    axes = listed ? static_cast<size_t>(known->count()) : dims->size();
    for (int64_t k = rank - static_cast<int64_t>(axes); listed && k < rank; ++k) {
      auto stated = known->integers();
      if (!std::ranges::contains(stated, k) && !std::ranges::contains(stated, k - rank)) return ValueId();
    }
    return axes > 0 ? mean->inputs[0] : ValueId();
  }
  ValueId squared(ValueId value) {
    if (!value) return ValueId();
    if (ValueId base = power(value, 2)) return base;
    const Node* product = take(value, Op::Mul);
    return product && product->inputs[0] == product->inputs[1] ? product->inputs[0] : ValueId();
  }
  // x of x - mean(x).
  ValueId center_of(ValueId value) {
    const Node* difference = made_by(graph_, value, Op::Sub);
    if (!difference || !is_plain(*difference, Op::Sub)) return ValueId();
    size_t before = nodes_.size();
    if (mean_of(difference->inputs[1]) == difference->inputs[0]) {
      take(value, Op::Sub);
      return difference->inputs[0];
    }
    nodes_.resize(before);
    return ValueId();
  }

  const RewriteSite& site_;
  const Graph& graph_;
  std::vector<NodeId> nodes_;  // the quotient first
};

Result<std::optional<Patch>> replaced(const RewriteSite& site, NodeId id, Op op, std::vector<ValueId> inputs,
                                      Attributes attributes) {
  std::optional<Patch> patch;
  patch.emplace(site.graph, "fuse_normalization", id);
  ValueId result = TRY(patch->add_node(op, std::move(inputs), std::move(attributes)));
  patch->replace(site.graph[id].outputs[0], result);
  return patch;
}

// Where a scale is among the factors.
enum class Scaled : uint8_t { Nothing, Numerator, Root };

// numerator / root, or numerator * root, as one operator, with the second or first factor of a part as scale.
Result<std::optional<Patch>> normalize(const RewriteSite& site, NodeId id, ValueId numerator, ValueId root,
                                       bool reciprocal, Scaled scaled, bool second) {
  for (bool may_center : {true, false}) {
    Match match(site, id);
    ValueId parts[] = {numerator, root};
    ValueId scale;
    if (scaled != Scaled::Nothing) {
      ValueId& part = parts[scaled == Scaled::Root];
      const Node* product = match.take(part, Op::Mul);
      if (!product) return std::nullopt;
      part = product->inputs[second ? 0 : 1];
      scale = product->inputs[second ? 1 : 0];
    }
    if (!match.run(parts[0], parts[1], reciprocal, may_center) || !match.is_alone()) continue;
    if (scale && !fits_rows(site.graph, scale, match.x, match.axes)) continue;
    std::vector<ValueId> inputs{match.x};
    if (scale) inputs.push_back(scale);
    return replaced(site, id, match.centered ? Op::LayerNormalization : Op::RMSNormalization,
                    std::move(inputs),
                    {{Attr::Axis, -static_cast<int64_t>(match.axes)}, {Attr::Epsilon, match.epsilon}});
  }
  return std::nullopt;
}

Result<std::optional<Patch>> normalize(const RewriteSite& site, NodeId id, ValueId numerator, ValueId root,
                                       bool reciprocal) {
  for (Scaled scaled : {Scaled::Nothing, Scaled::Numerator, Scaled::Root}) {
    for (bool second : {false, true}) {
      auto patch = TRY(normalize(site, id, numerator, root, reciprocal, scaled, second));
      if (patch) return patch;
    }
  }
  return std::nullopt;
}

// A factor or term of a normalization that has none yet becomes its operand `place`.
Result<std::optional<Patch>> take_in(const RewriteSite& site, NodeId id, size_t place) {
  const Node& node = site.graph[id];
  for (size_t k = 0; k < 2; ++k) {
    const Node* inner = site.sole_producer(node.inputs[k], id);
    bool takes =
        inner && (inner->op == Op::LayerNormalization || (inner->op == Op::RMSNormalization && place == 1));
    if (!takes || input_of(*inner, place) || input_of(*inner, 2)) continue;
    ValueId x = inner->inputs[0];
    const auto& dims = site.graph[x].type.dims;
    if (site.graph[x].type.dtype != DType::Float32 || !dims) continue;
    int64_t axis = inner->integer(Attr::Axis);
    auto axes = static_cast<size_t>(axis < 0 ? -axis : static_cast<int64_t>(dims->size()) - axis);
    if (!fits_rows(site.graph, node.inputs[1 - k], x, axes)) continue;
    std::vector<ValueId> inputs = inner->inputs;
    inputs.resize(std::max(inputs.size(), place + 1));
    inputs[place] = node.inputs[1 - k];
    return replaced(site, id, inner->op, std::move(inputs), inner->attributes);
  }
  return std::nullopt;
}

Result<std::optional<Patch>> fuse(const RewriteSite& site, NodeId id) {
  const Node& node = site.graph[id];
  if (is_plain(node, Op::Add)) return take_in(site, id, 2);
  if (is_plain(node, Op::Div)) return normalize(site, id, node.inputs[0], node.inputs[1], false);
  if (!is_plain(node, Op::Mul)) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    auto patch = TRY(normalize(site, id, node.inputs[k], node.inputs[1 - k], true));
    if (patch) return patch;
  }
  return take_in(site, id, 1);
}

}  // namespace

Result<size_t> fuse_normalization(Graph& graph, PassContext& context) {
  return rewrite(graph, context, fuse);
}

}  // namespace fuselane
