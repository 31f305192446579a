#include "loop/index.h"

#include <algorithm>

namespace fuselane::loop {

Index::Index(int64_t constant) {
  if (constant != 0) terms_.push_back({constant, {}});
}

Index::Index(SymbolId symbol) { terms_.push_back({1, {symbol}}); }

bool Index::is_constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_[0].factors.empty());
}

// The empty list of factors sorts before all others.
int64_t Index::constant() const {
  return terms_.empty() || !terms_[0].factors.empty() ? 0 : terms_[0].coefficient;
}

bool Index::uses(SymbolId symbol) const {
  return std::ranges::any_of(terms_,
                             [&](const Term& term) { return std::ranges::contains(term.factors, symbol); });
}

bool Index::is_linear_in(SymbolId symbol) const {
  return std::ranges::all_of(terms_,
                             [&](const Term& term) { return std::ranges::count(term.factors, symbol) <= 1; });
}

Index Index::coefficient_of(SymbolId symbol) const {
  Index result;
  for (const Term& term : terms_) {
    if (!std::ranges::contains(term.factors, symbol)) continue;
    Term rest = term;
    rest.factors.erase(std::ranges::find(rest.factors, symbol));
    result.add(rest);
  }
  return result;
}

Index Index::substitute(SymbolId symbol, const Index& value) const {
  Index result;
  for (const Term& term : terms_) {
    if (!std::ranges::contains(term.factors, symbol)) {
      result.add(term);
      continue;
    }
    Term rest{term.coefficient, {}};
    Index product = 1;
    for (SymbolId factor : term.factors) {
      if (factor == symbol) {
        product = product * value;
      } else {
        rest.factors.push_back(factor);
      }
    }
    result.add_product(rest, product);
  }
  return result;
}

void Index::add(const Term& term) {
  if (term.coefficient == 0) return;
  auto at = std::ranges::lower_bound(terms_, term.factors, {}, &Term::factors);
  if (at == terms_.end() || at->factors != term.factors) {
    terms_.insert(at, term);
  } else if ((at->coefficient += term.coefficient) == 0) {
    terms_.erase(at);
  }
}

// *this += a * b
void Index::add_product(const Term& a, const Index& b) {
  for (const Term& term : b.terms_) {
    Term product{term.coefficient * a.coefficient, term.factors};
    for (SymbolId factor : a.factors)
      product.factors.insert(std::ranges::upper_bound(product.factors, factor), factor);
    add(product);
  }
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

}  // namespace fuselane::loop
