// An ONNX file as it is written: the structure of its messages without the elements of tensors, which stay in
// the file. Nothing is checked here beyond the wire format; build.h makes a graph of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "import/onnx/wire.h"

namespace fuselane {

// The field of TensorProto that elements lie in.
enum class TensorField : uint8_t {
  None = 0,
  Floats = 4,
  Int32s = 5,
  Strings = 6,
  Int64s = 7,
  Raw = 9,
  Doubles = 10,
  UInt64s = 11,
};

struct TensorDef {
  std::string name;
  std::vector<int64_t> dims;
  int64_t data_type = 0;
  uint64_t begin = 0;  // of the message in the file
  uint64_t end = 0;
  TensorField field = TensorField::None;
  bool mixed = false;        // elements lie in more than one field
  uint64_t occurrences = 0;  // of the field; one, unless elements are not packed
  bool packed = false;       // the last occurrence holds bytes, which are:
  uint64_t data_offset = 0;
  uint64_t data_length = 0;
  bool segmented = false;
  bool external = false;
  std::string location;  // the other file that holds the elements of an external tensor
};

struct TypeDef {
  enum class Kind : uint8_t { Missing, Tensor, Sequence, Optional, OptionalSequence, Other };
  struct DimDef {
    std::optional<int64_t> extent;
    std::string symbol;
  };
  Kind kind = Kind::Missing;
  int64_t element_type = 0;
  std::optional<std::vector<DimDef>> dims;
};

struct ValueInfoDef {
  std::string name;
  TypeDef type;
};

enum class AttributeKind : uint8_t {
  Undefined,
  Float,
  Int,
  String,
  Tensor,
  Graph,
  Floats,
  Ints,
  Strings,
  Other,  // lists of tensors and graphs, sparse tensors, types
};

struct GraphDef;

struct AttributeDef {
  std::string name;
  AttributeKind kind = AttributeKind::Undefined;
  bool refers = false;  // to an attribute of the function around it
  float number = 0;
  int64_t integer = 0;
  std::string text;
  std::unique_ptr<TensorDef> tensor;
  std::unique_ptr<GraphDef> graph;
  std::vector<double> numbers;
  std::vector<int64_t> integers;
  std::vector<std::string> texts;
};

struct NodeDef {
  std::string name;
  std::string op_type;
  std::string domain;  // "" is ONNX's own; "ai.onnx" is read as ""
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<AttributeDef> attributes;

  const AttributeDef* find(std::string_view attribute) const;
};

struct GraphDef {
  std::string name;
  std::vector<NodeDef> nodes;
  std::vector<TensorDef> initializers;
  std::vector<ValueInfoDef> inputs;
  std::vector<ValueInfoDef> outputs;
  std::vector<ValueInfoDef> value_infos;
  size_t sparse_initializers = 0;
};

struct OpsetDef {
  std::string domain;
  int64_t version = 0;
};

struct FunctionDef {
  std::string name;
  std::string domain;
};

struct ModelDef {
  int64_t ir_version = 0;
  std::vector<OpsetDef> opsets;
  std::vector<FunctionDef> functions;
  std::optional<GraphDef> graph;

  // The version of a domain's operators; nothing when the model does not import the domain.
  std::optional<int64_t> opset_of(std::string_view domain) const;
};

// "Conv node 'conv1'" or "Conv node computing 'y'".
std::string describe(const NodeDef& node);

Result<ModelDef> read_model(WireWindow& window);
// The parts of a model that have files of their own.
Status read_graph(WireMessage message, GraphDef& graph);
Status read_tensor(WireMessage message, const WireField& self, TensorDef& tensor);
Status read_value_info(WireMessage message, ValueInfoDef& info);

}  // namespace fuselane
