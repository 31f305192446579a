#include "lower/nests.h"

#include <algorithm>

#include "base/printer.h"

namespace fuselane::lower_ir {

using loop::Loop;
using loop::LoopKind;
using loop::Mark;
using loop::Nest;
using loop::Split;
using loop::Tail;
using low::Type;

namespace {

bool has_call(const std::vector<Loop>& loops) {
  return std::ranges::any_of(loops, [](const Loop& loop) { return loop.mark == Mark::Call; });
}

size_t parallel_count(const std::vector<Loop>& loops) {
  auto end = std::ranges::find_if(loops, [](const Loop& loop) { return loop.mark != Mark::Parallel; });
  return static_cast<size_t>(end - loops.begin());
}

}  // namespace

Nests::Nests(Unit& unit, low::Function& function, const loop::Kernel& kernel)
    : unit_(unit),
      kernel_(kernel),
      frame_(function, kernel),
      b(frame_.b),
      values_(unit, frame_),
      pinned_(kernel.symbols.size()),
      rows_(kernel.symbols.size()) {
  frame_.set_arguments(RegisterId(size_t{0}));
}

Error Nests::failure_because(std::string_view sentence) const {
  return Error(ErrorCode::UnsupportedModel, cat("kernel ", kernel_.name, " cannot be lowered: ", sentence));
}

void Nests::decline(std::string_view sentence) {
  if (!failure_) failure_ = failure_because(sentence);
}

Status Nests::status() const {
  if (failure_) return std::unexpected(*failure_);
  if (SymbolId missing = frame_.missing())
    return std::unexpected(failure_because(
        cat("the extent of a loop depends on ", kernel_[missing].name, ", which is further in")));
  if (frame_.is_too_large())
    return std::unexpected(failure_because("an address is a product of too many sizes"));
  return values_.status();
}

Nests::Outline Nests::outlined(const std::string& name, const std::vector<Index>& extra,
                               const std::function<void(Nests&, const std::vector<Index>&)>& body) {
  low::FunctionId id = unit_.add(cat(kernel_.name, " ", name), false);
  Nests callee(unit_, *unit_.functions[id.index], kernel_);
  callee.frame_.b.parameter(Type::I32, "args");
  std::vector<SymbolId> factors;  // there
  Outline outline{id};
  // Every register that a variable depends on is passed.
  auto parameter = [&](SymbolId factor) {
    auto at = std::ranges::find(outline.passed, factor);
    if (at != outline.passed.end()) return factors[static_cast<size_t>(at - outline.passed.begin())];
    outline.passed.push_back(factor);
    factors.push_back(callee.frame_.primitive(callee.frame_.b.parameter(Type::I32)));
    return factors.back();
  };
  // All at once: registers here and there have the same numbers.
  auto pass = [&](const Index& index) {
    Index result;
    for (const loop::Term& term : index.terms()) {
      loop::Term product{term.coefficient, {}};
      for (SymbolId factor : term.factors)
        product.factors = product.factors * loop::Factors(parameter(factor));
      result.add(product);
    }
    return result;
  };
  for (size_t i = 0; i < kernel_.symbols.size(); ++i) {
    SymbolId symbol(i);
    if (frame_.is_known(symbol)) callee.frame_.bind(symbol, pass(frame_.binding(symbol)));
  }
  std::vector<Index> there;
  for (const Index& index : extra) there.push_back(pass(index));
  if (part_) callee.part_ = pass(*part_);
  callee.nest_ = nest_;
  callee.is_called_ = true;
  callee.pinned_ = pinned_;
  callee.rows_ = rows_;
  body(callee, there);
  if (auto status = callee.status(); !status && !failure_) failure_ = status.error();
  return outline;
}

void Nests::call(const Outline& outline) {
  std::vector<low::Operand> arguments = {RegisterId(size_t{0})};
  for (SymbolId factor : outline.passed) arguments.push_back(frame_.value(factor));
  b.effect(b.call(outline.function, arguments));
}

void Nests::range(RegisterId begin, RegisterId end) {
  const std::vector<Loop>& outermost =
      kernel_.outer.empty() && kernel_.nests.size() == 1 ? kernel_.nests[0].loops : kernel_.outer;
  size_t parallel = parallel_count(outermost);
  SymbolId first = frame_.primitive(begin);
  SymbolId last = frame_.primitive(end);
  Index place = frame_.open_loop(Index(last) - Index(first));
  place += first;
  for (size_t i = parallel; i-- > 0;) {
    Index extent = frame_.resolve(outermost[i].extent);
    frame_.bind(outermost[i].symbol, i == 0 ? place : frame_.remainder(place, extent));
    if (i > 0) place = frame_.quotient(place, extent);
    pinned_[outermost[i].symbol.index] = true;
  }
  bool calls = has_call(kernel_.outer) ||
               std::ranges::any_of(kernel_.nests, [](const Nest& nest) { return has_call(nest.loops); });
  // One call of the kernel may be long, and V8 replaces slow code between calls only.
  if (calls) {
    iteration(0);
  } else {
    call(outlined("iteration", {}, [](Nests& callee, const std::vector<Index>&) { callee.iteration(0); }));
  }
  frame_.close_loop();
}

void Nests::iteration(size_t outer) {
  if (outer < kernel_.outer.size()) {
    const Loop& loop = kernel_.outer[outer];
    if (pinned_[loop.symbol.index]) return iteration(outer + 1);
    if (loop.mark != Mark::Serial) return decline("an outer loop is neither parallel nor serial");
    if (has_sizes(loop)) return decline("the chunks of an outer loop differ in size");
    SymbolId counter = frame_.open_loop(count_of(loop));
    frame_.bind(loop.symbol, counter);
    pinned_[loop.symbol.index] = true;
    iteration(outer + 1);
    frame_.close_loop();
    return;
  }
  for (const Nest& nest : kernel_.nests) this->nest(nest);
}

void Nests::nest(const Nest& nest) {
  nest_ = &nest;
  const std::vector<bool> known_before = frame_.bound();
  loops(0);
  frame_.forget_all_but(known_before);
}

const Loop* Nests::find(SymbolId symbol) const {
  auto at = std::ranges::find(nest_->loops, symbol, &Loop::symbol);
  return at == nest_->loops.end() ? nullptr : &*at;
}

void Nests::loops(size_t at) {
  if (at == nest_->loops.size()) return point();
  const Loop& loop = nest_->loops[at];
  if (loop.kind == LoopKind::Reduce && !reducing_) return reduction(at);
  if (pinned_[loop.symbol.index]) return loops(at + 1);
  const Split* outer = kernel_.split_of_outer(loop.symbol);
  switch (loop.mark) {
    case Mark::Parallel:
      return decline("a parallel loop is not among the outermost loops");
    case Mark::Call:
    case Mark::Serial: {
      if (outer && outer->tail == Tail::Even) return even(at, *outer);
      if (calls_out(at)) {
        return call(outlined(kernel_[loop.symbol].name, {},
                             [at](Nests& callee, const std::vector<Index>&) { callee.loops(at); }));
      }
      if (outer && outer->tail == Tail::Rest && has_chunks(outer->inner)) return chunks(at, *outer);
      const int64_t rows = rows_[loop.symbol.index];
      return each_of(at, loop.symbol, rows > 0 ? Index(rows) : count_of(loop));
    }
    case Mark::Unroll:
    case Mark::Partial: {
      if (rows_[loop.symbol.index] > 0) return unrolled(at, rows_[loop.symbol.index]);
      Index extent = frame_.resolve(loop.extent);
      if (!extent.is_constant()) return decline("a loop is to be written out without a known extent");
      return unrolled(at, extent.constant());
    }
    case Mark::Vector:
      return vectors_are_lanes() ? vector(at) : unrolled(at, loop.extent.constant());
  }
}

// Whether a loop's iterations differ in a way that count_of() does not know.
bool Nests::has_sizes(const Loop& loop) const {
  const Split* split = kernel_.split_of_inner(loop.symbol);
  if (split && split->tail == Tail::Even) return true;
  return kernel_.is_short(loop.symbol) && !(split && split->tail == Tail::Rest);
}

// Iterations of a loop that are done one after another: of the last chunk of a Rest split what is left.
Index Nests::count_of(const Loop& loop) {
  const Split* inner = kernel_.split_of_inner(loop.symbol);
  if (!inner || inner->tail != Tail::Rest) return frame_.resolve(loop.extent);
  Index factor = frame_.resolve(inner->factor);
  return frame_.minimum(factor, frame_.resolve(inner->extent) - factor * frame_.resolve(Index(inner->outer)));
}

// The loops from `at` on for each value of a variable, except for its own.
void Nests::each_of(size_t at, SymbolId symbol, const Index& count) {
  if (count.is_constant() && count.constant() <= 0) return;
  pinned_[symbol.index] = true;
  if (count == Index(1)) {
    frame_.bind(symbol, 0);
    loops(at + 1);
  } else {
    frame_.bind(symbol, frame_.open_loop(count));
    loops(at + 1);
    frame_.close_loop();
  }
  pinned_[symbol.index] = false;
}

void Nests::unrolled(size_t at, int64_t count) {
  const Loop& loop = nest_->loops[at];
  Key before = key_;
  for (int64_t i = 0; i < count; ++i) {
    frame_.bind(loop.symbol, i);
    if (reducing_ && loop.kind == LoopKind::Space) key_.space = key_.space * count + i;
    bool is_partial = loop.mark == Mark::Partial || loop.mark == Mark::Vector;
    if (loop.kind == LoopKind::Reduce && is_partial) key_.partial = key_.partial * count + i;
    loops(at + 1);
    key_ = before;
  }
}

void Nests::vector(size_t at) {
  const Loop& loop = nest_->loops[at];
  lanes_ = {.symbol = loop.symbol, .count = part_, .are_summed = loop.kind == LoopKind::Reduce};
  loops(at + 1);
  lanes_ = {};
}

}  // namespace fuselane::lower_ir
