// Integers of the loop IR: extents, strides and what is between the brackets of an access. A polynomial over
// symbols with constant coefficients, in canonical form: equal polynomials compare equal.
//
// What is not a polynomial (a quotient, a remainder, a minimum) is a symbol with a definition; kernel.h.
#pragma once

#include <cstdint>

#include "base/id.h"
#include "base/small_vector.h"

namespace fuselane::loop {

using SymbolId = Id<struct SymbolTag>;

// coefficient * the product of the factors.
struct Term {
  int64_t coefficient = 0;
  SmallVector<SymbolId, 4> factors;  // sorted; one symbol may be there twice
  bool operator==(const Term&) const = default;
};

// Addresses have three or four terms, others fewer.
using Terms = SmallVector<Term, 3>;

class Index {
 public:
  Index() = default;  // zero
  Index(int64_t constant);
  Index(SymbolId symbol);

  // Sorted by their factors; no coefficient is zero.
  const Terms& terms() const { return terms_; }
  bool is_constant() const;
  int64_t constant() const;  // the term without factors
  bool is_zero() const { return terms_.empty(); }
  bool uses(SymbolId symbol) const;
  // The factor of `symbol` where the index is linear in it: index = coefficient_of * symbol + the rest.
  bool is_linear_in(SymbolId symbol) const;
  Index coefficient_of(SymbolId symbol) const;
  Index substitute(SymbolId symbol, const Index& value) const;

  Index& operator+=(const Index& other);
  Index& operator-=(const Index& other);
  Index& operator*=(int64_t constant);
  friend Index operator+(Index a, const Index& b) { return a += b; }
  friend Index operator-(Index a, const Index& b) { return a -= b; }
  friend Index operator*(const Index& a, const Index& b);
  bool operator==(const Index&) const = default;

 private:
  void add(const Term& term);
  void add_product(const Term& a, const Index& b);

  Terms terms_;
};

}  // namespace fuselane::loop
