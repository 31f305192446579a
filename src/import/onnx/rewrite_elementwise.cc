// Elementwise operators and those that are nothing at inference.
#include "graph/ops.h"
#include "import/onnx/rewrites.h"

namespace fuselane {

Status import_directly(NodeImport& node) {
  auto op = op_of_text(node.def.op_type);
  if (!op) return node.refuse("is in the table without an operator of its name");
  Attributes attributes = TRY(node.rest(*op));
  return node.finish(*op, node.inputs, std::move(attributes));
}

Status rewrite_cast(NodeImport& node) {
  // Says what 8-bit floats do on overflow; no other type heeds it.
  node.ignore("saturate");
  Attributes attributes = TRY(node.rest(Op::Cast));
  DType to = std::get<DType>(*attributes.find(Attr::To));
  if (to == DType::String || (is_float(to) && bits_of(to) == 8)) {
    return node.unsupported(cat("casts to ", name_of(to), " are not supported"));
  }
  return node.finish(Op::Cast, node.inputs, std::move(attributes));
}

// Before opset 11 the bounds are attributes, and one that is not stated does not bound.
Status rewrite_clip(NodeImport& node) {
  if (node.opset >= 11) return node.finish(Op::Clip, node.inputs);
  if (!node.has(0)) return node.refuse("input 0 is missing");
  std::vector<ValueId> operands = {node.inputs[0]};
  for (std::string_view name : {"min", "max"}) {
    auto bound = TRY(node.number(name));
    operands.push_back(ValueId());
    if (!bound) continue;
    DType dtype = node.type(0).dtype;
    operands.back() = TRY(node.constant(name, TRY(Tensor::of_numbers(dtype, {}, std::span(&*bound, 1)))));
  }
  while (operands.size() > 1 && !operands.back()) operands.pop_back();
  return node.finish(Op::Clip, std::move(operands));
}

// At inference a dropout passes its input on, and its mask keeps everything.
Status rewrite_dropout(NodeImport& node) {
  if (!node.has(0)) return node.refuse("input 0 is missing");
  node.ignore("ratio");
  node.ignore("seed");
  if (node.has(2)) {
    const Tensor* training = node.known(2);
    if (!training || training->count() != 1 || training->integer(0) != 0) {
      return node.unsupported("training_mode must be a constant false: training is not supported");
    }
  }
  if (node.output_count() > 2) return node.refuse(cat("takes 1 to 2 outputs, not ", node.output_count()));
  TRY(node.finish_output(0, Op::Identity, {node.inputs[0]}));
  if (!node.wants(1)) return {};
  // Before opset 10 the mask has the type of the data.
  DType dtype = node.opset < 10 ? node.type(0).dtype : DType::Bool;
  const int64_t one = 1;
  ValueId kept = TRY(node.constant("kept", TRY(Tensor::of_ints(dtype, {}, std::span(&one, 1)))));
  ValueId shape = TRY(node.shape_of(0));
  return node.finish_output(1, Op::Expand, {kept, shape});
}

// Min, Max and Sum of any number of operands, from the left; rounding is that of pairwise operators.
Status rewrite_chain(NodeImport& node) {
  Op op = node.def.op_type == "Min" ? Op::Min : node.def.op_type == "Max" ? Op::Max : Op::Add;
  if (node.inputs.empty()) return node.refuse("takes at least 1 inputs, not 0");
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.has(i)) return node.refuse(cat("input ", i, " is missing"));
  }
  if (node.inputs.size() == 1) return node.finish(Op::Identity, {node.inputs[0]});
  ValueId so_far = node.inputs[0];
  for (size_t i = 1; i + 1 < node.inputs.size(); ++i) {
    so_far = TRY(node.emit("part", op, {so_far, node.inputs[i]}));
  }
  return node.finish(op, {so_far, node.inputs.back()});
}

}  // namespace fuselane
