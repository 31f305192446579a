// Products, convolution, normalization by statistics, resizing and recurrence.
#include "import/onnx/rewrites.h"

namespace fuselane {

// The graph's operator also takes a bias, which ONNX's does not.
Status rewrite_matmul(NodeImport& node) {
  if (node.inputs.size() > 2) return node.refuse(cat("takes 2 inputs, not ", node.inputs.size()));
  return import_directly(node);
}

// The weights say how large the kernel is; what the attribute says must agree.
Status rewrite_conv(NodeImport& node) {
  Op op = node.def.op_type == "Conv" ? Op::Conv : Op::ConvTranspose;
  auto kernel = TRY(node.integers("kernel_shape"));
  if (kernel && node.has(1) && node.type(1).dims) {
    const DimVector& weights = *node.type(1).dims;
    bool fits = weights.size() == kernel->size() + 2;
    for (size_t i = 0; fits && i < kernel->size(); ++i) {
      fits = !weights[i + 2].known() || weights[i + 2].extent == (*kernel)[i];
    }
    if (!fits) {
      return node.refuse(
          cat("kernel_shape is [", join(*kernel, ","), "], the weights are ", node.text_of_type(1)));
    }
  }
  Attributes attributes = TRY(node.rest(op));
  return node.finish(op, node.inputs, std::move(attributes));
}

Status rewrite_batch_normalization(NodeImport& node) {
  node.ignore("momentum");
  if (node.opset < 9 && TRY(node.integer("spatial", 1)) == 0) {
    return node.unsupported("spatial = 0 (statistics for each element) is not supported");
  }
  if (TRY(node.integer("training_mode", 0)) != 0) {
    return node.unsupported("training_mode is set, and training is not supported");
  }
  for (size_t i = 1; i < node.output_count(); ++i) {
    if (node.wants(i)) return node.unsupported("its statistics are asked for, which only training computes");
  }
  Attributes attributes = TRY(node.rest(Op::BatchNormalization));
  return node.finish_output(0, Op::BatchNormalization, node.inputs, std::move(attributes));
}

namespace {

// Upsample and the first Resize map an output index to the input by dividing it by the scale, and take the
// nearest element at or before it.
Status resize_asymmetric(NodeImport& node, ValueId scales) {
  Attributes attributes = TRY(node.rest(Op::Resize));
  attributes.set(Attr::CoordinateMode, std::string("asymmetric"));
  attributes.set(Attr::NearestMode, std::string("floor"));
  return node.finish(Op::Resize, {node.input(0), ValueId(), scales}, std::move(attributes));
}

Status check_mode(NodeImport& node) {
  const AttributeDef* mode = node.def.find("mode");
  if (!mode || mode->text == "nearest" || mode->text == "linear") return {};
  return node.refuse(cat("mode must be nearest or linear, not '", mode->text, "'"));
}

}  // namespace

Status rewrite_upsample(NodeImport& node) {
  TRY(check_mode(node));
  if (node.opset >= 9) return resize_asymmetric(node, node.input(1));
  auto scales = TRY(node.numbers("scales"));
  if (!scales) return node.refuse("attribute 'scales' is missing");
  auto count = static_cast<int64_t>(scales->size());
  Tensor tensor = TRY(Tensor::of_numbers(DType::Float32, {count}, *scales));
  return resize_asymmetric(node, TRY(node.constant("scales", std::move(tensor))));
}

Status rewrite_resize(NodeImport& node) {
  if (node.opset == 10) {
    TRY(check_mode(node));
    return resize_asymmetric(node, node.input(1));
  }
  if (TRY(node.integer("antialias", 0)) != 0) return node.unsupported("antialias is not supported");
  auto policy = TRY(node.text("keep_aspect_ratio_policy"));
  if (policy && *policy != "stretch") {
    return node.unsupported(cat("keep_aspect_ratio_policy = '", *policy, "' is not supported"));
  }
  if (TRY(node.integers("axes"))) return node.unsupported("attribute 'axes' is not supported");
  Attributes attributes = TRY(node.rest(Op::Resize));
  // Where sizes are given, an empty list of scales says that there are none; likewise the region.
  std::vector<ValueId> operands = node.inputs;
  for (size_t i = 1; i < operands.size(); ++i) {
    const Tensor* list = node.known(i);
    if (list && list->count() == 0) operands[i] = ValueId();
  }
  while (operands.size() > 1 && !operands.back()) operands.pop_back();
  return node.finish(Op::Resize, std::move(operands), std::move(attributes));
}

// The recurrent weights say the hidden size when the attribute does not.
Status rewrite_recurrent(NodeImport& node) {
  Op op = node.def.op_type == "LSTM" ? Op::LSTM : Op::GRU;
  Attributes derived;
  if (node.rank(2) == 3) {
    const Dim& hidden = (*node.type(2).dims)[2];
    if (hidden.known()) derived.set(Attr::HiddenSize, hidden.extent);
  }
  Attributes attributes = TRY(node.rest(op, std::move(derived)));
  return node.finish(op, node.inputs, std::move(attributes));
}

}  // namespace fuselane
