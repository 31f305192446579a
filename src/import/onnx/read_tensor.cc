// TensorProto, of which the elements are noted and not read, and ValueInfoProto with its TypeProto.
#include "import/onnx/model.h"

namespace fuselane {
namespace {

void note_elements(const WireField& field, TensorDef& tensor) {
  auto kind = static_cast<TensorField>(field.number);
  if (tensor.field != TensorField::None && tensor.field != kind) tensor.mixed = true;
  tensor.field = kind;
  ++tensor.occurrences;
  tensor.packed = field.type == WireType::Bytes;
  tensor.data_offset = field.offset;
  tensor.data_length = field.length;
}

Status read_external_entry(WireMessage message, TensorDef& tensor) {
  std::string key;
  std::string value;
  while (!message.done()) {
    WireField field = TRY(message.next());
    if (field.number == 1) key = TRY(message.text(field));
    if (field.number == 2) value = TRY(message.text(field));
  }
  if (key == "location") tensor.location = std::move(value);
  return {};
}

Status read_dim(WireMessage message, TypeDef::DimDef& dim) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    if (field.number == 1) dim.extent = TRY(message.integer(field));
    if (field.number == 2) dim.symbol = TRY(message.text(field));
  }
  return {};
}

Status read_shape(WireMessage message, std::vector<TypeDef::DimDef>& dims) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    if (field.number == 1) TRY(read_dim(TRY(message.message(field)), dims.emplace_back()));
  }
  return {};
}

Status read_tensor_type(WireMessage message, TypeDef& type) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    if (field.number == 1) type.element_type = TRY(message.integer(field));
    if (field.number != 2) continue;
    if (!type.dims) type.dims.emplace();
    TRY(read_shape(TRY(message.message(field)), *type.dims));
  }
  return {};
}

Status read_type(WireMessage message, TypeDef& type);

// TypeProto.Sequence and TypeProto.Optional hold the type of their element in field 1.
Status read_element_type(WireMessage message, TypeDef& type, bool optional) {
  TypeDef element;
  while (!message.done()) {
    WireField field = TRY(message.next());
    if (field.number == 1) TRY(read_type(TRY(message.message(field)), element));
  }
  using Kind = TypeDef::Kind;
  Kind kind = Kind::Other;
  if (element.kind == Kind::Tensor) kind = optional ? Kind::Optional : Kind::Sequence;
  if (element.kind == Kind::Sequence && optional) kind = Kind::OptionalSequence;
  type = std::move(element);
  type.kind = kind;
  return {};
}

Status read_type(WireMessage message, TypeDef& type) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    switch (field.number) {
      case 1:
        type.kind = TypeDef::Kind::Tensor;
        TRY(read_tensor_type(TRY(message.message(field)), type));
        break;
      case 4:
      case 9:
        TRY(read_element_type(TRY(message.message(field)), type, field.number == 9));
        break;
      case 5:  // map
      case 7:  // opaque
      case 8:  // sparse tensor
        type.kind = TypeDef::Kind::Other;
        break;
      default:
        break;
    }
  }
  return {};
}

}  // namespace

Status read_tensor(WireMessage message, const WireField& self, TensorDef& tensor) {
  tensor.begin = self.offset;
  tensor.end = self.offset + self.length;
  while (!message.done()) {
    WireField field = TRY(message.next());
    switch (field.number) {
      case 1:
        TRY(message.varints(field, tensor.dims));
        break;
      case 2:
        tensor.data_type = TRY(message.integer(field));
        break;
      case 3:
        tensor.segmented = true;
        break;
      case 4:
      case 5:
      case 6:
      case 7:
      case 9:
      case 10:
      case 11:
        note_elements(field, tensor);
        break;
      case 8:
        tensor.name = TRY(message.text(field));
        break;
      case 13:
        TRY(read_external_entry(TRY(message.message(field)), tensor));
        break;
      case 14:
        tensor.external = TRY(message.integer(field)) == 1;
        break;
      default:
        break;
    }
  }
  return {};
}

Status read_value_info(WireMessage message, ValueInfoDef& info) {
  while (!message.done()) {
    WireField field = TRY(message.next());
    if (field.number == 1) info.name = TRY(message.text(field));
    if (field.number == 2) TRY(read_type(TRY(message.message(field)), info.type));
  }
  return {};
}

}  // namespace fuselane
