// Polynomials: what they are is what they evaluate to, and equal ones are equal.
#include "loop/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace fuselane::loop {
namespace {

constexpr size_t kSymbols = 5;

// The first and the last that there can be among them.
SymbolId symbol(size_t i) {
  constexpr size_t kNumbers[kSymbols] = {0, 1, 255, 40000, 0xfffd};
  return SymbolId(kNumbers[i]);
}

// Its value, without overflow: unsigned.
uint64_t evaluate(const Index& index, const std::vector<uint64_t>& values) {
  uint64_t sum = 0;
  for (const Term& term : index.terms()) {
    auto product = static_cast<uint64_t>(term.coefficient);
    for (SymbolId factor : term.factors) {
      size_t i = 0;
      while (symbol(i) != factor) ++i;
      product *= values[i];
    }
    sum += product;
  }
  return sum;
}

Index random_index(Rng& rng) {
  Index index;
  for (uint64_t terms = rng.below(5); terms > 0; --terms) {
    Index product = static_cast<int64_t>(rng.below(7)) - 3;
    for (uint64_t factors = rng.below(4); factors > 0; --factors)
      product = product * Index(symbol(rng.below(kSymbols)));
    index += product;
  }
  return index;
}

void expect_canonical(const Index& index) {
  for (size_t i = 0; i < index.terms().size(); ++i) {
    const Term& term = index.terms()[i];
    EXPECT_NE(term.coefficient, 0);
    if (i > 0) EXPECT_LT(index.terms()[i - 1].factors, term.factors);
    const std::vector<SymbolId> factors(term.factors.begin(), term.factors.end());
    EXPECT_TRUE(std::ranges::is_sorted(factors));
    EXPECT_EQ(factors.size(), term.factors.size());
  }
}

TEST(Index, ComputesWhatPolynomialsDo) {
  Rng rng(1);
  for (int i = 0; i < 3000; ++i) {
    std::vector<uint64_t> values(kSymbols);
    for (uint64_t& value : values) value = rng.next();
    const Index a = random_index(rng), b = random_index(rng);
    const uint64_t x = evaluate(a, values), y = evaluate(b, values);
    EXPECT_EQ(evaluate(a + b, values), x + y);
    EXPECT_EQ(evaluate(a - b, values), x - y);
    EXPECT_EQ(evaluate(a * b, values), x * y);
    EXPECT_EQ(a + b, b + a);
    EXPECT_EQ((a + b).hash(), (b + a).hash());
    EXPECT_EQ(a + b - b, a);
    EXPECT_TRUE((a - a).is_zero());
    EXPECT_EQ(a.without_constant() + a.constant(), a);
    for (const Index& made : {a + b, a - b, a * b}) expect_canonical(made);
    const size_t which = rng.below(kSymbols);
    std::vector<uint64_t> replaced = values;
    replaced[which] = y;
    const Index substituted = a.substitute(symbol(which), b);
    if (!substituted.is_too_large()) EXPECT_EQ(evaluate(substituted, values), evaluate(a, replaced));
    if (!a.is_linear_in(symbol(which))) continue;
    const Index coefficient = a.coefficient_of(symbol(which));
    EXPECT_EQ(coefficient * Index(symbol(which)) + a.substitute(symbol(which), 0), a);
    EXPECT_EQ(a.uses(symbol(which)), !coefficient.is_zero());
  }
}

TEST(Index, ProductsAreOrderedAsLists) {
  Rng rng(2);
  auto random_list = [&] {
    std::vector<SymbolId> list;
    for (uint64_t n = rng.below(Factors::kMost + 1); n > 0; --n) list.push_back(symbol(rng.below(kSymbols)));
    std::ranges::sort(list);
    return list;
  };
  auto factors_of = [](const std::vector<SymbolId>& list) {
    Factors factors;
    for (SymbolId factor : list) factors = Factors(factor) * factors;
    return factors;
  };
  for (int i = 0; i < 3000; ++i) {
    std::vector<SymbolId> a = random_list(), b = random_list();
    const Factors x = factors_of(a), y = factors_of(b);
    EXPECT_EQ(x <=> y, a <=> b);
    EXPECT_EQ(x.size(), a.size());
    EXPECT_EQ(x.is_symbol(), a.size() == 1);
    const SymbolId wanted = symbol(rng.below(kSymbols));
    EXPECT_EQ(x.contains(wanted), std::ranges::contains(a, wanted));
    EXPECT_EQ(x.count(wanted), static_cast<size_t>(std::ranges::count(a, wanted)));
    if (auto at = std::ranges::find(a, wanted); at != a.end()) a.erase(at);
    EXPECT_EQ(x.without(wanted), factors_of(a));
  }
}

TEST(Index, WhatIsTooLargeStaysSo) {
  Index product = 3;
  for (size_t i = 0; i < Factors::kMost; ++i) product = product * Index(symbol(4));
  EXPECT_FALSE(product.is_too_large());
  product = product * Index(symbol(0));
  EXPECT_TRUE(product.is_too_large());
  EXPECT_TRUE((product + Index(symbol(1)) - product).is_too_large());
  EXPECT_TRUE((product * product).is_too_large());
  EXPECT_TRUE(Index(SymbolId(size_t{0xfffe})).is_too_large());
}

}  // namespace
}  // namespace fuselane::loop
