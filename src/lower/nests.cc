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
using low::Op;
using low::Type;

namespace {

bool reduces(const Nest& nest) {
  return std::ranges::any_of(nest.loops, [](const Loop& loop) { return loop.kind == LoopKind::Reduce; });
}

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

void Nests::decline(std::string sentence) {
  if (!failure_)
    failure_ =
        Error(ErrorCode::UnsupportedModel, cat("kernel ", kernel_.name, " cannot be lowered: ", sentence));
}

Status Nests::status() const {
  if (failure_) return std::unexpected(*failure_);
  return values_.status();
}

void Nests::call_out(const std::string& name, const std::vector<Index>& extra,
                     const std::function<void(Nests&, const std::vector<Index>&)>& body) {
  low::FunctionId id = unit_.add(cat(kernel_.name, " ", name), false);
  Nests callee(unit_, *unit_.functions[id.index], kernel_);
  callee.frame_.b.parameter(Type::I32, "args");
  std::vector<low::Operand> arguments = {RegisterId(size_t{0})};
  std::vector<std::pair<SymbolId, SymbolId>> passed;
  // Every register that a variable depends on is passed.
  auto pass = [&](const Index& index) {
    Index result = index;
    for (const loop::Term& term : index.terms()) {
      for (SymbolId factor : term.factors) {
        auto at = std::ranges::find(passed, factor, &std::pair<SymbolId, SymbolId>::first);
        if (at == passed.end()) {
          arguments.push_back(frame_.value(factor));
          SymbolId there = callee.frame_.primitive(callee.frame_.b.parameter(Type::I32));
          at = passed.insert(passed.end(), {factor, there});
        }
        result = result.substitute(factor, at->second);
      }
    }
    return result;
  };
  for (size_t i = 0; i < kernel_.symbols.size(); ++i) {
    SymbolId symbol(i);
    if (frame_.is_known(symbol)) callee.frame_.bind(symbol, pass(frame_.binding(symbol)));
  }
  std::vector<Index> there;
  for (const Index& index : extra) there.push_back(pass(index));
  callee.nest_ = nest_;
  callee.is_called_ = true;
  callee.pinned_ = pinned_;
  callee.rows_ = rows_;
  body(callee, there);
  if (auto status = callee.status(); !status && !failure_) failure_ = status.error();
  b.effect(b.call(id, arguments));
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
    call_out("iteration", {}, [](Nests& callee, const std::vector<Index>&) { callee.iteration(0); });
  }
  frame_.close_loop();
}

void Nests::iteration(size_t outer) {
  if (outer < kernel_.outer.size()) {
    const Loop& loop = kernel_.outer[outer];
    if (pinned_[loop.symbol.index]) return iteration(outer + 1);
    if (loop.mark != Mark::Serial) return decline("an outer loop is neither parallel nor serial");
    SymbolId counter = frame_.open_loop(frame_.resolve(loop.extent));
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
  loops(0);
}

const Loop* Nests::find(SymbolId symbol) const {
  auto at = std::ranges::find(nest_->loops, symbol, &Loop::symbol);
  return at == nest_->loops.end() ? nullptr : &*at;
}

// Whether a chunk is written out, so that a shorter one needs code of its own.
bool Nests::has_chunks(SymbolId inner) const {
  if (const Split* split = kernel_.split_of(inner)) return split->tail == Tail::Exact;
  const Loop* loop = find(inner);
  return loop && (loop->mark == Mark::Unroll || loop->mark == Mark::Vector || loop->mark == Mark::Partial);
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
      if (loop.mark == Mark::Call && !is_called_) {
        return call_out(kernel_[loop.symbol].name, {},
                        [at](Nests& callee, const std::vector<Index>&) { callee.loops(at); });
      }
      if (outer && outer->tail == Tail::Rest && has_chunks(outer->inner)) return chunks(at, *outer);
      const Split* inner = kernel_.split_of_inner(loop.symbol);
      Index extent = frame_.resolve(loop.extent);
      if (rows_[loop.symbol.index] > 0) {
        extent = rows_[loop.symbol.index];
      } else if (inner && inner->tail == Tail::Rest) {
        Index factor = frame_.resolve(inner->factor);
        extent = frame_.minimum(factor,
                                frame_.resolve(inner->extent) - factor * frame_.resolve(Index(inner->outer)));
      }
      return serial(at, extent);
    }
    case Mark::Unroll:
    case Mark::Partial: {
      if (rows_[loop.symbol.index] > 0) return unrolled(at, rows_[loop.symbol.index]);
      if (!loop.extent.is_constant()) return decline("a loop is to be written out without a known extent");
      return unrolled(at, loop.extent.constant());
    }
    case Mark::Vector:
      return vectors_are_lanes() ? vector(at) : unrolled(at, loop.extent.constant());
  }
}

void Nests::serial(size_t at, const Index& count) { each_of(at, nest_->loops[at].symbol, count); }

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
    if (reducing_ && loop.kind == LoopKind::Space) key_.space.push_back(i);
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

void Nests::chunks(size_t at, const Split& split) {
  if (!split.factor.is_constant()) return decline("a loop is to be written out without a known extent");
  Index extent = frame_.resolve(split.extent);
  Index full = frame_.quotient(extent, split.factor);
  each_of(at, split.outer, full);
  Index rest = extent - split.factor * full;
  if (rest.is_zero()) return;
  pinned_[split.outer.index] = true;
  frame_.bind(split.outer, full);
  tail(at, split.inner, rest);
  pinned_[split.outer.index] = false;
}

// `rest` iterations of a chunk, fewer than it has: by smaller chunks as long as there are, at last by a part
// of a vector or one after another.
void Nests::tail(size_t at, SymbolId inner, const Index& rest) {
  if (const Split* split = kernel_.split_of(inner)) {
    Index full = frame_.quotient(rest, split->factor);
    each_of(at, split->outer, full);
    pinned_[split->outer.index] = true;
    frame_.bind(split->outer, full);
    tail(at, split->inner, rest - split->factor * full);
    pinned_[split->outer.index] = false;
    return;
  }
  const Loop* loop = find(inner);
  if (!loop) return decline("a split has no inner loop");
  if (loop->mark != Mark::Vector || !vectors_are_lanes()) return each_of(at, inner, rest);
  bool may_be_empty = !rest.is_constant();
  if (!may_be_empty && rest.is_zero()) return;
  if (may_be_empty) frame_.open_if(b.op(Op::I32GtS, frame_.value(rest), b.i32(0)));
  part_ = rest;
  loops(at + 1);
  part_.reset();
  if (may_be_empty) frame_.close_if();
}

// Chunks of two sizes, which differ by one: those that are one larger come first. For each size there is
// code.
void Nests::even(size_t at, const Split& split) {
  const Loop* inner = find(split.inner);
  if (!split.factor.is_constant() || !inner)
    return decline("the chunks of an even split are not written out");
  int64_t most = split.factor.constant();
  Index extent = frame_.resolve(split.extent);
  Index chunk_count = frame_.quotient(extent + Index(most - 1), most);
  if (chunk_count.is_constant()) {
    int64_t count = chunk_count.constant();
    if (count == 0) return;
    int64_t small = extent.constant() / count;
    int64_t larger = extent.constant() % count;
    if (larger > 0) even_run(at, split, small + 1, larger, 0);
    return even_run(at, split, small, count - larger, larger * (small + 1));
  }
  // At least one chunk, for the division; with none all counts are 0.
  RegisterId divisor = b.reg(Type::I32);
  b.set(divisor, b.op(Op::I32Add, frame_.value(chunk_count), b.op(Op::I32Eqz, frame_.value(chunk_count))));
  Index small = frame_.quotient(extent, frame_.primitive(divisor));
  Index larger = extent - chunk_count * small;
  RegisterId rows = b.reg(Type::I32);
  RegisterId count = b.reg(Type::I32);
  RegisterId start = b.reg(Type::I32);
  b.set(rows, frame_.value(small + Index(1)));
  b.set(count, frame_.value(larger));
  b.set(start, b.i32(0));
  frame_.open_loop(2);
  Index count_now = frame_.primitive(count);
  Index start_now = frame_.primitive(start);
  for (int64_t size = most; size > 0; --size) {
    frame_.open_if(b.op(Op::I32Eq, b.get(rows), b.i32(static_cast<int32_t>(size))));
    even_run(at, split, size, count_now, start_now);
    frame_.close_if();
  }
  b.set(rows, frame_.value(small));
  b.set(count, frame_.value(chunk_count - larger));
  b.set(start, frame_.value(larger * (small + Index(1))));
  frame_.close_loop();
}

void Nests::even_run(size_t at, const Split& split, int64_t rows, const Index& count, const Index& start) {
  if (count.is_zero()) return;
  auto run = [at, rows, &split](Nests& nests, const Index& chunk_count, const Index& first) {
    SymbolId counter = nests.frame_.open_loop(chunk_count);
    nests.frame_.bind(split.outer, counter);
    nests.frame_.bind(split.start, first + Index(rows) * Index(counter));
    nests.rows_[split.inner.index] = rows;
    nests.loops(at + 1);
    nests.rows_[split.inner.index] = 0;
    nests.frame_.close_loop();
  };
  if (nest_->loops[at].mark != Mark::Call || is_called_) return run(*this, count, start);
  call_out(cat(kernel_[split.inner].name, " ", rows), {count, start},
           [&](Nests& callee, const std::vector<Index>& extra) { run(callee, extra[0], extra[1]); });
}

// Results inside this loop are in registers: they begin, are added up, and are stored.
void Nests::reduction(size_t at) {
  auto results_before = std::exchange(results_, {});
  reduction_at_ = at;
  begin_results(at);
  reducing_ = true;
  loops(at);
  reducing_ = false;
  end_results(at);
  results_ = std::move(results_before);
}

// The Space loops from `at` on: all are written out or vectors.
void Nests::each_result(size_t at, const std::function<void()>& visit) {
  while (at < nest_->loops.size() &&
         (nest_->loops[at].kind == LoopKind::Reduce || pinned_[nest_->loops[at].symbol.index]))
    ++at;
  if (at == nest_->loops.size()) return visit();
  const Loop& loop = nest_->loops[at];
  if (loop.mark == Mark::Vector && vectors_are_lanes()) {
    lanes_ = {.symbol = loop.symbol, .count = part_};
    each_result(at + 1, visit);
    lanes_ = {};
    return;
  }
  int64_t rows = rows_[loop.symbol.index];
  if (rows == 0 && !loop.extent.is_constant()) return decline("results of a reduction are not in registers");
  if (loop.mark == Mark::Serial) return decline("results of a reduction are not in registers");
  Key before = key_;
  for (int64_t i = 0; i < (rows > 0 ? rows : loop.extent.constant()); ++i) {
    frame_.bind(loop.symbol, i);
    key_.space.push_back(i);
    each_result(at + 1, visit);
    key_ = before;
  }
}

void Nests::begin_results(size_t at) {
  int64_t partials = 1;
  bool sums_lanes = false;
  for (const Loop& loop : nest_->loops) {
    if (loop.kind != LoopKind::Reduce || pinned_[loop.symbol.index]) continue;
    bool is_lanes = loop.mark == Mark::Vector && vectors_are_lanes();
    sums_lanes = sums_lanes || is_lanes;
    if (loop.mark == Mark::Partial || (loop.mark == Mark::Vector && !is_lanes))
      partials *= loop.extent.constant();
  }
  each_result(at, [&] {
    for (int64_t partial = 0; partial < partials; ++partial) {
      bool is_vector = sums_lanes || lanes_.is_vector();
      RegisterId reg = b.reg(values_.type(is_vector));
      bool has_init = partial == 0 && !sums_lanes && nest_->init;
      if (has_init) values_.next_point(lanes_);
      ExprId first = has_init ? values_.value(nest_->init) : values_.neutral(nest_->combine, is_vector);
      b.set(reg, first);
      results_[{key_.space, partial}] = reg;
    }
  });
}

void Nests::end_results(size_t at) {
  bool sums_lanes = std::ranges::any_of(nest_->loops, [&](const Loop& loop) {
    return loop.kind == LoopKind::Reduce && loop.mark == Mark::Vector && vectors_are_lanes() &&
           !pinned_[loop.symbol.index];
  });
  each_result(at, [&] {
    RegisterId result = results_[{key_.space, 0}];
    bool is_vector = sums_lanes || lanes_.is_vector();
    for (int64_t partial = 1; results_.contains({key_.space, partial}); ++partial) {
      RegisterId other = results_[{key_.space, partial}];
      b.set(result, values_.combine(nest_->combine, b.get(result), b.get(other), is_vector));
    }
    if (!sums_lanes) return;
    RegisterId total = b.reg(Type::F32);
    b.set(total, values_.across(nest_->combine, result));
    values_.next_point(lanes_);
    if (nest_->init)
      b.set(total, values_.combine(nest_->combine, values_.value(nest_->init), b.get(total), false));
    results_[{key_.space, 0}] = total;
  });
  auto store_all = [&] {
    each_result(at, [&] {
      values_.next_point(lanes_);
      values_.set_result(results_[{key_.space, 0}], lanes_.is_vector());
      stores();
    });
  };
  const Split* split = padded();
  if (!split) return store_all();
  Index left = frame_.resolve(split->extent) - split->factor * position(split->outer);
  frame_.open_if(b.op(Op::I32GeS, frame_.value(left), frame_.value(split->factor)));
  store_all();
  frame_.close_if();
  frame_.open_if(b.op(Op::I32LtS, frame_.value(left), frame_.value(split->factor)));
  left_ = left;
  left_of_ = split->inner;
  store_all();
  left_.reset();
  frame_.close_if();
}

void Nests::point() {
  values_.next_point(lanes_);
  if (reducing_) return values_.accumulate(nest_->combine, nest_->term, results_[key_]);
  if (const Split* split = padded()) {
    left_ = frame_.resolve(split->extent) - split->factor * position(split->outer);
    left_of_ = split->inner;
  }
  stores();
  left_.reset();
}

// The split whose stores may end before its last chunk does.
const Split* Nests::padded() {
  for (const Split& split : kernel_.splits) {
    if (split.tail != Tail::Padded || !has_position(split.outer)) continue;
    Index extent = frame_.resolve(split.extent);
    if (!extent.is_constant() || extent.constant() % split.factor.constant() != 0) return &split;
  }
  return nullptr;
}

// The value of a variable that may have become two.
Index Nests::position(SymbolId symbol) {
  if (const Split* split = kernel_.split_of(symbol)) {
    Index start = split->tail == Tail::Even ? frame_.resolve(split->start)
                                            : position(split->outer) * frame_.resolve(split->factor);
    return start + position(split->inner);
  }
  if (symbol == lanes_.symbol) return 0;
  return frame_.binding(symbol);
}

// Whether it is a variable of this nest and its loops have begun.
bool Nests::has_position(SymbolId symbol) const {
  if (const Split* split = kernel_.split_of(symbol))
    return has_position(split->outer) && has_position(split->inner);
  return frame_.is_bound(symbol);
}

void Nests::stores() {
  for (const loop::Store& store : nest_->stores) {
    if (left_) {
      store_within(store);
    } else {
      values_.store(store);
    }
  }
}

// A store of what is left of a chunk.
void Nests::store_within(const loop::Store& store) {
  Index here = *left_ - position(left_of_);
  RegisterId result = reduces(*nest_) ? results_[{key_.space, 0}] : RegisterId();
  if (lanes_.is_vector()) {
    Lanes lanes = lanes_;
    lanes.count = here;
    values_.next_point(lanes);
    values_.set_result(result, true);
    return values_.store(store);
  }
  frame_.open_if(b.op(Op::I32GtS, frame_.value(here), b.i32(0)));
  values_.next_point(lanes_);
  values_.set_result(result, false);
  values_.store(store);
  frame_.close_if();
}

}  // namespace fuselane::lower_ir
