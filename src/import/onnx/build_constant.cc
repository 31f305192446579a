// Constant nodes: one of several attributes says what the value is.
#include "import/onnx/build.h"
#include "import/onnx/tensor.h"

namespace fuselane {
namespace {

Result<Constant> in_memory(Tensor tensor) {
  Constant constant;
  constant.dtype = tensor.dtype();
  constant.dims = tensor.dims();
  constant.data = std::make_shared<const Tensor>(std::move(tensor));
  return constant;
}

Result<Constant> strings(Dims dims, std::span<const std::string> values) {
  Tensor tensor = TRY(Tensor::allocate(DType::String, std::move(dims)));
  tensor.strings().assign(values.begin(), values.end());
  return in_memory(std::move(tensor));
}

}  // namespace

Result<Constant> constant_of_node(const NodeDef& node, WireWindow& window) {
  auto refuse = [&](ErrorCode code, std::string_view sentence) {
    auto error = fail(code, cat(describe(node), ": ", sentence));
    error.error().node = node.name;
    return error;
  };
  if (node.attributes.size() != 1) {
    return refuse(ErrorCode::InvalidModel,
                  cat("must have one attribute with its value, not ", node.attributes.size()));
  }
  const AttributeDef& value = node.attributes[0];
  auto is = [&](std::string_view name, AttributeKind kind) {
    return value.name == name && value.kind == kind;
  };
  auto length = [](const auto& list) { return Dims{static_cast<int64_t>(list.size())}; };
  if (is("value", AttributeKind::Tensor) && value.tensor) {
    auto constant = constant_of(*value.tensor, window);
    if (!constant && value.tensor->name.empty()) {
      return refuse(constant.error().code, constant.error().message);
    }
    return constant;
  }
  if (is("value_float", AttributeKind::Float)) {
    const double number = static_cast<double>(value.number);
    return in_memory(TRY(Tensor::of_numbers(DType::Float32, {}, std::span(&number, 1))));
  }
  if (is("value_floats", AttributeKind::Floats)) {
    return in_memory(TRY(Tensor::of_numbers(DType::Float32, length(value.numbers), value.numbers)));
  }
  if (is("value_int", AttributeKind::Int)) {
    return in_memory(TRY(Tensor::of_ints(DType::Int64, {}, std::span(&value.integer, 1))));
  }
  if (is("value_ints", AttributeKind::Ints)) {
    return in_memory(TRY(Tensor::of_ints(DType::Int64, length(value.integers), value.integers)));
  }
  if (is("value_string", AttributeKind::String)) return strings({}, std::span(&value.text, 1));
  if (is("value_strings", AttributeKind::Strings)) return strings(length(value.texts), value.texts);
  if (value.name == "sparse_value") {
    return refuse(ErrorCode::UnsupportedModel, "its value is a sparse tensor, which is not supported");
  }
  return refuse(ErrorCode::InvalidModel, cat("attribute '", value.name, "' is not a value it can have"));
}

}  // namespace fuselane
