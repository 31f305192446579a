// Integers as far as they follow from dimensions: what shape arithmetic comes to before extents are known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace fuselane {

// constant + factor * the product of the atoms. An atom stands for one extent, so that it is never negative;
// which one, Atoms says.
struct SymbolicInt {
  int64_t constant = 0;
  int64_t factor = 0;           // 0 for a plain number
  std::vector<uint32_t> atoms;  // ordered, with repetition; none for a plain number

  static SymbolicInt number(int64_t value) { return {value, 0, {}}; }
  static SymbolicInt atom(uint32_t id) { return {0, 1, {id}}; }
  bool is_number() const { return factor == 0; }
  bool operator==(const SymbolicInt&) const = default;
};

// An integer that may follow from nothing known.
using MaybeInt = std::optional<SymbolicInt>;

// Nothing where the result is no such sum, or its numbers grow past 2^40. (Extents whose product leaves int64
// belong to no tensor.)
MaybeInt add(const SymbolicInt& a, const SymbolicInt& b);
MaybeInt subtract(const SymbolicInt& a, const SymbolicInt& b);
MaybeInt multiply(const SymbolicInt& a, const SymbolicInt& b);
// By a positive number that divides both parts, which makes it exact whatever the atoms are.
MaybeInt divide(const SymbolicInt& a, const SymbolicInt& b);

// Which signs it can have.
struct Signs {
  bool negative;
  bool zero;
  bool positive;
};
Signs signs_of(const SymbolicInt& a);

// The atoms: one for each symbol of the graph, which is its id, and one for each dimension of a value of
// which not even a symbol is known.
class Atoms {
 public:
  explicit Atoms(const Graph& graph) : graph_(graph) {}

  // The dimension as recorded, or as an operand's where the operator passes shapes on.
  SymbolicInt dim(ValueId value, size_t axis);
  // The same as a dimension of the graph; unknown where it is no plain number or symbol.
  Dim as_dim(const MaybeInt& integer) const;

 private:
  const Graph& graph_;
  std::map<std::pair<ValueId, size_t>, uint32_t> unnamed_;
};

}  // namespace fuselane
