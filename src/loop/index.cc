#include "loop/index.h"

#include <algorithm>
#include <bit>

namespace fuselane::loop {

size_t Factors::size() const {
  if (low_ != 0) return 8 - static_cast<size_t>(std::countr_zero(low_)) / 16;
  return high_ == 0 ? 0 : 4 - static_cast<size_t>(std::countr_zero(high_)) / 16;
}

size_t Factors::count(SymbolId symbol) const {
  if (!contains(symbol)) return 0;
  size_t count = 0;
  for (SymbolId factor : *this) count += factor == symbol ? 1 : 0;
  return count;
}

Factors Factors::without(SymbolId symbol) const {
  Factors result;
  bool is_found = false;
  int shift = 112;
  for (SymbolId factor : *this) {
    if (factor == symbol && !is_found) {
      is_found = true;
      continue;
    }
    (shift < 64 ? result.low_ : result.high_) |= uint64_t{factor.index + 1} << (shift & 63);
    shift -= 16;
  }
  return result;
}

// Merges two sorted lists. A word that has ended has 0, whose predecessor is the largest number.
Factors Factors::product(const Factors& a, const Factors& b) {
  Factors result;
  Factors from[2] = {a, b};
  for (int shift = 112; !from[0].empty() || !from[1].empty(); shift -= 16) {
    if (shift < 0) return too_large();
    const auto first = static_cast<uint16_t>((from[0].high_ >> 48) - 1);
    const auto second = static_cast<uint16_t>((from[1].high_ >> 48) - 1);
    Factors& taken = from[second < first ? 1 : 0];
    (shift < 64 ? result.low_ : result.high_) |= taken.high_ >> 48 << (shift & 63);
    taken.high_ = taken.high_ << 16 | taken.low_ >> 48;
    taken.low_ <<= 16;
  }
  return result;
}

Index::Index(int64_t constant) {
  if (constant != 0) terms_.push_back({constant, {}});
}

Index::Index(SymbolId symbol) { terms_.push_back({1, Factors(symbol)}); }

Index::Index(const Term& term) {
  if (term.coefficient != 0) terms_.push_back(term);
}

bool Index::is_constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_[0].factors.empty());
}

// The empty list of factors sorts before all others.
int64_t Index::constant() const {
  return terms_.empty() || !terms_[0].factors.empty() ? 0 : terms_[0].coefficient;
}

Index Index::without_constant() const {
  Index result = *this;
  if (constant() != 0) result.terms_.erase(result.terms_.begin());
  return result;
}

bool Index::uses(SymbolId symbol) const {
  return std::ranges::any_of(terms_, [&](const Term& term) { return term.factors.contains(symbol); });
}

bool Index::is_linear_in(SymbolId symbol) const {
  return std::ranges::all_of(terms_, [&](const Term& term) { return term.factors.count(symbol) <= 1; });
}

Index Index::coefficient_of(SymbolId symbol) const {
  Index result;
  for (const Term& term : terms_) {
    if (term.factors.contains(symbol)) result.add({term.coefficient, term.factors.without(symbol)});
  }
  return result;
}

Index Index::substitute(SymbolId symbol, const Index& value) const {
  Index result;
  for (const Term& term : terms_) {
    Term rest = term;
    if (!rest.factors.contains(symbol)) {
      result.add(term);
      continue;
    }
    rest.factors = rest.factors.without(symbol);
    if (!rest.factors.contains(symbol)) {
      result.add_product(rest, value);
      continue;
    }
    Index product = value;
    for (; rest.factors.contains(symbol); rest.factors = rest.factors.without(symbol))
      product = product * value;
    result.add_product(rest, product);
  }
  return result;
}

// A product that is too large stays, whatever is added.
void Index::add(const Term& term) {
  if (term.coefficient == 0) return;
  Term* at = terms_.end();
  while (at != terms_.begin() && term.factors < at[-1].factors) --at;
  if (at == terms_.begin() || at[-1].factors != term.factors) {
    terms_.insert(at, term);
  } else if (!term.factors.is_too_large() && (at[-1].coefficient += term.coefficient) == 0) {
    terms_.erase(at - 1);
  }
}

void Index::add_product(const Term& a, const Index& b) {
  for (const Term& term : b.terms_) add({term.coefficient * a.coefficient, term.factors * a.factors});
}

Index& Index::operator+=(const Index& other) {
  for (const Term& term : other.terms_) add(term);
  return *this;
}

Index& Index::operator-=(const Index& other) {
  add_product({-1, {}}, other);
  return *this;
}

// Leaves the terms in their order.
Index& Index::operator*=(int64_t constant) {
  if (constant == 0) terms_.clear();
  for (Term& term : terms_) term.coefficient *= constant;
  return *this;
}

Index operator*(const Index& a, const Index& b) {
  if (a.is_constant()) return Index(b) *= a.constant();
  if (b.is_constant()) return Index(a) *= b.constant();
  Index result;
  for (const Term& term : a.terms_) result.add_product(term, b);
  return result;
}

uint32_t Index::hash() const {
  constexpr uint64_t kMany = 0x9e3779b97f4a7c15;
  uint64_t hash = 0;
  for (const Term& term : terms_) {
    hash = (hash ^ term.factors.hash() ^ static_cast<uint64_t>(term.coefficient)) * kMany;
    hash ^= hash >> 32;
  }
  return static_cast<uint32_t>(hash);
}

}  // namespace fuselane::loop
