// Arithmetic on shapes goes where it follows from dimensions: what comes to numbers becomes a constant, and
// an operand that comes to formulas of symbols becomes a constant where the operator can say the same in one:
//
//   Reshape   an extent that is the operand's own at this place is 0, which copies it; one that is what the
//             others leave is -1
//   Expand    an extent that is the operand's own is 1, which leaves it
//   Slice     an end that is the operand's extent is the largest integer, which is clamped to it
//
// On the way, in the order of the graph, every type is derived again from the types and values before it, and
// recorded with what that adds.
#include <algorithm>
#include <limits>

#include "graph/verify.h"
#include "optimize/known_integers.h"
#include "optimize/nodes.h"
#include "optimize/passes.h"

namespace fuselane {
namespace {

class ShapeFolder {
 public:
  explicit ShapeFolder(Graph& graph) : graph_(graph), folds_(graph), integers_(graph, folds_) {}

  Result<size_t> run() {
    for (NodeId id : nodes_in_order(graph_)) {
      auto operand = TRY(constant_operand(graph_[id]));
      refine_results(id, operand);
      TRY(integers_.visit(graph_[id]));
      if (operand) operands_.push_back({id, *std::move(operand)});
    }
    size_t folded = TRY(std::move(folds_).apply(graph_, "fold_shapes"));
    for (auto& [id, operand] : operands_) {
      std::string name = graph_.fresh_name(graph_[graph_[id].inputs[operand.index]].name);
      ValueId constant = graph_.add_constant(std::move(name), std::move(operand.tensor));
      graph_.at(id).inputs[operand.index] = constant;
    }
    return folded + operands_.size() + refined_;
  }

 private:
  // A constant that may stand in for operand `index` of a node.
  struct ConstantOperand {
    size_t index;
    Tensor tensor;
  };
  struct Change {
    NodeId node;
    ConstantOperand operand;
  };

  Result<std::optional<ConstantOperand>> constant_operand(const Node& node) {
    std::optional<std::vector<int64_t>> numbers;
    size_t index = 1;
    if (node.op == Op::Reshape) {
      numbers = reshape_target(node);
    } else if (node.op == Op::Expand) {
      numbers = expand_target(node);
    } else if (node.op == Op::Slice) {
      index = 2;
      numbers = slice_ends(node);
    }
    std::optional<ConstantOperand> operand;
    if (!numbers) return operand;
    Dims dims{static_cast<int64_t>(numbers->size())};
    DType dtype = graph_[node.inputs[index]].type.dtype;
    operand = {index, TRY(Tensor::of_ints(dtype, std::move(dims), *numbers))};
    return operand;
  }

  // The list when it has formulas; nothing when it is constant already, or nothing is known.
  std::optional<IntegerList> formulas(ValueId value) const {
    if (folds_.find(value)) return std::nullopt;
    return integers_.find(value);
  }

  std::optional<std::vector<int64_t>> reshape_target(const Node& node) {
    auto extents = formulas(node.inputs[1]);
    const auto& dims = graph_[node.inputs[0]].type.dims;
    if (!extents || !dims || node.flag(Attr::AllowZero)) return std::nullopt;
    std::vector<int64_t> target;
    std::vector<bool> copied(dims->size());
    std::optional<size_t> open;  // where -1 is to stand for a formula
    for (size_t j = 0; j < extents->size(); ++j) {
      const MaybeInt& extent = (*extents)[j];
      if (!extent) return std::nullopt;
      bool same = j < dims->size() && *extent == integers_.atoms().dim(node.inputs[0], j);
      if (extent->is_number() && !(same && extent->constant > 0)) {
        if (extent->constant == 0 && j < dims->size()) copied[j] = true;
        target.push_back(extent->constant);
      } else if (same) {
        // Also when the extent is 0 in a run: there 0 copies it too.
        copied[j] = true;
        target.push_back(extent->is_number() ? extent->constant : 0);
      } else {
        if (open) return std::nullopt;
        open = j;
        target.push_back(-1);
      }
    }
    if (std::ranges::count(target, -1) > 1) return std::nullopt;
    if (open && !is_what_is_left(node.inputs[0], copied, target, *(*extents)[*open])) return std::nullopt;
    return target;
  }

  // Whether `extent` is the one that -1 stands for in the target: times the extents written as numbers it is
  // the product of the operand's dimensions that are not copied. (Copied ones are factors of both sides, and
  // -1 is derived without them.)
  bool is_what_is_left(ValueId x, const std::vector<bool>& copied, const std::vector<int64_t>& target,
                       const SymbolicInt& extent) {
    MaybeInt left = SymbolicInt::number(1);
    for (size_t axis = 0; axis < copied.size(); ++axis) {
      if (!copied[axis]) left = left ? multiply(*left, integers_.atoms().dim(x, axis)) : left;
    }
    MaybeInt right = extent;
    for (size_t j = 0; j < target.size(); ++j) {
      bool counts = target[j] > 0 && !(j < copied.size() && copied[j]);
      if (counts && right) right = multiply(*right, SymbolicInt::number(target[j]));
    }
    return left && right && *left == *right;
  }

  std::optional<std::vector<int64_t>> expand_target(const Node& node) {
    auto extents = formulas(node.inputs[1]);
    const auto& dims = graph_[node.inputs[0]].type.dims;
    if (!extents || !dims) return std::nullopt;
    std::vector<int64_t> target;
    for (size_t j = 0; j < extents->size(); ++j) {
      const MaybeInt& extent = (*extents)[j];
      if (!extent) return std::nullopt;
      size_t axis = j + dims->size() - extents->size();  // wraps where the operand has no such axis
      if (extent->is_number()) {
        target.push_back(extent->constant);
      } else if (axis < dims->size() && *extent == integers_.atoms().dim(node.inputs[0], axis)) {
        target.push_back(1);
      } else {
        return std::nullopt;
      }
    }
    return target;
  }

  // Legal for steps forward only: going backward the end is not clamped to the extent.
  std::optional<std::vector<int64_t>> slice_ends(const Node& node) {
    auto ends = formulas(node.inputs[2]);
    const auto& dims = graph_[node.inputs[0]].type.dims;
    if (!ends || !dims) return std::nullopt;
    auto axes = input_of(node, 3) ? integers_.find(node.inputs[3]) : std::nullopt;
    auto steps = input_of(node, 4) ? integers_.find(node.inputs[4]) : std::nullopt;
    if ((input_of(node, 3) && !axes) || (input_of(node, 4) && !steps)) return std::nullopt;
    bool narrow = graph_[node.inputs[2]].type.dtype == DType::Int32;
    int64_t most = narrow ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
    std::vector<int64_t> target;
    for (size_t k = 0; k < ends->size(); ++k) {
      const MaybeInt& end = (*ends)[k];
      if (!end) return std::nullopt;
      if (end->is_number()) {
        target.push_back(end->constant);
        continue;
      }
      MaybeInt axis = axes ? (*axes)[k] : MaybeInt(SymbolicInt::number(static_cast<int64_t>(k)));
      MaybeInt step = steps ? (*steps)[k] : MaybeInt(SymbolicInt::number(1));
      if (!axis || !axis->is_number() || !step || !step->is_number() || step->constant < 1)
        return std::nullopt;
      auto normal = normalize_axis(axis->constant, static_cast<int64_t>(dims->size()));
      if (!normal) return std::nullopt;
      if (*end != integers_.atoms().dim(node.inputs[0], static_cast<size_t>(*normal))) return std::nullopt;
      target.push_back(most);
    }
    return target;
  }

  // What the shape rule derives, knowing the values that are known here.
  void refine_results(NodeId id, const std::optional<ConstantOperand>& operand) {
    const Node& node = graph_[id];
    std::vector<Operand> operands = operands_of(graph_, node);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].present) continue;
      operands[i].value = operand && operand->index == i ? &operand->tensor : folds_.find(node.inputs[i]);
    }
    auto types = infer(node, operands, block_results_of(graph_, node));
    if (!types) return;  // a branch that is never taken may not fit; whoever runs it finds out
    for (size_t i = 0; i < types->size(); ++i) {
      if (node.outputs[i]) refine(node.outputs[i], (*types)[i]);
    }
    if (node.outputs[0]) refine_by_formulas(node);
  }

  // What rules cannot say, since they see numbers alone.
  void refine_by_formulas(const Node& node) {
    const ValueType& type = graph_[node.outputs[0]].type;
    if (node.op == Op::Range) {
      MaybeInt start = integers_.find_scalar(node.inputs[0]);
      MaybeInt limit = integers_.find_scalar(node.inputs[1]);
      MaybeInt step = integers_.find_scalar(node.inputs[2]);
      bool counts = start == SymbolicInt::number(0) && step == SymbolicInt::number(1);
      if (counts && limit)
        refine(node.outputs[0], tensor_type(type.dtype, DimVector{integers_.atoms().as_dim(limit)}));
    }
    if (node.op == Op::Expand) {
      auto extents = formulas(node.inputs[1]);
      if (!extents) return;
      DimVector target;
      for (const MaybeInt& extent : *extents) target.push_back(integers_.atoms().as_dim(extent));
      auto dims = broadcast(graph_[node.inputs[0]].type.dims, target);
      if (dims) refine(node.outputs[0], tensor_type(type.dtype, *std::move(dims)));
    }
  }

  void refine(ValueId value, const ValueType& derived) {
    const ValueType& recorded = graph_[value].type;
    if (!fits(recorded, derived)) return;
    ValueType both = refined(recorded, derived);
    if (both == recorded) return;
    graph_.at(value).type = std::move(both);
    ++refined_;
  }

  Graph& graph_;
  Folds folds_;
  KnownIntegers integers_;
  std::vector<Change> operands_;
  size_t refined_ = 0;
};

}  // namespace

Result<size_t> fold_shapes(Graph& graph, PassContext&) { return ShapeFolder(graph).run(); }

}  // namespace fuselane
