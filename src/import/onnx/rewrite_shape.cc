// Operators that move elements: what older opsets state as attributes becomes operands.
#include "base/checked.h"
#include "graph/ops.h"
#include "import/onnx/build.h"
#include "import/onnx/rewrites.h"
#include "import/onnx/tensor.h"

namespace fuselane {
namespace {

// The node with one more operand, the list that an attribute states.
Status finish_with_list(NodeImport& node, Op op, std::string_view name) {
  auto list = TRY(node.integers(name));
  Attributes attributes = TRY(node.rest(op));
  if (node.inputs.size() != 1) {
    return node.refuse(cat("takes 1 inputs in opset ", node.opset, ", not ", node.inputs.size()));
  }
  if (!list) return node.finish(op, node.inputs, std::move(attributes));
  ValueId operand = TRY(node.integer_list(name, *list));
  return node.finish(op, {node.inputs[0], operand}, std::move(attributes));
}

}  // namespace

Status rewrite_axes(NodeImport& node) {
  if (node.opset >= 13) return import_directly(node);
  return finish_with_list(node, *op_of_text(node.def.op_type), "axes");
}

// Opset 18 may state how many parts there are: all of the extent divided by their number and rounded up, the
// last one what is left.
Status rewrite_split(NodeImport& node) {
  if (node.opset < 13) return finish_with_list(node, Op::Split, "split");
  auto parts = TRY(node.integer("num_outputs"));
  if (!parts) return import_directly(node);
  if (node.has(1)) return node.refuse("has both a split and num_outputs");
  if (!node.has(0)) return node.refuse("input 0 is missing");
  if (*parts != static_cast<int64_t>(node.output_count())) {
    return node.refuse(cat("num_outputs is ", *parts, ", it has ", node.output_count(), " outputs"));
  }
  Attributes attributes = TRY(node.rest(Op::Split));
  const AttrValue* stated = attributes.find(Attr::Axis);
  auto rank = node.rank(0);
  auto axis = rank ? normalize_axis(stated ? std::get<int64_t>(*stated) : 0, *rank) : std::nullopt;
  Dim extent = axis ? (*node.type(0).dims)[static_cast<size_t>(*axis)] : Dim();
  // Without the extent, equal parts are the only ones the graph can state.
  if (!extent.known()) return node.finish(Op::Split, node.inputs, std::move(attributes));
  int64_t each = extent.extent / *parts + (extent.extent % *parts != 0);
  std::vector<int64_t> sizes(node.output_count(), each);
  auto before = checked_mul(each, *parts - 1);
  if (!before || *before > extent.extent) {
    return node.refuse(cat("an extent of ", extent.extent, " does not make ", *parts, " parts of ", each));
  }
  sizes.back() = extent.extent - *before;
  ValueId split = TRY(node.integer_list("split", sizes));
  return node.finish(Op::Split, {node.inputs[0], split}, std::move(attributes));
}

Status rewrite_slice(NodeImport& node) {
  if (node.opset >= 10) return import_directly(node);
  auto starts = TRY(node.integers("starts"));
  auto ends = TRY(node.integers("ends"));
  auto axes = TRY(node.integers("axes"));
  if (!starts || !ends) return node.refuse("attributes 'starts' and 'ends' must be there");
  if (!node.has(0)) return node.refuse("input 0 is missing");
  std::vector<ValueId> operands = {node.inputs[0], TRY(node.integer_list("starts", *starts)),
                                   TRY(node.integer_list("ends", *ends))};
  if (axes) operands.push_back(TRY(node.integer_list("axes", *axes)));
  return node.finish(Op::Slice, std::move(operands));
}

Status rewrite_pad(NodeImport& node) {
  if (node.opset >= 11) return import_directly(node);
  auto pads = TRY(node.integers("pads"));
  double value = TRY(node.number("value")).value_or(0);
  Attributes attributes = TRY(node.rest(Op::Pad));
  if (!pads) return node.refuse("attribute 'pads' is missing");
  if (!node.has(0)) return node.refuse("input 0 is missing");
  std::vector<ValueId> operands = {node.inputs[0], TRY(node.integer_list("pads", *pads))};
  if (value != 0) {
    Tensor scalar = TRY(Tensor::of_numbers(node.type(0).dtype, {}, std::span(&value, 1)));
    operands.push_back(TRY(node.constant("value", std::move(scalar))));
  }
  return node.finish(Op::Pad, std::move(operands), std::move(attributes));
}

// The value, a scalar, expanded to the shape.
Status rewrite_constant_of_shape(NodeImport& node) {
  const AttributeDef* attribute = TRY(node.tensor("value"));
  Constant value;
  if (attribute) {
    value = TRY(constant_of(*attribute->tensor, node.builder().window()));
    if (!value.data || value.data->count() != 1 || !is_number(value.dtype)) {
      return node.refuse(cat("its value must be one number, not ", text_of(value.dtype, value.dims)));
    }
  }
  Tensor scalar = TRY(Tensor::allocate(value.dtype, {}));
  if (attribute) std::memcpy(scalar.bytes().data(), value.data->bytes().data(), scalar.bytes().size());
  if (!node.has(0)) return node.refuse("input 0 is missing");
  return node.finish(Op::Expand, {TRY(node.constant("value", std::move(scalar))), node.inputs[0]});
}

}  // namespace fuselane
