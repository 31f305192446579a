// Writes ONNX models in memory: protobuf messages as strings of bytes, nested by hand.
//
//   std::string bytes = onnx_model(13, onnx_graph({onnx_node("Relu", {"x"}, {"y"})}, {},
//                                                 {onnx_value("x", 1, {2, "n"})}, {onnx_value("y", 1, {2,
//                                                 "n"})}));
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace fuselane {

// One message. Each call appends a field: its number and its value.
struct Message {
  std::string bytes;

  static std::string varint(uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    out.push_back(static_cast<char>(value));
    return out;
  }
  Message& key(uint32_t number, uint32_t type) {
    bytes += varint((uint64_t{number} << 3) | type);
    return *this;
  }
  Message& integer(uint32_t number, int64_t value) {
    key(number, 0).bytes += varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& number(uint32_t field, float value) {
    key(field, 5).bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Message& text(uint32_t number, std::string_view value) {
    key(number, 2).bytes += varint(value.size());
    bytes += value;
    return *this;
  }
  Message& message(uint32_t number, const Message& value) { return text(number, value.bytes); }
  Message& messages(uint32_t number, const std::vector<Message>& values) {
    for (const Message& value : values) message(number, value);
    return *this;
  }
  Message& packed_integers(uint32_t number, const std::vector<int64_t>& values) {
    std::string packed;
    for (int64_t value : values) packed += varint(static_cast<uint64_t>(value));
    return text(number, packed);
  }
  template <class T>
  Message& packed(uint32_t number, const std::vector<T>& values) {
    return text(number, raw_bytes(values));
  }
  template <class T>
  static std::string raw_bytes(const std::vector<T>& values) {
    std::string raw(values.size() * sizeof(T), '\0');
    if (!raw.empty()) std::memcpy(raw.data(), values.data(), raw.size());
    return raw;
  }
};

// --- AttributeProto ---

inline Message attribute_of(std::string_view name, int64_t type) {
  return Message().text(1, name).integer(20, type);
}
inline Message attribute(std::string_view name, int64_t value) {
  return attribute_of(name, 2).integer(3, value);
}
inline Message attribute(std::string_view name, int value) { return attribute(name, int64_t{value}); }
inline Message attribute(std::string_view name, float value) {
  return attribute_of(name, 1).number(2, value);
}
inline Message attribute(std::string_view name, const char* value) {
  return attribute_of(name, 3).text(4, value);
}
inline Message attribute(std::string_view name, const std::vector<int64_t>& values) {
  Message message = attribute_of(name, 7);
  for (int64_t value : values) message.integer(8, value);
  return message;
}
inline Message attribute(std::string_view name, const std::vector<float>& values) {
  return attribute_of(name, 6).packed(7, values);
}
inline Message attribute(std::string_view name, const std::vector<std::string>& values) {
  Message message = attribute_of(name, 8);
  for (const std::string& value : values) message.text(9, value);
  return message;
}
inline Message tensor_attribute(std::string_view name, const Message& tensor) {
  return attribute_of(name, 4).message(5, tensor);
}
inline Message graph_attribute(std::string_view name, const Message& graph) {
  return attribute_of(name, 5).message(6, graph);
}

// --- TensorProto ---

inline Message tensor_of(std::string_view name, int64_t type, const std::vector<int64_t>& dims) {
  Message message;
  for (int64_t extent : dims) message.integer(1, extent);
  return message.integer(2, type).text(8, name);
}
inline Message tensor(std::string_view name, const std::vector<int64_t>& dims,
                      const std::vector<float>& values) {
  return tensor_of(name, 1, dims).text(9, Message::raw_bytes(values));
}
inline Message tensor(std::string_view name, const std::vector<int64_t>& dims,
                      const std::vector<int64_t>& values) {
  return tensor_of(name, 7, dims).text(9, Message::raw_bytes(values));
}
// A float32 tensor of zeros.
inline Message zeros(std::string_view name, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t extent : dims) count *= extent;
  return tensor_of(name, 1, dims).text(9, std::string(static_cast<size_t>(count) * 4, '\0'));
}

// --- ValueInfoProto ---

// An extent, or a symbol; "" says nothing.
struct DimText {
  int64_t extent = 0;
  const char* symbol = nullptr;
  DimText(int e) : extent(e) {}                // NOLINT: reads as the dimension
  DimText(const char* text) : symbol(text) {}  // NOLINT
};
inline Message onnx_value(std::string_view name, int64_t type, const std::vector<DimText>& dims) {
  Message shape;
  for (const DimText& dim : dims) {
    Message extent;
    if (!dim.symbol) extent.integer(1, dim.extent);
    if (dim.symbol && *dim.symbol) extent.text(2, dim.symbol);
    shape.message(1, extent);
  }
  Message tensor_type = Message().integer(1, type).message(2, shape);
  return Message().text(1, name).message(2, Message().message(1, tensor_type));
}
inline Message onnx_value_without_rank(std::string_view name, int64_t type) {
  return Message().text(1, name).message(2, Message().message(1, Message().integer(1, type)));
}

// --- NodeProto, GraphProto, ModelProto ---

using Names = std::vector<std::string>;

inline Message onnx_node(std::string_view op, const Names& inputs, const Names& outputs,
                         const std::vector<Message>& attributes = {}, std::string_view name = "",
                         std::string_view domain = "") {
  Message message;
  for (const std::string& input : inputs) message.text(1, input);
  for (const std::string& output : outputs) message.text(2, output);
  if (!name.empty()) message.text(3, name);
  message.text(4, op).messages(5, attributes);
  if (!domain.empty()) message.text(7, domain);
  return message;
}

inline Message onnx_graph(const std::vector<Message>& nodes, const std::vector<Message>& initializers,
                          const std::vector<Message>& inputs, const std::vector<Message>& outputs,
                          const std::vector<Message>& value_infos = {}) {
  return Message()
      .messages(1, nodes)
      .text(2, "g")
      .messages(5, initializers)
      .messages(11, inputs)
      .messages(12, outputs)
      .messages(13, value_infos);
}

inline Message onnx_opset(int64_t version, std::string_view domain = "") {
  return Message().text(1, domain).integer(2, version);
}

// The opset comes last, as most exporters write it.
inline std::string onnx_model(int64_t opset, const Message& graph, int64_t ir_version = 8) {
  return Message()
      .integer(1, ir_version)
      .text(2, "test")
      .message(7, graph)
      .message(8, onnx_opset(opset))
      .bytes;
}

}  // namespace fuselane
