#include "loop/parse_index.h"

#include <algorithm>

#include "base/printer.h"

namespace fuselane::loop {
namespace {

constexpr int kDeepest = 50;
// Products of coefficients and polynomials stay far from overflow and from exploding.
constexpr int64_t kLargest = int64_t{1} << 31;
constexpr size_t kMostTerms = 64;

bool is_reasonable(const Index& index) {
  return index.terms().size() <= kMostTerms && std::ranges::all_of(index.terms(), [](const Term& term) {
           return term.coefficient >= -kLargest && term.coefficient <= kLargest &&
                  !term.factors.is_too_large();
         });
}

}  // namespace

Result<Index> IndexParser::index() { return sum(0); }

Result<std::vector<Index>> IndexParser::list() {
  std::vector<Index> indices;
  TRY(lexer_.expect("["));
  if (TRY(lexer_.accept("]"))) return indices;
  do {
    indices.push_back(TRY(index()));
  } while (TRY(lexer_.accept(",")));
  TRY(lexer_.expect("]"));
  return indices;
}

Result<Index> IndexParser::sum(int depth) {
  int64_t offset = TRY(lexer_.peek())->offset;
  if (depth > kDeepest) return lexer_.error_at(offset, cat("an index nests deeper than ", kDeepest));
  Index total = TRY(product(depth));
  while (true) {
    if (TRY(lexer_.accept("+"))) {
      total += TRY(product(depth));
    } else if (TRY(lexer_.accept("-"))) {
      total -= TRY(product(depth));
    } else if (is_reasonable(total)) {
      return total;
    } else {
      return lexer_.error_at(offset, "an index has too many terms or too large numbers");
    }
  }
}

Result<Index> IndexParser::product(int depth) {
  int64_t offset = TRY(lexer_.peek())->offset;
  Index total = TRY(factor(depth));
  while (TRY(lexer_.accept("*"))) {
    total = total * TRY(factor(depth));
    if (!is_reasonable(total))
      return lexer_.error_at(offset, "an index has too many terms or too large numbers");
  }
  return total;
}

Result<Index> IndexParser::factor(int depth) {
  const Token* token = TRY(lexer_.peek());
  int64_t offset = token->offset;
  if (token->kind == TokenKind::Number) {
    int64_t number = TRY(lexer_.expect_integer());
    if (number < -kLargest || number > kLargest) return lexer_.error_at(offset, "this number is too large");
    return number;
  }
  if (TRY(lexer_.accept("("))) return parenthesized(depth);
  Token word = TRY(lexer_.expect_kind(TokenKind::Word, "a number, a size or a loop"));
  if (word.spelling == "min") {
    TRY(lexer_.expect("("));
    Index a = TRY(sum(depth + 1));
    TRY(lexer_.expect(","));
    Index b = TRY(sum(depth + 1));
    TRY(lexer_.expect(")"));
    return kernel_.minimum(a, b);
  }
  if (word.spelling == "start") {
    TRY(lexer_.expect("("));
    Token name = TRY(lexer_.expect_kind(TokenKind::Word, "a loop"));
    TRY(lexer_.expect(")"));
    SymbolId outer = find(name.spelling);
    const Split* split = outer ? kernel_.split_of_outer(outer) : nullptr;
    if (!split || !split->start)
      return lexer_.error_at(name.offset, cat(name.spelling, " is not the outer loop of an even split"));
    return split->start;
  }
  SymbolId symbol = find(word.spelling);
  if (!symbol) return lexer_.error_at(word.offset, cat("there is no size or loop ", word.spelling));
  return symbol;
}

// After the opening parenthesis: a quotient, a remainder, or a sum that is part of one.
Result<Index> IndexParser::parenthesized(int depth) {
  Index a = TRY(sum(depth + 1));
  if (TRY(lexer_.accept(")"))) return a;
  bool is_quotient = TRY(lexer_.accept("/"));
  if (!is_quotient) TRY(lexer_.expect("mod"));
  int64_t offset = TRY(lexer_.peek())->offset;
  Index b = TRY(sum(depth + 1));
  TRY(lexer_.expect(")"));
  if (b.is_constant() && b.constant() < 1) return lexer_.error_at(offset, "a divisor must be at least 1");
  return is_quotient ? kernel_.quotient(a, b) : kernel_.remainder(a, b);
}

Result<Token> IndexParser::new_name() {
  Token name = TRY(lexer_.expect_kind(TokenKind::Word, "a name"));
  if (find(name.spelling)) return lexer_.error_at(name.offset, cat(name.spelling, " is defined twice"));
  if (name.spelling == "min" || name.spelling == "start")
    return lexer_.error_at(name.offset, cat("'", name.spelling, "' cannot be a name"));
  return name;
}

Result<SymbolId> IndexParser::loop_variable() {
  const Token* token = TRY(lexer_.peek());
  if (SymbolId known = find(token->spelling); known && token->kind == TokenKind::Word) {
    Token name = TRY(lexer_.next());
    if (kernel_[known].kind != SymbolKind::Loop)
      return lexer_.error_at(name.offset, cat(name.spelling, " is not a loop"));
    return known;
  }
  return kernel_.variable(std::string(TRY(new_name()).spelling));
}

SymbolId IndexParser::start_of(SymbolId outer) {
  kernel_.symbols.push_back({"", SymbolKind::Start, outer, {}, 0});
  return SymbolId(kernel_.symbols.size() - 1);
}

SymbolId IndexParser::find(std::string_view name) const {
  auto at = std::ranges::find(kernel_.symbols, name, &Symbol::name);
  if (at == kernel_.symbols.end() || name.empty()) return {};
  return SymbolId(static_cast<size_t>(at - kernel_.symbols.begin()));
}

}  // namespace fuselane::loop
