// Nodes whose result is one of their operands, element for element, go, and readers read the operand.
//
// What has to hold for every one of them: result and operand have the same type and shape, so that a constant
// that broadcasts may not enlarge; and the elements are the same, exactly. x * 1, x / 1, x ^ 1, x - 0 and
// x + -0 give every float back, NaN, infinities and both zeros included; x + 0 makes 0 of -0, and stays. A
// dimension that is known only by its symbol is the same where the symbol is.
#include <algorithm>
#include <cmath>

#include "graph/ops.h"
#include "graph/patch.h"
#include "optimize/nodes.h"
#include "optimize/passes.h"

namespace fuselane {
namespace {

// A float type: integers of how many bits (the sign not counted) are all among its numbers, and its place
// among the types of which each holds all numbers of those before.
struct Precision {
  DType dtype;
  int integer_bits;
  int place;
};
constexpr Precision kPrecisions[] = {{DType::Float16, 11, 0},
                                     {DType::BFloat16, 8, 0},  // neither holds the other
                                     {DType::Float32, 24, 1},
                                     {DType::Float64, 53, 2}};

const Precision* precision_of(DType dtype) {
  auto found = std::ranges::find(kPrecisions, dtype, &Precision::dtype);
  return found == std::end(kPrecisions) ? nullptr : found;
}

int magnitude_bits(DType dtype) { return bits_of(dtype) - (kind_of(dtype) == DTypeKind::Signed ? 1 : 0); }

// Whether every number of type `from` is one of type `to`.
bool holds_all_of(DType to, DType from) {
  if (from == to) return true;
  if (from == DType::Bool) return is_number(to);
  const Precision* wide = precision_of(to);
  if (is_integer(from) && wide) return wide->integer_bits >= magnitude_bits(from);
  if (is_integer(from) && is_integer(to)) {
    bool sign_fits = kind_of(from) == DTypeKind::Unsigned || kind_of(to) == DTypeKind::Signed;
    return sign_fits && magnitude_bits(to) >= magnitude_bits(from);
  }
  const Precision* narrow = precision_of(from);
  return wide && narrow && wide->place > narrow->place;
}

class NoOps {
 public:
  explicit NoOps(const Graph& graph) : graph_(graph) {}

  // The value that the node's result is the same as; none when there is none.
  ValueId same_as(const Node& node) const {
    if (activation_of(node).kind != ActivationKind::None) return ValueId();
    ValueId x = input_of(node, 0);
    switch (node.op) {
      case Op::Identity:
        return x;
      case Op::Reshape:
        return only_if(has_dims_of(node, x) || copies_all_dims(node), x);
      case Op::Flatten:
      case Op::Squeeze:
      case Op::Unsqueeze:
      case Op::Expand:
      case Op::Tile:
        // Elements keep their order, so that the same dimensions make the same tensor.
        return only_if(has_dims_of(node, x), x);
      case Op::Concat:
        return only_if(node.inputs.size() == 1, x);
      case Op::Split:
        return only_if(node.outputs.size() == 1, x);
      case Op::Slice:
        return only_if(has_dims_of(node, x) && steps_forward(node), x);
      case Op::Pad:
        return only_if(uniform_number(graph_, node.inputs[1]) == 0, x);
      case Op::Transpose:
        return only_if(has_dims_of(node, x) && keeps_order(node), x);
      case Op::Cast:
        return cast_source(node);
      case Op::Clip:
        return only_if(!input_of(node, 1) && !input_of(node, 2), x);
      case Op::Relu:
      case Op::Abs:
      case Op::Floor:
      case Op::Ceil:
        return only_if(made_by(graph_, x, node.op), x);  // done twice is done once
      case Op::Neg:
      case Op::Not: {
        const Node* first = made_by(graph_, x, node.op);
        return first ? first->inputs[0] : ValueId();
      }
      case Op::Where:
        return chosen(node);
      case Op::Add:
        return with_neutral(node,
                            [](double c, bool is_float) { return c == 0 && (!is_float || std::signbit(c)); });
      case Op::Mul:
        return with_neutral(node, [](double c, bool) { return c == 1; });
      case Op::Sub:
        return with_neutral_right(
            node, [](double c, bool is_float) { return c == 0 && !(is_float && std::signbit(c)); });
      case Op::Div:
      case Op::Pow:
        return with_neutral_right(node, [](double c, bool) { return c == 1; });
      case Op::And:
        return with_neutral(node, [](double c, bool) { return c == 1; });
      case Op::Or:
        return with_neutral(node, [](double c, bool) { return c == 0; });
      default:  // NOLINT: no other operator hands an operand on
        return ValueId();
    }
  }

 private:
  using IsNeutral = bool (*)(double number, bool is_float);

  static ValueId only_if(bool holds, ValueId value) { return holds ? value : ValueId(); }

  bool has_dims_of(const Node& node, ValueId value) const {
    return same_dims(graph_[node.outputs[0]].type.dims, graph_[value].type.dims);
  }

  // A target of Reshape that names every dimension of its operand, copied or by its extent; one of them may
  // be -1, which is then what is left: that dimension.
  bool copies_all_dims(const Node& node) const {
    const Tensor* target = graph_.known(node.inputs[1]);
    const auto& dims = graph_[node.inputs[0]].type.dims;
    if (!target || !dims || static_cast<size_t>(target->count()) != dims->size()) return false;
    bool zero_copies = !node.flag(Attr::AllowZero);
    for (size_t axis = 0; axis < dims->size(); ++axis) {
      int64_t extent = target->integer(static_cast<int64_t>(axis));
      bool copied = (extent == 0 && zero_copies) || extent == -1;
      if (!copied && (extent < 1 || (*dims)[axis] != Dim(extent))) return false;
    }
    return true;
  }

  bool steps_forward(const Node& node) const {
    ValueId steps = input_of(node, 4);
    if (!steps) return true;
    const Tensor* known = graph_.known(steps);
    return known && std::ranges::all_of(known->integers(), [](int64_t step) { return step > 0; });
  }

  // Axes of extent 1 may stand anywhere; the others must keep their order.
  bool keeps_order(const Node& node) const {
    auto permutation = node.integers(Attr::Permutation);
    const DimVector& dims = *graph_[node.inputs[0]].type.dims;
    if (permutation.empty()) return dims.size() < 2;
    int64_t last = -1;
    for (int64_t axis : permutation) {
      if (dims[static_cast<size_t>(axis)] == Dim(1)) continue;
      if (axis < last) return false;
      last = axis;
    }
    return true;
  }

  // Where nothing is lost on the way there, casting back gives the source.
  ValueId cast_source(const Node& node) const {
    ValueId x = node.inputs[0];
    DType to = node.dtype(Attr::To);
    if (graph_[x].type.dtype == to) return x;
    const Node* first = made_by(graph_, x, Op::Cast);
    if (!first) return ValueId();
    DType source = graph_[first->inputs[0]].type.dtype;
    return only_if(source == to && holds_all_of(graph_[x].type.dtype, source), first->inputs[0]);
  }

  ValueId chosen(const Node& node) const {
    auto condition = uniform_number(graph_, node.inputs[0]);
    if (!condition) return ValueId();
    ValueId taken = node.inputs[*condition != 0 ? 1 : 2];
    return only_if(has_dims_of(node, taken), taken);
  }

  ValueId unless_changed(const Node& node, size_t x, size_t constant, IsNeutral is_neutral) const {
    auto number = number_beside(graph_, node, constant);
    bool floats = is_float(graph_[node.inputs[constant]].type.dtype);
    return only_if(number && is_neutral(*number, floats), node.inputs[x]);
  }
  ValueId with_neutral_right(const Node& node, IsNeutral is_neutral) const {
    return unless_changed(node, 0, 1, is_neutral);
  }
  ValueId with_neutral(const Node& node, IsNeutral is_neutral) const {
    ValueId x = with_neutral_right(node, is_neutral);
    return x ? x : unless_changed(node, 1, 0, is_neutral);
  }

  const Graph& graph_;
};

// A cast of a cast reads the first one's operand where the first loses nothing: the second then sees the same
// numbers. Returns how many.
size_t skip_casts(Graph& graph) {
  size_t count = 0;
  for (NodeId id : nodes_in_order(graph)) {
    if (graph[id].op != Op::Cast) continue;
    const Node* first = made_by(graph, graph[id].inputs[0], Op::Cast);
    if (!first || !holds_all_of(first->dtype(Attr::To), graph[first->inputs[0]].type.dtype)) continue;
    ValueId source = first->inputs[0];
    graph.at(id).inputs[0] = source;
    ++count;
  }
  return count;
}

}  // namespace

Result<size_t> remove_no_ops(Graph& graph, PassContext&) {
  size_t count = skip_casts(graph);
  if (graph.main().nodes.empty()) return count;
  std::vector<ValueId> instead(graph.value_count());
  for (size_t i = 0; i < instead.size(); ++i) instead[i] = ValueId(i);
  Patch patch(graph, "remove_no_ops", graph.main().nodes[0]);
  NoOps no_ops(graph);
  size_t removed = 0;
  for (NodeId id : nodes_in_order(graph)) {
    const Node& node = graph[id];
    if (node.outputs.empty() || !node.outputs[0]) continue;
    ValueId same = no_ops.same_as(node);
    if (!same) continue;
    instead[node.outputs[0].index] = instead[same.index];
    patch.replace(node.outputs[0], instead[same.index]);
    ++removed;
  }
  if (removed > 0) TRY(std::move(patch).apply(graph));
  return count + removed;
}

}  // namespace fuselane
