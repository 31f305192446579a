// ModelProto, GraphProto, NodeProto and AttributeProto. A field that occurs again overwrites or appends, as
// protobuf says; fields that are not needed are skipped.
#include <bit>

#include "import/onnx/model.h"

namespace fuselane {
namespace {

std::string normal_domain(std::string domain) { return domain == "ai.onnx" ? std::string() : domain; }

// The numbers of AttributeProto.AttributeType.
AttributeKind attribute_kind(int64_t number) {
  switch (number) {
    case 0:
      return AttributeKind::Undefined;
    case 1:
      return AttributeKind::Float;
    case 2:
      return AttributeKind::Int;
    case 3:
      return AttributeKind::String;
    case 4:
      return AttributeKind::Tensor;
    case 5:
      return AttributeKind::Graph;
    case 6:
      return AttributeKind::Floats;
    case 7:
      return AttributeKind::Ints;
    case 8:
      return AttributeKind::Strings;
    default:
      return AttributeKind::Other;
  }
}

Status read_attribute(WireMessage message, AttributeDef& attribute) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    switch (field.number) {
      case 1:
        attribute.name = TRY(message.text(field));
        break;
      case 2:
        attribute.number = TRY(message.number(field));
        break;
      case 3:
        attribute.integer = TRY(message.integer(field));
        break;
      case 4:
        attribute.text = TRY(message.text(field));
        break;
      case 5:
        if (!attribute.tensor) attribute.tensor = std::make_unique<TensorDef>();
        TRY(read_tensor(TRY(message.message(field)), field, *attribute.tensor));
        break;
      case 6:
        if (!attribute.graph) attribute.graph = std::make_unique<GraphDef>();
        TRY(read_graph(TRY(message.message(field)), *attribute.graph));
        break;
      case 7: {
        std::vector<uint32_t> bits;
        TRY(message.fixed32s(field, bits));
        for (uint32_t b : bits) attribute.numbers.push_back(static_cast<double>(std::bit_cast<float>(b)));
        break;
      }
      case 8:
        TRY(message.varints(field, attribute.integers));
        break;
      case 9:
        attribute.texts.push_back(TRY(message.text(field)));
        break;
      case 20:
        attribute.kind = attribute_kind(TRY(message.integer(field)));
        break;
      case 21:
        attribute.refers = true;
        break;
      default:
        break;
    }
  }
  return {};
}

Status read_node(WireMessage message, NodeDef& node) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    switch (field.number) {
      case 1:
        node.inputs.push_back(TRY(message.text(field)));
        break;
      case 2:
        node.outputs.push_back(TRY(message.text(field)));
        break;
      case 3:
        node.name = TRY(message.text(field));
        break;
      case 4:
        node.op_type = TRY(message.text(field));
        break;
      case 5:
        TRY(read_attribute(TRY(message.message(field)), node.attributes.emplace_back()));
        break;
      case 7:
        node.domain = normal_domain(TRY(message.text(field)));
        break;
      default:
        break;
    }
  }
  return {};
}

Status read_opset(WireMessage message, OpsetDef& opset) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    if (field.number == 1) opset.domain = normal_domain(TRY(message.text(field)));
    if (field.number == 2) opset.version = TRY(message.integer(field));
  }
  return {};
}

Status read_function(WireMessage message, FunctionDef& function) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    if (field.number == 1) function.name = TRY(message.text(field));
    if (field.number == 10) function.domain = normal_domain(TRY(message.text(field)));
  }
  return {};
}

}  // namespace

Status read_graph(WireMessage message, GraphDef& graph) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    switch (field.number) {
      case 1:
        TRY(read_node(TRY(message.message(field)), graph.nodes.emplace_back()));
        break;
      case 2:
        graph.name = TRY(message.text(field));
        break;
      case 5:
        TRY(read_tensor(TRY(message.message(field)), field, graph.initializers.emplace_back()));
        break;
      case 11:
        TRY(read_value_info(TRY(message.message(field)), graph.inputs.emplace_back()));
        break;
      case 12:
        TRY(read_value_info(TRY(message.message(field)), graph.outputs.emplace_back()));
        break;
      case 13:
        TRY(read_value_info(TRY(message.message(field)), graph.value_infos.emplace_back()));
        break;
      case 15:
        ++graph.sparse_initializers;
        break;
      default:
        break;
    }
  }
  return {};
}

Result<ModelDef> read_model(WireWindow& window) {
  ModelDef model;
  WireMessage message(window);
  while (!message.done()) {
    WireField field = TRY(message.next());
    switch (field.number) {
      case 1:
        model.ir_version = TRY(message.integer(field));
        break;
      case 7:
        if (!model.graph) model.graph.emplace();
        TRY(read_graph(TRY(message.message(field)), *model.graph));
        break;
      case 8:
        TRY(read_opset(TRY(message.message(field)), model.opsets.emplace_back()));
        break;
      case 25:
        TRY(read_function(TRY(message.message(field)), model.functions.emplace_back()));
        break;
      default:
        break;
    }
  }
  return model;
}

const AttributeDef* NodeDef::find(std::string_view attribute) const {
  for (const AttributeDef& candidate : attributes) {
    if (candidate.name == attribute) return &candidate;
  }
  return nullptr;
}

std::optional<int64_t> ModelDef::opset_of(std::string_view domain) const {
  for (const OpsetDef& opset : opsets) {
    if (opset.domain == domain) return opset.version;
  }
  return std::nullopt;
}

std::string describe(const NodeDef& node) {
  if (!node.name.empty()) return cat(node.op_type, " node '", node.name, "'");
  for (const std::string& output : node.outputs) {
    if (!output.empty()) return cat(node.op_type, " node computing '", output, "'");
  }
  return cat("a ", node.op_type, " node");
}

}  // namespace fuselane
