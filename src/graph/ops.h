// The operator table at run time: one row for each operator of ops.def.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "graph/node.h"
#include "types/activation.h"
#include "types/tensor.h"

namespace fuselane {

class Inference;  // graph/inference.h
struct ReferenceCall;

using ShapeRule = Status (*)(Inference&);
using Reference = Status (*)(const ReferenceCall&);

// One application of an operator to elements in memory. Output views have the types its shape rule gave for
// exactly these inputs. A result nobody wants has a view that is not present, and so has an absent operand.
struct ReferenceCall {
  const Node& node;
  std::span<const TensorView> inputs;
  std::span<const TensorView> outputs;

  bool has_input(size_t i) const { return i < inputs.size() && inputs[i].present(); }
  bool has_output(size_t i) const { return i < outputs.size() && outputs[i].present(); }
};

struct EmptyList {};
inline constexpr EmptyList kEmpty;

// One attribute of an operator and what it is when left out.
struct AttrSpec {
  Attr attr;
  bool required;
  int64_t integer = 0;
  double number = 0;
  std::string_view text;
  DType dtype = DType::Float32;

  constexpr AttrSpec(Attr a) : attr(a), required(true) {}  // NOLINT: rows of the table are written {Name}
  constexpr AttrSpec(Attr a, int value) : attr(a), required(false), integer(value), number(value) {}
  constexpr AttrSpec(Attr a, double value) : attr(a), required(false), number(value) {}
  constexpr AttrSpec(Attr a, const char* value) : attr(a), required(false), text(value) {}
  constexpr AttrSpec(Attr a, DType value) : attr(a), required(false), dtype(value) {}
  constexpr AttrSpec(Attr a, EmptyList) : attr(a), required(false) {}
};

inline constexpr int kMany = 1 << 30;  // of operands and results: no limit
inline constexpr int kLast = 1 << 30;  // Shape's end: to the last dimension

struct OpRow {
  std::string_view text;  // "Conv"
  int inputs_least;
  int inputs_most;
  int outputs_least;
  int outputs_most;
  ShapeRule shape_rule;
  Reference reference;
  std::span<const AttrSpec> attributes;

  const AttrSpec* find(Attr attr) const;
};

// The activation a pass has put into the node.
Activation activation_of(const Node& node);
// The reference of the node's operator, then its activation. Errors name the node.
Status run_reference(const ReferenceCall& call);

const OpRow& row_of(Op op);
std::string_view text_of(Op op);
std::optional<Op> op_of_text(std::string_view text);
size_t op_count();

}  // namespace fuselane
