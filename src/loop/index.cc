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
  for (Term term : terms_) {
    auto at = std::ranges::find(term.factors, symbol);
    if (at == term.factors.end()) continue;
    term.factors.erase(at);
    result.add(std::move(term));
  }
  return result;
}

Index Index::substitute(SymbolId symbol, const Index& value) const {
  Index result;
  for (const Term& term : terms_) {
    Term rest{term.coefficient, {}};
    Index product = 1;
    for (SymbolId factor : term.factors) {
      if (factor == symbol) {
        product = product * value;
      } else {
        rest.factors.push_back(factor);
      }
    }
    Index kept;
    kept.add(std::move(rest));
    result += kept * product;
  }
  return result;
}

void Index::add(Term term) {
  if (term.coefficient == 0) return;
  auto at = std::ranges::lower_bound(terms_, term.factors, {}, &Term::factors);
  if (at == terms_.end() || at->factors != term.factors) {
    terms_.insert(at, std::move(term));
  } else if ((at->coefficient += term.coefficient) == 0) {
    terms_.erase(at);
  }
}

Index& Index::operator+=(const Index& other) {
  for (const Term& term : other.terms_) add(term);
  return *this;
}

Index& Index::operator-=(const Index& other) {
  for (const Term& term : other.terms_) add({-term.coefficient, term.factors});
  return *this;
}

Index operator*(const Index& a, const Index& b) {
  Index result;
  for (const Term& x : a.terms_) {
    for (const Term& y : b.terms_) {
      Term product{x.coefficient * y.coefficient, {}};
      std::ranges::merge(x.factors, y.factors, std::back_inserter(product.factors));
      result.add(std::move(product));
    }
  }
  return result;
}

}  // namespace fuselane::loop
