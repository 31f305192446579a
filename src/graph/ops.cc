#include "graph/ops.h"

#include "graph/inference.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

using enum Attr;

#define ATTRS(...) {__VA_ARGS__}
#define FUSED {FusedActivation, ""}, {FusedA, 0.0}, {FusedB, 0.0}
#define OP(id, in_least, in_most, out_least, out_most, rule, reference, attributes) \
  constexpr std::initializer_list<AttrSpec> kAttributesOf##id = attributes;
#include "graph/ops.def"
#undef OP
#undef FUSED
#undef ATTRS

const OpRow kRows[] = {
#define OP(id, in_least, in_most, out_least, out_most, rule, reference, attributes) \
  {#id, in_least, in_most, out_least, out_most, shape_of_##rule, reference_##reference, kAttributesOf##id},
#include "graph/ops.def"
#undef OP
};

struct AttrRow {
  std::string_view text;
  AttrKind kind;
};
constexpr AttrRow kAttrRows[] = {
#define ATTRIBUTE(id, text, kind) {text, AttrKind::kind},
#include "graph/attributes.def"
#undef ATTRIBUTE
};

// The stated value of the right kind, if any.
template <class T>
const T* stated(const Node& node, Attr attr) {
  const AttrValue* value = node.attributes.find(attr);
  return value ? std::get_if<T>(value) : nullptr;
}

}  // namespace

const OpRow& row_of(Op op) { return kRows[static_cast<size_t>(op)]; }
std::string_view text_of(Op op) { return row_of(op).text; }
size_t op_count() { return std::size(kRows); }

std::optional<Op> op_of_text(std::string_view text) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].text == text) return static_cast<Op>(i);
  }
  return std::nullopt;
}

const AttrSpec* OpRow::find(Attr attr) const {
  for (const AttrSpec& spec : attributes) {
    if (spec.attr == attr) return &spec;
  }
  return nullptr;
}

std::string_view text_of(Attr attr) { return kAttrRows[static_cast<size_t>(attr)].text; }
AttrKind kind_of(Attr attr) { return kAttrRows[static_cast<size_t>(attr)].kind; }

std::optional<Attr> attr_of_text(std::string_view text) {
  for (size_t i = 0; i < std::size(kAttrRows); ++i) {
    if (kAttrRows[i].text == text) return static_cast<Attr>(i);
  }
  return std::nullopt;
}

Activation activation_of(const Node& node) {
  auto kind = activation_of_text(node.text(Attr::FusedActivation));
  return {kind.value_or(ActivationKind::None), static_cast<float>(node.number(Attr::FusedA)),
          static_cast<float>(node.number(Attr::FusedB))};
}

Status run_reference(const ReferenceCall& call) {
  Status done = row_of(call.node.op).reference(call);
  Activation activation = activation_of(call.node);
  if (done && activation.kind != ActivationKind::None && call.has_output(0)) {
    const TensorView& y = call.outputs[0];
    for (int64_t i = 0; i < y.count; ++i) y.set_number(i, apply(activation, y.number(i)));
  }
  if (!done) done.error().node = call.node.name;
  return done;
}

void Attributes::set(Attr attr, AttrValue value) {
  auto at = list_.begin();
  while (at != list_.end() && at->first < attr) ++at;
  if (at != list_.end() && at->first == attr) {
    at->second = std::move(value);
  } else {
    list_.emplace(at, attr, std::move(value));
  }
}

const AttrValue* Attributes::find(Attr attr) const {
  for (const auto& [key, value] : list_) {
    if (key == attr) return &value;
  }
  return nullptr;
}

int64_t Node::integer(Attr attr) const {
  if (const auto* value = stated<int64_t>(*this, attr)) return *value;
  const AttrSpec* spec = row_of(op).find(attr);
  return spec ? spec->integer : 0;
}
double Node::number(Attr attr) const {
  if (const auto* value = stated<double>(*this, attr)) return *value;
  const AttrSpec* spec = row_of(op).find(attr);
  return spec ? spec->number : 0;
}
std::string_view Node::text(Attr attr) const {
  if (const auto* value = stated<std::string>(*this, attr)) return *value;
  const AttrSpec* spec = row_of(op).find(attr);
  return spec ? spec->text : std::string_view();
}
DType Node::dtype(Attr attr) const {
  if (const auto* value = stated<DType>(*this, attr)) return *value;
  const AttrSpec* spec = row_of(op).find(attr);
  return spec ? spec->dtype : DType::Float32;
}
std::span<const int64_t> Node::integers(Attr attr) const {
  const auto* value = stated<std::vector<int64_t>>(*this, attr);
  return value ? std::span<const int64_t>(*value) : std::span<const int64_t>();
}
std::span<const double> Node::numbers(Attr attr) const {
  const auto* value = stated<std::vector<double>>(*this, attr);
  return value ? std::span<const double>(*value) : std::span<const double>();
}
std::span<const std::string> Node::texts(Attr attr) const {
  const auto* value = stated<std::vector<std::string>>(*this, attr);
  return value ? std::span<const std::string>(*value) : std::span<const std::string>();
}

}  // namespace fuselane
