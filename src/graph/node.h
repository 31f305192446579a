// A node's parts: which operator, which attributes. The tables are ops.def and attributes.def.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/id.h"
#include "types/dtype.h"

namespace fuselane {

using ValueId = Id<struct ValueTag>;
using NodeId = Id<struct NodeTag>;
using BlockId = Id<struct BlockTag>;
using ConstantId = Id<struct ConstantTag>;

enum class Op : uint16_t {
#define OP(id, in_least, in_most, out_least, out_most, rule, reference, attributes) id,
#include "graph/ops.def"
#undef OP
};

enum class Attr : uint8_t {
#define ATTRIBUTE(id, text, kind) id,
#include "graph/attributes.def"
#undef ATTRIBUTE
};

// In the order of AttrValue's alternatives.
enum class AttrKind : uint8_t { Int, Float, Text, Type, Ints, Floats, Texts };
using AttrValue = std::variant<int64_t, double, std::string, DType, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>>;

std::string_view text_of(Attr attr);
AttrKind kind_of(Attr attr);
std::optional<Attr> attr_of_text(std::string_view text);

// The attributes a node states itself, ordered by Attr; those left out have the operator's default.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<Attr, AttrValue>> list) {
    for (const auto& [attr, value] : list) set(attr, value);
  }
  void set(Attr attr, AttrValue value);
  const AttrValue* find(Attr attr) const;  // null when left out
  std::span<const std::pair<Attr, AttrValue>> all() const { return list_; }
  bool operator==(const Attributes&) const = default;

 private:
  std::vector<std::pair<Attr, AttrValue>> list_;
};

struct Node {
  Op op = Op::If;
  std::string name;              // the exporter's, for messages; may be empty
  std::vector<ValueId> inputs;   // an id that names nothing is an absent operand
  std::vector<ValueId> outputs;  // likewise for results nobody wants
  Attributes attributes;
  std::vector<BlockId> blocks;  // If: then, else

  // The stated value, or the operator's default. The verifier has shown that kinds fit.
  int64_t integer(Attr attr) const;
  double number(Attr attr) const;
  std::string_view text(Attr attr) const;
  DType dtype(Attr attr) const;
  std::span<const int64_t> integers(Attr attr) const;
  std::span<const double> numbers(Attr attr) const;
  std::span<const std::string> texts(Attr attr) const;
  bool flag(Attr attr) const { return integer(attr) != 0; }
};

}  // namespace fuselane
