#include "loop/kernel.h"

#include <algorithm>
#include <bit>

#include "base/checked.h"

namespace fuselane::loop {
namespace {

constexpr DType F = DType::F32;
constexpr DType I = DType::I32;
constexpr OperationInfo kOperations[] = {
#define OPERATION(id, text, operands, operand_type, result_type) {text, operands, operand_type, result_type},
#include "loop/operations.def"
#undef OPERATION
};

constexpr std::string_view kMarks[] = {
#define MARK(id, text) text,
#include "loop/words.def"
};
constexpr std::string_view kTails[] = {
#define TAIL(id, text) text,
#include "loop/words.def"
};
constexpr std::string_view kCombines[] = {
#define COMBINE(id, text) text,
#include "loop/words.def"
};

// dividend = quotient * divisor + rest, term by term: what divides evenly for every value of the symbols.
struct Division {
  Index quotient, rest;
};

Division divide_terms(const Index& dividend, const Index& divisor) {
  Division result;
  const Term& by = divisor.terms()[0];
  for (const Term& term : dividend.terms()) {
    Term left = term;
    bool divides = divisor.terms().size() == 1 && left.coefficient % by.coefficient == 0;
    for (SymbolId factor : by.factors) {
      divides = divides && left.factors.contains(factor);
      left.factors = left.factors.without(factor);
    }
    if (divides) {
      left.coefficient /= by.coefficient;
      result.quotient.add(left);
    } else {
      result.rest.add(term);
    }
  }
  return result;
}

// A constant that does not is taken apart.
Division divide(const Index& dividend, const Index& divisor) {
  Division result;
  if (divisor.is_constant()) {
    int64_t by = divisor.constant();
    int64_t rest = (dividend.constant() % by + by) % by;
    result = divide_terms(dividend - Index(dividend.constant()), divisor);
    result.quotient += (dividend.constant() - rest) / by;
    result.rest += rest;
    return result;
  }
  return divide_terms(dividend, divisor);
}

Index defined(Kernel& kernel, SymbolKind kind, const Index& a, const Index& b) {
  for (size_t i = 0; i < kernel.symbols.size(); ++i) {
    const Symbol& symbol = kernel.symbols[i];
    if (symbol.kind == kind && symbol.a == a && symbol.b == b) return SymbolId(i);
  }
  Symbol symbol{"", kind, a, b, 0};
  std::optional<int64_t> most_a = kernel.most(a), most_b = kernel.most(b);
  switch (kind) {
    case SymbolKind::Quotient:
      if (most_a && b.is_constant()) symbol.bound = *most_a / b.constant() + 1;
      break;
    case SymbolKind::Remainder:
      if (most_b) symbol.bound = *most_b;
      if (most_a && (!most_b || *most_a < *most_b)) symbol.bound = *most_a + 1;
      break;
    case SymbolKind::Minimum:
      if (most_a) symbol.bound = *most_a + 1;
      if (most_b && (!most_a || *most_b < *most_a)) symbol.bound = *most_b + 1;
      break;
    case SymbolKind::Size:
    case SymbolKind::Loop:
    case SymbolKind::Start:
      break;
  }
  kernel.symbols.push_back(std::move(symbol));
  return SymbolId(kernel.symbols.size() - 1);
}

Index redefined(Kernel& kernel, SymbolKind kind, const Index& a, const Index& b) {
  if (kind == SymbolKind::Quotient) return kernel.quotient(a, b);
  if (kind == SymbolKind::Remainder) return kernel.remainder(a, b);
  return kernel.minimum(a, b);
}

// The sum of the terms at the ends of their ranges: a positive coefficient at its symbols' upper ends for the
// most, at their lower ends, which are 0, for the least.
std::optional<int64_t> end_of(const Kernel& kernel, const Index& index, bool upper) {
  int64_t sum = 0;
  for (const Term& term : index.terms()) {
    std::optional<int64_t> product = term.coefficient;
    if (term.factors.is_too_large()) return std::nullopt;
    if (!term.factors.empty() && (term.coefficient > 0) != upper) continue;
    for (SymbolId factor : term.factors) {
      int64_t bound = kernel[factor].bound;
      if (bound == 0) return std::nullopt;
      product = checked_mul(*product, bound - 1);
      if (!product) return std::nullopt;
    }
    std::optional<int64_t> next = checked_add(sum, *product);
    if (!next) return std::nullopt;
    sum = *next;
  }
  return sum;
}

}  // namespace

const OperationInfo& info_of(Operation operation) { return kOperations[static_cast<size_t>(operation)]; }

std::string_view text_of(Mark mark) { return kMarks[static_cast<size_t>(mark)]; }
std::string_view text_of(Tail tail) { return kTails[static_cast<size_t>(tail)]; }
std::string_view text_of(Combine combine) { return kCombines[static_cast<size_t>(combine)]; }

Kernel::Kernel() = default;
Kernel::Kernel(const Kernel& other) = default;
Kernel::Kernel(Kernel&& other) noexcept = default;
Kernel& Kernel::operator=(const Kernel& other) = default;
Kernel& Kernel::operator=(Kernel&& other) noexcept = default;
Kernel::~Kernel() = default;

SymbolId Kernel::size(std::string symbol_name) {
  symbols.push_back({std::move(symbol_name), SymbolKind::Size, {}, {}, 0});
  return SymbolId(symbols.size() - 1);
}

SymbolId Kernel::variable(std::string symbol_name, int64_t bound) {
  symbols.push_back({std::move(symbol_name), SymbolKind::Loop, {}, {}, bound});
  return SymbolId(symbols.size() - 1);
}

BufferId Kernel::buffer(Buffer description) {
  buffers.push_back(std::move(description));
  return BufferId(buffers.size() - 1);
}

Index Kernel::quotient(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return a.constant() / b.constant();
  auto [whole, rest] = divide(a, b);
  std::optional<int64_t> low = least(rest), high = most(rest);
  if (!low || *low < 0) return defined(*this, SymbolKind::Quotient, a, b);
  // b is at least 1, so that nothing is left of a rest of 0.
  if (rest.is_zero() || (high && b.is_constant() && *high < b.constant())) return whole;
  return whole + defined(*this, SymbolKind::Quotient, rest, b);
}

Index Kernel::remainder(const Index& a, const Index& b) {
  if (a.is_constant() && b.is_constant()) return a.constant() % b.constant();
  Index rest = divide(a, b).rest;
  std::optional<int64_t> low = least(rest), high = most(rest);
  if (!low || *low < 0) return defined(*this, SymbolKind::Remainder, a, b);
  if (rest.is_zero() || (high && b.is_constant() && *high < b.constant())) return rest;
  return defined(*this, SymbolKind::Remainder, rest, b);
}

Index Kernel::minimum(const Index& a, const Index& b) {
  std::optional<int64_t> low = least(a - b), high = most(a - b);
  if (high && *high <= 0) return a;
  if (low && *low >= 0) return b;
  return defined(*this, SymbolKind::Minimum, a, b);
}

ValueId Kernel::value(Value description) {
  auto at = std::ranges::find(values, description);
  if (at != values.end()) return ValueId(static_cast<size_t>(at - values.begin()));
  values.push_back(std::move(description));
  return ValueId(values.size() - 1);
}

ValueId Kernel::constant(float number) { return constant_bits(std::bit_cast<uint32_t>(number), DType::F32); }

ValueId Kernel::constant_bits(uint32_t bits, DType dtype) {
  Value description;
  description.dtype = dtype;
  description.bits = bits;
  return value(std::move(description));
}

ValueId Kernel::load(BufferId from, std::vector<Index> indices) {
  Value description;
  description.kind = ValueKind::Load;
  description.dtype = (*this)[from].dtype;
  description.buffer = from;
  description.indices = std::move(indices);
  return value(std::move(description));
}

ValueId Kernel::result() {
  Value description;
  description.kind = ValueKind::Result;
  return value(std::move(description));
}

ValueId Kernel::apply(Operation operation, ValueId a, ValueId b, ValueId c) {
  Value description;
  description.kind = ValueKind::Apply;
  description.dtype = info_of(operation).result;
  description.operation = operation;
  description.operands = {a};
  if (b) description.operands.push_back(b);
  if (c) description.operands.push_back(c);
  return value(std::move(description));
}

ValueId Kernel::select(ValueId condition, ValueId if_true, ValueId if_false) {
  Value description;
  description.kind = ValueKind::Select;
  description.dtype = (*this)[if_true].dtype;
  description.operands = {condition, if_true, if_false};
  return value(std::move(description));
}

const Split* Kernel::split_of_inner(SymbolId symbol) const {
  auto at = std::ranges::find(splits, symbol, &Split::inner);
  return at == splits.end() ? nullptr : &*at;
}

const Split* Kernel::split_of_outer(SymbolId symbol) const {
  auto at = std::ranges::find(splits, symbol, &Split::outer);
  return at == splits.end() ? nullptr : &*at;
}

const Split* Kernel::split_of(SymbolId symbol) const {
  auto at = std::ranges::find(splits, symbol, &Split::of);
  return at == splits.end() ? nullptr : &*at;
}

std::optional<int64_t> Kernel::least(const Index& index) const { return end_of(*this, index, false); }

std::optional<int64_t> Kernel::most(const Index& index) const { return end_of(*this, index, true); }

Index Kernel::substitute(const Index& index, SymbolId symbol, const Index& by) {
  Index result;
  for (const Term& term : index.terms()) {
    if (!depends(Index(term), symbol)) {
      result.add(term);
      continue;
    }
    Index product = term.coefficient;
    for (SymbolId factor : term.factors) {
      if (factor == symbol) {
        product = product * by;
      } else if (!depends(factor, symbol)) {
        product = product * Index(factor);
      } else {
        const Symbol definition = (*this)[factor];  // a copy: new symbols move the others
        product = product * redefined(*this, definition.kind, substitute(definition.a, symbol, by),
                                      substitute(definition.b, symbol, by));
      }
    }
    result += product;
  }
  return result;
}

bool Kernel::is_short(SymbolId symbol) const {
  const Split* split = split_of_inner(symbol);
  if (split && split->tail == Tail::Rest) return true;
  if (!split) split = split_of_outer(symbol);
  return split && split->tail == Tail::Exact && is_short(split->of);
}

Index Kernel::iterations(const Loop& loop) {
  if (!is_short(loop.symbol)) return loop.extent;
  if (const Split* split = split_of_inner(loop.symbol)) {
    Index factor = split->factor;
    return minimum(factor, split->extent - factor * position(split->outer));
  }
  const Split* split = split_of_outer(loop.symbol);
  Index factor = split->factor;
  return quotient(split->extent + factor - 1, factor);
}

Index Kernel::position(SymbolId symbol) const {
  const Split* split = split_of(symbol);
  if (!split) return symbol;
  if (split->tail == Tail::Even) return Index(split->start) + position(split->inner);
  return split->factor * position(split->outer) + position(split->inner);
}

bool Kernel::depends(const Index& index, SymbolId symbol) const {
  if (index.uses(symbol)) return true;
  for (const Term& term : index.terms()) {
    for (SymbolId factor : term.factors) {
      const Symbol& definition = (*this)[factor];
      if (definition.kind == SymbolKind::Size || definition.kind == SymbolKind::Loop) continue;
      if (depends(definition.a, symbol) || depends(definition.b, symbol)) return true;
    }
  }
  return false;
}

}  // namespace fuselane::loop
