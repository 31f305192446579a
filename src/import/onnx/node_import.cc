#include "import/onnx/node_import.h"

#include "graph/ops.h"
#include "graph/print.h"
#include "import/onnx/build.h"

namespace fuselane {
namespace {

std::string_view text_of(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Undefined:
      return "of no kind";
    case AttributeKind::Float:
      return "a number";
    case AttributeKind::Int:
      return "an integer";
    case AttributeKind::String:
      return "a text";
    case AttributeKind::Tensor:
      return "a tensor";
    case AttributeKind::Graph:
      return "a graph";
    case AttributeKind::Floats:
      return "a list of numbers";
    case AttributeKind::Ints:
      return "a list of integers";
    case AttributeKind::Strings:
      return "a list of texts";
    case AttributeKind::Other:
      return "of another kind";
  }
  return "";
}

// The kind the file has for a kind of the graph.
AttributeKind file_kind(AttrKind kind) {
  switch (kind) {
    case AttrKind::Int:
    case AttrKind::Type:
      return AttributeKind::Int;
    case AttrKind::Float:
      return AttributeKind::Float;
    case AttrKind::Text:
      return AttributeKind::String;
    case AttrKind::Ints:
      return AttributeKind::Ints;
    case AttrKind::Floats:
      return AttributeKind::Floats;
    case AttrKind::Texts:
      return AttributeKind::Strings;
  }
  return AttributeKind::Undefined;
}

// What passes put into nodes is no attribute of ONNX, also when a file states one of its name.
bool is_set_by_passes(Attr attr) {
  return attr == Attr::FusedActivation || attr == Attr::FusedA || attr == Attr::FusedB;
}

}  // namespace

NodeImport::NodeImport(GraphBuilder& builder, BlockId block, const NodeDef& node, int64_t opset_version,
                       std::vector<ValueId> operands)
    : def(node),
      opset(opset_version),
      inputs(std::move(operands)),
      builder_(builder),
      block_(block),
      taken_(node.attributes.size()) {}

const ValueType& NodeImport::type(size_t i) const { return builder_.graph()[inputs[i]].type; }

std::optional<int64_t> NodeImport::rank(size_t i) const {
  if (!has(i) || !type(i).dims) return std::nullopt;
  return static_cast<int64_t>(type(i).dims->size());
}

std::string NodeImport::text_of_type(size_t i) const { return print(builder_.graph(), type(i)); }

const Tensor* NodeImport::known(size_t i) const {
  return has(i) ? builder_.graph().known(inputs[i]) : nullptr;
}

std::unexpected<Error> NodeImport::refuse(std::string_view sentence) const {
  auto error = fail(ErrorCode::InvalidModel, cat(describe(def), ": ", sentence));
  error.error().node = def.name;
  return error;
}

std::unexpected<Error> NodeImport::unsupported(std::string_view sentence) const {
  auto error = refuse(sentence);
  error.error().code = ErrorCode::UnsupportedModel;
  return error;
}

// --- attributes ---

const AttributeDef* NodeImport::take(std::string_view name) {
  for (size_t i = 0; i < def.attributes.size(); ++i) {
    if (def.attributes[i].name != name) continue;
    taken_[i] = true;
    return &def.attributes[i];
  }
  return nullptr;
}

void NodeImport::ignore(std::string_view name) { take(name); }

Result<AttrValue> NodeImport::convert(const AttributeDef& attribute, AttrKind kind) const {
  AttributeKind wanted = file_kind(kind);
  if (attribute.refers) {
    return refuse(cat("attribute '", attribute.name, "' refers to a function, and none is around the node"));
  }
  if (attribute.kind != wanted) {
    return refuse(
        cat("attribute '", attribute.name, "' must be ", text_of(wanted), ", not ", text_of(attribute.kind)));
  }
  switch (kind) {
    case AttrKind::Int:
      return AttrValue(attribute.integer);
    case AttrKind::Float:
      return AttrValue(static_cast<double>(attribute.number));
    case AttrKind::Text:
      return AttrValue(attribute.text);
    case AttrKind::Type: {
      auto dtype = dtype_of_onnx(attribute.integer);
      if (!dtype) {
        return refuse(
            cat("attribute '", attribute.name, "' names the unknown element type ", attribute.integer));
      }
      return AttrValue(*dtype);
    }
    case AttrKind::Ints:
      return AttrValue(attribute.integers);
    case AttrKind::Floats:
      return AttrValue(attribute.numbers);
    case AttrKind::Texts:
      return AttrValue(attribute.texts);
  }
  return refuse(cat("attribute '", attribute.name, "' is of no kind"));
}

Result<std::optional<int64_t>> NodeImport::integer(std::string_view name) {
  const AttributeDef* attribute = take(name);
  if (!attribute) return std::nullopt;
  return std::get<int64_t>(TRY(convert(*attribute, AttrKind::Int)));
}
Result<int64_t> NodeImport::integer(std::string_view name, int64_t otherwise) {
  return TRY(integer(name)).value_or(otherwise);
}
Result<std::optional<double>> NodeImport::number(std::string_view name) {
  const AttributeDef* attribute = take(name);
  if (!attribute) return std::nullopt;
  return std::get<double>(TRY(convert(*attribute, AttrKind::Float)));
}
Result<std::optional<std::string>> NodeImport::text(std::string_view name) {
  const AttributeDef* attribute = take(name);
  if (!attribute) return std::nullopt;
  return std::get<std::string>(TRY(convert(*attribute, AttrKind::Text)));
}
Result<std::optional<std::vector<int64_t>>> NodeImport::integers(std::string_view name) {
  const AttributeDef* attribute = take(name);
  if (!attribute) return std::nullopt;
  return std::get<std::vector<int64_t>>(TRY(convert(*attribute, AttrKind::Ints)));
}
Result<std::optional<std::vector<double>>> NodeImport::numbers(std::string_view name) {
  const AttributeDef* attribute = take(name);
  if (!attribute) return std::nullopt;
  return std::get<std::vector<double>>(TRY(convert(*attribute, AttrKind::Floats)));
}
Result<const AttributeDef*> NodeImport::tensor(std::string_view name) {
  const AttributeDef* attribute = take(name);
  if (attribute && (attribute->kind != AttributeKind::Tensor || !attribute->tensor)) {
    return refuse(cat("attribute '", name, "' must be a tensor, not ", text_of(attribute->kind)));
  }
  return attribute;
}

Result<Attributes> NodeImport::rest(Op op, Attributes otherwise) {
  Attributes attributes = std::move(otherwise);
  for (size_t i = 0; i < def.attributes.size(); ++i) {
    const AttributeDef& attribute = def.attributes[i];
    auto attr = attr_of_text(attribute.name);
    if (taken_[i] || !attr || is_set_by_passes(*attr) || !row_of(op).find(*attr)) continue;
    taken_[i] = true;
    attributes.set(*attr, TRY(convert(attribute, kind_of(*attr))));
  }
  for (const AttrSpec& spec : row_of(op).attributes) {
    if (spec.required && !attributes.find(spec.attr)) {
      return refuse(cat("attribute '", fuselane::text_of(spec.attr), "' is missing"));
    }
  }
  return attributes;
}

Status NodeImport::check_taken() const {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    return unsupported(
        cat("attribute '", def.attributes[i].name, "' is not known for this operator in opset ", opset));
  }
  return {};
}

// --- results ---

std::string NodeImport::result_name(std::string_view suffix) const {
  for (const std::string& output : def.outputs) {
    if (!output.empty()) return cat(output, ".", suffix);
  }
  return cat(def.op_type, ".", suffix);
}

Result<ValueId> NodeImport::constant(std::string_view suffix, Tensor tensor) {
  return builder_.graph().add_constant(builder_.fresh_name(result_name(suffix)), std::move(tensor));
}

Result<ValueId> NodeImport::integer_list(std::string_view suffix, std::span<const int64_t> values) {
  return constant(suffix, TRY(Tensor::of_ints(DType::Int64, {static_cast<int64_t>(values.size())}, values)));
}

Result<ValueId> NodeImport::shape_of(size_t i) {
  auto extents = type(i).dims ? concrete(*type(i).dims) : std::nullopt;
  if (extents) return integer_list("shape", *extents);
  return emit("shape", Op::Shape, {inputs[i]});
}

Result<ValueId> NodeImport::emit(std::string_view suffix, Op op, std::vector<ValueId> operands,
                                 Attributes attributes) {
  ValueId result = builder_.graph().add_value(builder_.fresh_name(result_name(suffix)), {});
  Node node{.op = op,
            .name = def.name,
            .inputs = std::move(operands),
            .outputs = {result},
            .attributes = std::move(attributes),
            .blocks = {}};
  TRY(builder_.append(block_, std::move(node), def));
  return result;
}

Status NodeImport::finish(Op op, std::vector<ValueId> operands, Attributes attributes) {
  Node node{.op = op,
            .name = def.name,
            .inputs = std::move(operands),
            .outputs = {},
            .attributes = std::move(attributes),
            .blocks = {}};
  for (const std::string& output : def.outputs) node.outputs.push_back(TRY(builder_.define_output(output)));
  return builder_.append(block_, std::move(node), def);
}

Status NodeImport::finish_output(size_t i, Op op, std::vector<ValueId> operands, Attributes attributes) {
  Node node{.op = op,
            .name = def.name,
            .inputs = std::move(operands),
            .outputs = {TRY(builder_.define_output(def.outputs[i]))},
            .attributes = std::move(attributes),
            .blocks = {}};
  return builder_.append(block_, std::move(node), def);
}

}  // namespace fuselane
