// Nodes that only rearrange elements are merged with each other:
//
//   a Transpose of a Transpose            one Transpose, or none
//   a Transpose undone after elementwise  none: each element is computed from the same elements wherever they
//   operators                             stand
//   a Transpose that moves axes of 1      a Reshape: the elements stay in their order
//   a Reshape (Flatten, Squeeze,          one Reshape: all of them keep the order, so that only the last
//   shape Unsqueeze) of another                 counts MatMul by a transposed constant       Gemm with
//   transB, where the constant was too large to be folded
//
// What is in between may be read elsewhere, save where elementwise operators move: they would be computed
// twice.
#include <algorithm>
#include <numeric>

#include "optimize/nodes.h"
#include "optimize/rewrite.h"

namespace fuselane {
namespace {

using Permutation = std::vector<int64_t>;

std::optional<Permutation> permutation_of(const Graph& graph, const Node& node) {
  auto stated = node.integers(Attr::Permutation);
  if (!stated.empty()) return Permutation(stated.begin(), stated.end());
  const auto& dims = graph[node.inputs[0]].type.dims;
  if (!dims) return std::nullopt;
  Permutation reversed(dims->size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

bool is_identity(const Permutation& permutation) { return std::ranges::is_sorted(permutation); }

// The one Transpose that does `first` and then `second`.
std::optional<Permutation> composed(const Graph& graph, const Node& first, const Node& second) {
  auto inner = permutation_of(graph, first);
  auto outer = permutation_of(graph, second);
  if (!inner || !outer || inner->size() != outer->size()) return std::nullopt;
  for (int64_t& axis : *outer) axis = (*inner)[static_cast<size_t>(axis)];
  return outer;
}

bool reshapes(Op op) {
  return op == Op::Reshape || op == Op::Flatten || op == Op::Squeeze || op == Op::Unsqueeze;
}

// A constant target that makes a Reshape of `from` give `to`: extents by number, those of the same place
// copied, and at most one that is left to follow from the others.
std::optional<std::vector<int64_t>> reshape_target(const DimVector& from, const DimVector& to) {
  std::vector<int64_t> target;
  bool open = false;
  for (size_t axis = 0; axis < to.size(); ++axis) {
    bool copied = axis < from.size() && same_extent(from[axis], to[axis]);
    if (to[axis].extent > 0) {
      target.push_back(to[axis].extent);
    } else if (copied) {
      target.push_back(0);
    } else if (!to[axis].known() && !open) {
      target.push_back(-1);
      open = true;
    } else {
      return std::nullopt;
    }
  }
  return target;
}

class Change {
 public:
  Change(const RewriteSite& site, NodeId id) : site_(site), id_(id), node_(site.graph[id]) {
    patch_.emplace(site.graph, "merge_transposes", id);
  }
  Result<std::optional<Patch>> replace_by(ValueId value) {
    patch_->replace(node_.outputs[0], value);
    return std::move(patch_);
  }
  Result<std::optional<Patch>> replace_by(Op op, std::vector<ValueId> inputs, Attributes attributes) {
    return replace_by(TRY(patch_->add_node(op, std::move(inputs), std::move(attributes))));
  }
  // By a Reshape of `source` to the node's own dimensions, where a constant can name these.
  Result<std::optional<Patch>> reshape(ValueId source) {
    const auto& from = site_.graph[source].type.dims;
    const auto& to = site_.graph[node_.outputs[0]].type.dims;
    auto target = from && to ? reshape_target(*from, *to) : std::nullopt;
    if (!target) return std::nullopt;
    Dims dims{static_cast<int64_t>(target->size())};
    ValueId constant = patch_->add_constant(TRY(Tensor::of_ints(DType::Int64, std::move(dims), *target)));
    return replace_by(Op::Reshape, {source, constant}, {});
  }
  Patch& patch() { return *patch_; }

 private:
  const RewriteSite& site_;
  NodeId id_;
  const Node& node_;
  std::optional<Patch> patch_;
};

// Whether the axes of more than one element keep their order.
bool moves_units_only(const Graph& graph, const Node& transpose) {
  const auto& dims = graph[transpose.inputs[0]].type.dims;
  auto permutation = permutation_of(graph, transpose);
  if (!dims || !permutation) return false;
  std::erase_if(*permutation, [&](int64_t axis) { return (*dims)[static_cast<size_t>(axis)] == Dim(1); });
  return std::ranges::is_sorted(*permutation);
}

// Whether each element comes from one element of operand 0 and from numbers.
bool is_elementwise(const Graph& graph, const Node& node) {
  if (is_elementwise_of_one(node.op)) return true;
  switch (node.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Pow: {
      // With a number without axes, which leaves every shape as it is.
      const Constant* constant = graph.constant_of(node.inputs[1]);
      return constant && constant->dims.empty();
    }
    default:  // NOLINT: the others look at more than one element, or at where it stands
      return false;
  }
}

// Longer chains of elementwise operators between two transposes are not looked through.
constexpr size_t kLongestChain = 8;

// The chain Transpose, elementwise, ..., `id`, a Transpose that undoes the first one.
Result<std::optional<Patch>> cancel_around(const RewriteSite& site, NodeId id) {
  std::vector<const Node*> chain;
  const Node* node = site.sole_producer(site.graph[id].inputs[0], id);
  NodeId reader = id;
  while (node && is_elementwise(site.graph, *node) && chain.size() < kLongestChain) {
    chain.push_back(node);
    reader = site.graph[site.graph[reader].inputs[0]].producer;
    node = site.sole_producer(node->inputs[0], reader);
  }
  if (chain.empty() || !node || node->op != Op::Transpose) return std::nullopt;
  auto both = composed(site.graph, *node, site.graph[id]);
  if (!both || !is_identity(*both)) return std::nullopt;
  Change change(site, id);
  ValueId value = node->inputs[0];
  for (size_t i = chain.size(); i-- > 0;) {
    std::vector<ValueId> inputs = chain[i]->inputs;
    inputs[0] = value;
    value = TRY(change.patch().add_node(chain[i]->op, std::move(inputs), chain[i]->attributes));
  }
  return change.replace_by(value);
}

Result<std::optional<Patch>> merge_transpose(const RewriteSite& site, NodeId id) {
  const Node& node = site.graph[id];
  ValueId x = node.inputs[0];
  if (const Node* first = made_by(site.graph, x, Op::Transpose)) {
    auto both = composed(site.graph, *first, node);
    if (!both) return std::nullopt;
    Change change(site, id);
    ValueId source = first->inputs[0];
    if (is_identity(*both)) return change.replace_by(source);
    return change.replace_by(Op::Transpose, {source}, {{Attr::Permutation, *std::move(both)}});
  }
  if (moves_units_only(site.graph, node)) return Change(site, id).reshape(x);
  return cancel_around(site, id);
}

Result<std::optional<Patch>> merge_reshape(const RewriteSite& site, NodeId id) {
  NodeId producer = site.graph[site.graph[id].inputs[0]].producer;
  if (!producer || !reshapes(site.graph[producer].op)) return std::nullopt;
  return Change(site, id).reshape(site.graph[producer].inputs[0]);
}

Result<std::optional<Patch>> merge_matmul(const RewriteSite& site, NodeId id) {
  const Node& node = site.graph[id];
  const Node* transpose = made_by(site.graph, node.inputs[1], Op::Transpose);
  if (!transpose || !site.graph.constant_of(transpose->inputs[0])) return std::nullopt;
  const auto& left = site.graph[node.inputs[0]].type.dims;
  const auto& right = site.graph[transpose->inputs[0]].type.dims;
  auto permutation = permutation_of(site.graph, *transpose);
  bool are_matrices = left && right && left->size() == 2 && right->size() == 2;
  if (!are_matrices || !permutation || is_identity(*permutation)) return std::nullopt;
  std::vector<ValueId> inputs = node.inputs;
  inputs[1] = transpose->inputs[0];
  Attributes attributes = node.attributes;
  attributes.set(Attr::TransB, int64_t{1});
  return Change(site, id).replace_by(Op::Gemm, std::move(inputs), std::move(attributes));
}

Result<std::optional<Patch>> merge(const RewriteSite& site, NodeId id) {
  Op op = site.graph[id].op;
  if (op == Op::Transpose) return merge_transpose(site, id);
  if (reshapes(op)) return merge_reshape(site, id);
  if (op == Op::MatMul) return merge_matmul(site, id);
  return std::nullopt;
}

}  // namespace

Result<size_t> merge_transposes(Graph& graph, PassContext& context) { return rewrite(graph, context, merge); }

}  // namespace fuselane
