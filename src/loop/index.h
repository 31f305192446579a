// Integers of the loop IR: extents, strides and what is between the brackets of an access. A polynomial over
// symbols with constant coefficients, in canonical form: equal polynomials compare equal.
//
// What is not a polynomial (a quotient, a remainder, a minimum) is a symbol with a definition; kernel.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/id.h"
#include "base/small_vector.h"

namespace fuselane::loop {

using SymbolId = Id<struct SymbolTag>;

// A product of symbols, sorted; one symbol may be there twice. Lowering a kernel is mostly arithmetic on
// these: a product is two words, 16 bits for each symbol (its number and 1) from the highest down, so that
// products compare as the lists of their symbols do.
//
// A product of more than kMost symbols, or of one whose number does not fit, is `too large`: all bits are
// set, also of what it is multiplied by.
class Factors {
 public:
  static constexpr size_t kMost = 8;

  Factors() = default;  // 1
  explicit Factors(SymbolId symbol) : high_(uint64_t{symbol.index + 1} << 48) {
    if (symbol.index >= 0xfffe) *this = too_large();
  }

  bool empty() const { return high_ == 0; }
  bool is_too_large() const { return high_ == ~uint64_t{0}; }
  size_t size() const;
  bool is_symbol() const { return high_ != 0 && high_ << 16 == 0; }  // one alone
  SymbolId first() const { return SymbolId(static_cast<size_t>((high_ >> 48) - 1)); }
  bool contains(SymbolId symbol) const { return has(high_, symbol) || has(low_, symbol); }
  size_t count(SymbolId symbol) const;
  // One of them less, if there is one.
  Factors without(SymbolId symbol) const;

  class Iterator {
   public:
    using value_type = SymbolId;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(uint64_t high, uint64_t low) : high_(high), low_(low) {}
    SymbolId operator*() const { return SymbolId(static_cast<size_t>((high_ >> 48) - 1)); }
    Iterator& operator++() {
      high_ = high_ << 16 | low_ >> 48;
      low_ <<= 16;
      return *this;
    }
    Iterator operator++(int) { return std::exchange(*this, ++Iterator(*this)); }
    bool operator==(const Iterator& other) const { return high_ == other.high_; }

   private:
    uint64_t high_ = 0, low_ = 0;
  };
  // Of one that is too large none.
  Iterator begin() const { return is_too_large() ? end() : Iterator(high_, low_); }
  Iterator end() const { return Iterator(0, 0); }

  friend Factors operator*(const Factors& a, const Factors& b) {
    return a.empty() ? b : b.empty() ? a : product(a, b);
  }
  auto operator<=>(const Factors&) const = default;
  uint64_t hash() const { return high_ + low_ * 31; }

 private:
  static Factors product(const Factors& a, const Factors& b);
  static Factors too_large() {
    Factors made;
    made.high_ = made.low_ = ~uint64_t{0};
    return made;
  }
  // Whether one of four numbers of 16 bits is the symbol's: whether one of the differences is zero.
  static bool has(uint64_t word, SymbolId symbol) {
    constexpr uint64_t kOnes = 0x0001000100010001;
    const uint64_t differences = word ^ (symbol.index + 1) * kOnes;
    return ((differences - kOnes) & ~differences & kOnes << 15) != 0;
  }

  uint64_t high_ = 0, low_ = 0;
};

// coefficient * the product of the factors.
struct Term {
  int64_t coefficient = 0;
  Factors factors;
  bool operator==(const Term&) const = default;
};

// Addresses have up to eight terms, others fewer.
using Terms = SmallVector<Term, 6>;

class Index {
 public:
  Index() = default;  // zero
  Index(int64_t constant);
  Index(SymbolId symbol);
  explicit Index(const Term& term);

  // Sorted by their factors; no coefficient is zero.
  const Terms& terms() const { return terms_; }
  bool is_constant() const;
  int64_t constant() const;  // the term without factors
  Index without_constant() const;
  bool is_zero() const { return terms_.empty(); }
  // Some product of symbols is too large: it stands for no polynomial. What is computed from it is so too.
  bool is_too_large() const { return !terms_.empty() && terms_[terms_.size() - 1].factors.is_too_large(); }
  bool uses(SymbolId symbol) const;
  // The factor of `symbol` where the index is linear in it: index = coefficient_of * symbol + the rest.
  bool is_linear_in(SymbolId symbol) const;
  Index coefficient_of(SymbolId symbol) const;
  Index substitute(SymbolId symbol, const Index& value) const;

  Index& operator+=(const Index& other);
  Index& operator-=(const Index& other);
  Index& operator*=(int64_t constant);
  // *this += a * b
  void add(const Term& term);
  void add_product(const Term& a, const Index& b);
  friend Index operator+(Index a, const Index& b) { return a += b; }
  friend Index operator-(Index a, const Index& b) { return a -= b; }
  friend Index operator*(const Index& a, const Index& b);
  bool operator==(const Index&) const = default;
  // Equal polynomials have equal ones; different ones rarely.
  uint32_t hash() const;

 private:
  Terms terms_;
};

}  // namespace fuselane::loop
