#include "lower/frame.h"

#include <algorithm>
#include <utility>

#include "lower/lower.h"

namespace fuselane::lower_ir {

using loop::Factors;
using loop::SymbolKind;
using low::Op;
using low::Statement;
using low::StatementKind;
using low::Type;

namespace {

// Addresses in registers of a scope: a list that grows one by one copies what it has.
constexpr size_t kUsually = 16;

// How many terms x - y has, or `most` if they are more.
size_t difference_terms(const Index& x, const Index& y, size_t most) {
  size_t count = 0;
  auto a = x.terms().begin();
  auto b = y.terms().begin();
  while (a != x.terms().end() && b != y.terms().end() && count < most) {
    if (a->factors == b->factors) {
      count += a->coefficient == b->coefficient ? 0 : 1;
      ++a;
      ++b;
    } else {
      ++count;
      a->factors < b->factors ? ++a : ++b;
    }
  }
  count += static_cast<size_t>(x.terms().end() - a) + static_cast<size_t>(y.terms().end() - b);
  return std::min(count, most);
}

}  // namespace

Frame::Frame(low::Function& function, const loop::Kernel& kernel)
    : b(function),
      kernel_(kernel),
      bindings_(kernel.symbols.size()),
      bound_(kernel.symbols.size()),
      versions_(kernel.symbols.size()),
      bases_(kernel.buffers.size()),
      scopes_(1) {}

void Frame::bind(SymbolId symbol, Index value) {
  if (bound_[symbol.index] && bindings_[symbol.index] == value) return;
  // Constants come back, in loops that are written out: they have the even numbers.
  versions_[symbol.index] = value.is_constant() ? 2 * value.constant() : 2 * version_count_++ + 1;
  bindings_[symbol.index] = std::move(value);
  bound_[symbol.index] = true;
}

bool Frame::is_known(SymbolId symbol) const {
  return bound_[symbol.index] && std::ranges::all_of(bindings_[symbol.index].terms(), [&](const Term& term) {
           return std::ranges::all_of(
               term.factors, [&](SymbolId factor) { return static_cast<bool>(primitive_of(factor).reg); });
         });
}

SymbolId Frame::primitive_at(RegisterId reg, uint32_t depth) {
  primitives_.push_back({reg, depth});
  return SymbolId(kernel_.symbols.size() + primitives_.size() - 1);
}

SymbolId Frame::primitive(RegisterId reg) { return primitive_at(reg, depth()); }

// Loaded once, at the function's beginning.
const Index& Frame::argument(uint32_t position, Index& known) {
  at_depth(0, [&] {
    RegisterId reg = b.reg(Type::I32);
    b.set(reg, b.load(Op::I32Load, b.get(args_), position * 4));
    known = primitive_at(reg, 0);
    return 0;
  });
  return known;
}

const Index& Frame::base(loop::BufferId buffer) {
  if (!bases_[buffer.index].is_zero()) return bases_[buffer.index];
  uint32_t position = 0;
  for (uint32_t i = 0; i < buffer.index; ++i)
    position += kernel_.buffers[i].storage == loop::Storage::Memory ? 1 : 0;
  return argument(position, bases_[buffer.index]);
}

// Sizes come behind the buffers, in their order.
const Index& Frame::size(SymbolId symbol) {
  Index& known = bindings_[symbol.index];
  if (!known.is_zero()) return known;
  uint32_t position = 0;
  for (const loop::Buffer& buffer : kernel_.buffers)
    position += buffer.storage == loop::Storage::Memory ? 1 : 0;
  for (uint32_t i = 0; i < symbol.index; ++i) position += kernel_.symbols[i].kind == SymbolKind::Size ? 1 : 0;
  return argument(position, known);
}

const Index& Frame::resolve(SymbolId symbol, Index& made) {
  const loop::Symbol& description = kernel_[symbol];
  if (description.kind == SymbolKind::Size) return size(symbol);
  if (is_bound(symbol)) return bindings_[symbol.index];
  if (description.kind == SymbolKind::Loop || description.kind == SymbolKind::Start) {
    missing_ = symbol;
    return made;
  }
  return made = defined(description.kind, resolve(description.a), resolve(description.b));
}

Index Frame::resolve(const Index& index, std::span<const SymbolId> kept) {
  Index result;
  for (const Term& term : index.terms()) {
    // Primitives come after all other symbols.
    if (term.factors.empty() || is_primitive(term.factors.first())) {
      result.add(term);
      continue;
    }
    Term product{term.coefficient, {}};
    Index sums = 1;  // the product of what has several terms
    for (SymbolId factor : term.factors) {
      if (is_primitive(factor) || std::ranges::contains(kept, factor)) {
        product.factors = product.factors * Factors(factor);
        continue;
      }
      Index made;
      const Index& value = resolve(factor, made);
      if (value.terms().size() > 1) {
        sums = sums * value;
      } else if (value.is_zero()) {
        product.coefficient = 0;
      } else {
        product.coefficient *= value.terms()[0].coefficient;
        product.factors = product.factors * value.terms()[0].factors;
      }
    }
    result.add_product(product, sums);
  }
  return result;
}

Index Frame::defined(SymbolKind kind, const Index& x, const Index& y) {
  if (x.is_constant() && y.is_constant()) {
    int64_t p = x.constant();
    int64_t q = y.constant();
    if (kind == SymbolKind::Minimum) return std::min(p, q);
    if (q > 0) return kind == SymbolKind::Quotient ? p / q : p % q;
  }
  auto at = std::ranges::find_if(
      defined_, [&](const Defined& entry) { return entry.kind == kind && entry.a == x && entry.b == y; });
  if (at != defined_.end()) return at->primitive;
  uint32_t depth = std::max(depth_of(x), depth_of(y));
  SymbolId made = at_depth(depth, [&] {
    RegisterId reg = b.reg(Type::I32);
    if (kind == SymbolKind::Minimum) {
      ExprId first = value(x);
      ExprId second = value(y);
      ExprId less = b.op(Op::I32LtS, value(x), value(y));
      b.set(reg, b.select(less, first, second));
    } else {
      ExprId dividend = value(x);
      b.set(reg, b.op(kind == SymbolKind::Quotient ? Op::I32DivU : Op::I32RemU, dividend, value(y)));
    }
    return primitive_at(reg, depth);
  });
  defined_.push_back({kind, x, y, made});
  return made;
}

uint32_t Frame::depth_of(const Index& resolved) const {
  uint32_t depth = 0;
  for (const Term& term : resolved.terms()) {
    for (SymbolId factor : term.factors) depth = std::max(depth, primitive_of(factor).depth);
  }
  return depth;
}

uint32_t Frame::depth_of_condition() const {
  uint32_t depth = this->depth();
  while (depth > 0 && scopes_[depth].is_loop) --depth;
  return depth;
}

ExprId Frame::value(const Index& resolved) {
  auto constant = static_cast<int32_t>(resolved.constant());
  if (resolved.is_constant()) return b.i32(constant);
  if (resolved.is_too_large()) return refuse();
  Index rest = resolved.without_constant();
  return b.add(b.get(computed(rest, rest.hash(), depth_of(rest))), b.i32(constant));
}

ExprId Frame::refuse() {
  is_too_large_ = true;
  return b.i32(0);
}

// What is known at this depth and differs in the fewest terms, if adding the difference takes less than
// adding up all: rows of a matrix are where the first is, and so many rows on.
const Frame::Cached* Frame::nearest(const Index& index, uint32_t depth) const {
  const Cached* near = nullptr;
  size_t least = index.terms().size() - 1;
  for (const Cached& cached : scopes_[depth].values) {
    size_t terms = difference_terms(index, cached.index, least);
    if (terms >= least) continue;
    near = &cached;
    least = terms;
  }
  return near;
}

// A sum of terms, all known at this depth: what is known further out is added up there.
RegisterId Frame::computed(const Index& index, uint32_t hash, uint32_t depth) {
  const Term& first = index.terms()[0];
  if (index.terms().size() == 1 && first.coefficient == 1 && first.factors.is_symbol())
    return primitive_of(first.factors.first()).reg;
  for (const Cached& cached : scopes_[depth].values) {
    if (cached.hash == hash && cached.index == index) return cached.reg;
  }
  RegisterId reg;
  if (const Cached* near = nearest(index, depth)) {
    const Index difference = index - near->index;
    const RegisterId from = near->reg;  // the list may grow
    reg = at_depth(depth, [&] {
      ExprId further = value(difference);
      RegisterId sum = b.reg(Type::I32);
      b.set(sum, b.add(b.get(from), further));
      return sum;
    });
  } else {
    reg = at_depth(depth, [&] { return sum_of(index, depth); });
  }
  auto& values = scopes_[depth].values;
  if (values.empty()) values.reserve(kUsually);
  values.push_back({hash, index, reg});
  return reg;
}

RegisterId Frame::sum_of(const Index& index, uint32_t depth) {
  Index outer;
  Index inner;
  for (const Term& term : index.terms()) {
    bool is_inner = std::ranges::any_of(term.factors,
                                        [&](SymbolId factor) { return primitive_of(factor).depth == depth; });
    (is_inner ? inner : outer).add(term);
  }
  std::optional<ExprId> sum;
  auto add = [&](ExprId next) { sum = sum ? b.add(*sum, next) : next; };
  if (!outer.is_zero()) add(value(outer));
  for (const Term& term : inner.terms()) add(product_of(term, depth));
  RegisterId reg = b.reg(Type::I32);
  b.set(reg, *sum);
  return reg;
}

// The product of what is known further out, then what is not.
ExprId Frame::product_of(const Term& term, uint32_t depth) {
  Term known{term.coefficient, {}};
  std::optional<ExprId> product;
  for (SymbolId factor : term.factors) {
    if (primitive_of(factor).depth < depth) {
      known.factors = known.factors * Factors(factor);
      continue;
    }
    ExprId next = b.get(primitive_of(factor).reg);
    product = product ? b.mul(*product, next) : next;
  }
  return b.mul(*product, value(Index(known)));
}

// In a loop whose variable it grows with: a register that is increased at the loop's end.
RegisterId Frame::inducted(const Index& index, uint32_t depth) {
  Scope& scope = scopes_[depth];
  const uint32_t hash = index.hash();
  for (const Induction& induction : scope.inductions) {
    if (induction.hash == hash && induction.index == index) return induction.reg;
  }
  bool grows = depth > 0 && scope.is_loop && index.uses(scope.counter) && index.is_linear_in(scope.counter);
  if (!grows) return computed(index, hash, depth);
  Index step = index.coefficient_of(scope.counter);
  if (depth_of(step) >= depth) return computed(index, hash, depth);
  Index first = index.substitute(scope.counter, 0);
  if (depth_of(first) >= depth) return computed(index, hash, depth);
  RegisterId reg = b.reg(Type::I32);
  at_depth(depth - 1, [&] {
    uint32_t offset = 0;
    ExprId start = address(first, offset);
    b.set(reg, b.add(start, b.i32(static_cast<int32_t>(offset))));
    return 0;
  });
  scopes_[depth].inductions.push_back({hash, index, reg, std::move(step)});
  return reg;
}

ExprId Frame::address(const Index& resolved, uint32_t& offset) {
  int64_t constant = resolved.constant();
  // An offset does not wrap around: none is below zero, and what it is added to is not.
  bool fits = constant >= 0 && constant <= kFirstBuffer;
  offset = fits ? static_cast<uint32_t>(constant) : 0;
  if (resolved.is_too_large()) return refuse();
  Index rest = fits ? resolved.without_constant() : resolved;
  if (rest.is_constant()) return b.i32(static_cast<int32_t>(rest.constant()));
  return b.get(inducted(rest, depth_of(rest)));
}

void Frame::open(Scope scope) {
  scope.before.swap(b.function().body);
  scope.number = scope_count_++;
  scopes_.push_back(std::move(scope));
  adding_at_ = depth();
}

Frame::Scope Frame::close() {
  Scope scope = std::move(scopes_.back());
  uint32_t depth = this->depth();
  std::erase_if(defined_, [&](const Defined& entry) { return primitive_of(entry.primitive).depth >= depth; });
  scopes_.pop_back();
  adding_at_ = this->depth();
  return scope;
}

SymbolId Frame::open_loop(const Index& count) {
  RegisterId reg = b.reg(Type::I32);
  b.set(reg, b.i32(0));
  Scope scope;
  scope.is_loop = true;
  scope.count = count;
  open(std::move(scope));
  SymbolId counter = primitive(reg);
  scopes_.back().counter = counter;
  return counter;
}

void Frame::close_loop() {
  Scope scope = close();
  std::vector<Statement> body = std::move(b.function().body);
  b.function().body = std::move(scope.before);
  bool may_be_empty = !scope.count.is_constant() || scope.count.constant() < 1;
  RegisterId counter = primitive_of(scope.counter).reg;
  // Steps go to registers here and not where they are used, which may never be reached.
  for (const Induction& induction : scope.inductions) (void)value(induction.step);
  if (may_be_empty) b.begin_if(b.op(Op::I32GtS, value(scope.count), b.i32(0)));
  low::LabelId label = b.begin_loop();
  auto& statements = b.function().body;
  statements.insert(statements.end(), body.begin(), body.end());
  for (const Induction& induction : scope.inductions) {
    ExprId grown = b.add(b.get(induction.reg), value(induction.step));
    b.set(induction.reg, grown);
  }
  b.set(counter, b.add(b.get(counter), b.i32(1)));
  b.branch_if(label, b.op(Op::I32LtS, b.get(counter), value(scope.count)));
  b.end();
  if (may_be_empty) b.end();
}

void Frame::open_if(ExprId condition) {
  Scope scope;
  scope.condition = condition;
  open(std::move(scope));
}

void Frame::close_if() {
  Scope scope = close();
  std::vector<Statement> body = std::move(b.function().body);
  b.function().body = std::move(scope.before);
  b.begin_if(scope.condition);
  auto& statements = b.function().body;
  statements.insert(statements.end(), body.begin(), body.end());
  b.end();
}

}  // namespace fuselane::lower_ir
