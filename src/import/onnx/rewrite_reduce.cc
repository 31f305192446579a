// Reductions, whose axes are an operand in the graph, and what is defined by them.
#include "graph/ops.h"
#include "import/onnx/rewrites.h"

namespace fuselane {

Status rewrite_reduce(NodeImport& node) {
  Op op = *op_of_text(node.def.op_type);
  bool is_operand = node.opset >= (op == Op::ReduceSum ? 13 : 18);
  auto axes = is_operand ? std::nullopt : TRY(node.integers("axes"));
  Attributes attributes = TRY(node.rest(op));
  std::vector<ValueId> operands = node.inputs;
  if (!is_operand && operands.size() > 1) {
    return node.refuse(cat("takes 1 inputs in opset ", node.opset, ", not ", operands.size()));
  }
  if (axes) operands.push_back(TRY(node.integer_list("axes", *axes)));
  return node.finish(op, std::move(operands), std::move(attributes));
}

// All dimensions but the batch and the channels, kept with extent 1.
Status rewrite_global_pool(NodeImport& node) {
  auto rank = node.rank(0);
  if (!rank) return node.unsupported("the rank of its input is not known, which this operator needs");
  if (*rank < 2) return node.refuse(cat("input 0 must have rank at least 2, not ", *rank));
  std::vector<int64_t> axes;
  for (int64_t axis = 2; axis < *rank; ++axis) axes.push_back(axis);
  // No axes would mean all of them.
  if (axes.empty()) return node.finish(Op::Identity, {node.inputs[0]});
  Op op = node.def.op_type == "GlobalMaxPool" ? Op::ReduceMax : Op::ReduceMean;
  return node.finish(op, {node.inputs[0], TRY(node.integer_list("axes", axes))});
}

// Before opset 13 the operator views its input as two dimensions, those before the axis and the rest, and
// works on the rest. That is the last axis alone where the axis is the last.
Status rewrite_softmax(NodeImport& node) {
  Op op = *op_of_text(node.def.op_type);
  if (node.opset >= 13) return import_directly(node);
  if (!node.has(0)) return node.refuse("input 0 is missing");
  int64_t axis = TRY(node.integer("axis", 1));
  auto rank = node.rank(0);
  if (rank && !normalize_axis(axis, *rank)) {
    return node.refuse(cat("axis ", axis, " is outside a tensor of rank ", *rank));
  }
  if (axis == -1 || (rank && *normalize_axis(axis, *rank) == *rank - 1)) {
    return node.finish(op, {node.inputs[0]}, {{Attr::Axis, int64_t{-1}}});
  }
  ValueId flat = TRY(node.emit("flat", Op::Flatten, {node.inputs[0]}, {{Attr::Axis, axis}}));
  ValueId soft = TRY(node.emit("soft", op, {flat}, {{Attr::Axis, int64_t{-1}}}));
  ValueId shape = TRY(node.shape_of(0));
  return node.finish(Op::Reshape, {soft, shape}, {{Attr::AllowZero, int64_t{1}}});
}

}  // namespace fuselane
