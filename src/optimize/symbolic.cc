#include "optimize/symbolic.h"

#include <algorithm>

#include "base/checked.h"
#include "optimize/nodes.h"

namespace fuselane {
namespace {

constexpr int64_t kLargest = int64_t{1} << 40;

MaybeInt made(std::optional<int64_t> constant, std::optional<int64_t> factor, std::vector<uint32_t> atoms) {
  if (!constant || !factor) return std::nullopt;
  if (std::max(*constant, *factor) > kLargest || std::min(*constant, *factor) < -kLargest)
    return std::nullopt;
  if (*factor == 0) return SymbolicInt::number(*constant);
  return SymbolicInt{*constant, *factor, std::move(atoms)};
}

// Whether the result has the shape of operand 0, dimension for dimension.
bool passes_shape_on(Op op) {
  if (is_elementwise_of_one(op)) return true;
  switch (op) {
    case Op::PRelu:
    case Op::BatchNormalization:
    case Op::InstanceNormalization:
    case Op::Softmax:
    case Op::LogSoftmax:
      return true;
    default:  // NOLINT: of others it depends
      return false;
  }
}

}  // namespace

MaybeInt add(const SymbolicInt& a, const SymbolicInt& b) {
  if (!a.is_number() && !b.is_number() && a.atoms != b.atoms) return std::nullopt;
  return made(checked_add(a.constant, b.constant), checked_add(a.factor, b.factor),
              a.is_number() ? b.atoms : a.atoms);
}

MaybeInt subtract(const SymbolicInt& a, const SymbolicInt& b) {
  MaybeInt negated = multiply(SymbolicInt::number(-1), b);
  return negated ? add(a, *negated) : std::nullopt;
}

MaybeInt multiply(const SymbolicInt& a, const SymbolicInt& b) {
  if (!a.is_number() && b.is_number()) return multiply(b, a);
  if (a.is_number()) {
    return made(checked_mul(a.constant, b.constant), checked_mul(a.constant, b.factor), b.atoms);
  }
  if (a.constant != 0 || b.constant != 0) return std::nullopt;
  std::vector<uint32_t> atoms;
  std::ranges::merge(a.atoms, b.atoms, std::back_inserter(atoms));
  return made(0, checked_mul(a.factor, b.factor), std::move(atoms));
}

MaybeInt divide(const SymbolicInt& a, const SymbolicInt& b) {
  if (!b.is_number() || b.constant < 1) return std::nullopt;
  if (a.constant % b.constant != 0 || a.factor % b.constant != 0) return std::nullopt;
  return made(a.constant / b.constant, a.factor / b.constant, a.atoms);
}

Signs signs_of(const SymbolicInt& a) {
  bool up = a.factor > 0;  // how far it can go from the constant, which an atom of 0 leaves
  bool down = a.factor < 0;
  return {.negative = a.constant < 0 || down,
          .zero = a.constant == 0 || (a.constant < 0 && up) || (a.constant > 0 && down),
          .positive = a.constant > 0 || up};
}

SymbolicInt Atoms::dim(ValueId value, size_t axis) {
  while (true) {
    const auto& dims = graph_[value].type.dims;
    if (dims && axis < dims->size()) {
      const Dim& dim = (*dims)[axis];
      if (dim.known()) return SymbolicInt::number(dim.extent);
      if (dim.symbol) return SymbolicInt::atom(dim.symbol.index);
    }
    NodeId producer = graph_[value].producer;
    if (!producer || !passes_shape_on(graph_[producer].op) || graph_[producer].outputs[0] != value) break;
    value = graph_[producer].inputs[0];
  }
  auto next = static_cast<uint32_t>(graph_.symbols().size() + unnamed_.size());
  return SymbolicInt::atom(unnamed_.emplace(std::pair(value, axis), next).first->second);
}

Dim Atoms::as_dim(const MaybeInt& integer) const {
  if (!integer) return Dim();
  if (integer->is_number()) return integer->constant >= 0 ? Dim(integer->constant) : Dim();
  bool is_symbol = integer->constant == 0 && integer->factor == 1 && integer->atoms.size() == 1 &&
                   integer->atoms[0] < graph_.symbols().size();
  return is_symbol ? Dim(SymbolId(integer->atoms[0])) : Dim();
}

}  // namespace fuselane
