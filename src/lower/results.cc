// Results of a nest: in registers while a reduction adds them up, then stored.
#include <algorithm>
#include <utility>

#include "lower/nests.h"

namespace fuselane::lower_ir {

using loop::Loop;
using loop::LoopKind;
using loop::Mark;
using loop::Split;
using loop::Tail;
using low::Op;
using low::Type;

// Results inside this loop are in registers: they begin, are added up, and are stored.
void Nests::reduction(size_t at) {
  auto results_before = std::exchange(results_, {});
  const int64_t partials_before = partials_;
  begin_results(at);
  reducing_ = true;
  loops(at);
  reducing_ = false;
  end_results(at);
  results_ = std::move(results_before);
  partials_ = partials_before;
}

// None where there is none.
RegisterId Nests::result(const Key& key) const {
  const auto at = static_cast<size_t>(key.space * partials_ + key.partial);
  return at < results_.size() ? results_[at] : RegisterId();
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
  const int64_t count = rows > 0 ? rows : loop.extent.constant();
  for (int64_t i = 0; i < count; ++i) {
    frame_.bind(loop.symbol, i);
    key_.space = key_.space * count + i;
    each_result(at + 1, visit);
    key_ = before;
  }
}

void Nests::begin_results(size_t at) {
  partials_ = 1;
  bool sums_lanes = false;
  for (const Loop& loop : nest_->loops) {
    if (loop.kind != LoopKind::Reduce || pinned_[loop.symbol.index]) continue;
    bool is_lanes = loop.mark == Mark::Vector && vectors_are_lanes();
    sums_lanes = sums_lanes || is_lanes;
    if (loop.mark == Mark::Partial || (loop.mark == Mark::Vector && !is_lanes))
      partials_ *= loop.extent.constant();
  }
  each_result(at, [&] {
    for (int64_t partial = 0; partial < partials_; ++partial) {
      bool is_vector = sums_lanes || lanes_.is_vector();
      RegisterId reg = b.reg(values_.type(is_vector));
      bool has_init = partial == 0 && !sums_lanes && nest_->init;
      if (has_init) values_.next_point(lanes_);
      ExprId first = has_init ? values_.value(nest_->init) : values_.neutral(nest_->combine, is_vector);
      b.set(reg, first);
      results_.push_back(reg);  // places come in their order
    }
  });
}

void Nests::end_results(size_t at) {
  bool sums_lanes = std::ranges::any_of(nest_->loops, [&](const Loop& loop) {
    return loop.kind == LoopKind::Reduce && loop.mark == Mark::Vector && vectors_are_lanes() &&
           !pinned_[loop.symbol.index];
  });
  each_result(at, [&] {
    const auto first = static_cast<size_t>(key_.space * partials_);
    RegisterId result = results_[first];
    bool is_vector = sums_lanes || lanes_.is_vector();
    for (int64_t partial = 1; partial < partials_; ++partial) {
      RegisterId other = this->result({key_.space, partial});
      b.set(result, values_.combine(nest_->combine, b.get(result), b.get(other), is_vector));
    }
    if (!sums_lanes) return;
    RegisterId total = b.reg(Type::F32);
    b.set(total, values_.across(nest_->combine, result));
    values_.next_point(lanes_);
    if (nest_->init)
      b.set(total, values_.combine(nest_->combine, values_.value(nest_->init), b.get(total), false));
    results_[first] = total;
  });
  auto store_all = [&](const Split* ends) {
    each_result(at, [&] {
      if (ends) left_ = left_of(*ends);
      values_.next_point(lanes_);
      values_.set_result(result({key_.space, 0}), lanes_.is_vector());
      stores();
    });
  };
  const Split* split = padded();
  if (!split) return store_all(nullptr);
  // Loops that are written out are at their last iteration: where its chunk is whole, those before it are.
  Index left = left_of(*split);
  frame_.open_if(b.op(Op::I32GeS, frame_.value(left), frame_.value(split->factor)));
  store_all(nullptr);
  frame_.close_if();
  frame_.open_if(b.op(Op::I32LtS, frame_.value(left), frame_.value(split->factor)));
  left_in_ = split->inner;
  store_all(split);
  left_.reset();
  frame_.close_if();
}

void Nests::point() {
  values_.next_point(lanes_);
  if (reducing_) return values_.accumulate(nest_->combine, nest_->term, result(key_));
  if (const Split* split = padded()) {
    left_ = left_of(*split);
    left_in_ = split->inner;
  }
  stores();
  left_.reset();
}

// The split whose stores may end before its last chunk does.
const Split* Nests::padded() {
  for (const Split& split : kernel_.splits) {
    if (split.tail != Tail::Padded || !has_begun(split.outer)) continue;
    Index extent = frame_.resolve(split.extent);
    if (!extent.is_constant() || extent.constant() % split.factor.constant() != 0) return &split;
  }
  return nullptr;
}

// Whether a variable, or those it was split into, have values here.
bool Nests::has_begun(SymbolId symbol) const {
  return std::ranges::all_of(kernel_.position(symbol).terms(), [&](const loop::Term& term) {
    return std::ranges::all_of(term.factors, [&](SymbolId factor) {
      return kernel_[factor].kind == loop::SymbolKind::Size || frame_.is_bound(factor);
    });
  });
}

// What is left of a chunk of the split from its beginning on.
Index Nests::left_of(const Split& split) {
  Index done = split.factor * kernel_.position(split.outer);
  Index left = frame_.resolve(split.extent) - frame_.resolve(done);
  Index in_first_lane = values_.at_first_lane(left);
  if (in_first_lane != left) decline("the lanes of a vector are chunks of a padded split");
  return in_first_lane;
}

void Nests::stores() {
  for (const loop::Store& store : nest_->stores) {
    if (left_) {
      store_within(store);
    } else {
      this->store(store);
    }
  }
}

// A store of what is left of a chunk: of some lanes where they are of the chunk, else of all or nothing.
void Nests::store_within(const loop::Store& store) {
  Index place = frame_.resolve(kernel_.position(left_in_));
  Index first = lanes_.is_vector() ? values_.at_first_lane(place) : place;
  Index here = *left_ - first;
  RegisterId result = this->result({key_.space, 0});
  if (first != place) {
    Lanes lanes = lanes_;
    lanes.count = lanes.count ? frame_.minimum(*lanes.count, here) : here;
    values_.next_point(lanes);
    values_.set_result(result, true);
    return this->store(store);
  }
  frame_.open_if(b.op(Op::I32GtS, frame_.value(here), b.i32(0)));
  values_.next_point(lanes_);
  values_.set_result(result, lanes_.is_vector());
  this->store(store);
  frame_.close_if();
}

void Nests::store(const loop::Store& store) {
  values_.store(store);
  if (!row_) return;
  // The statement that stores is the last.
  const low::Statement& stored = b.function().body.back();
  if (stored.kind == low::StatementKind::Effect)
    stores_of_rows_.push_back({stored.expr, frame_.binding(row_).constant()});
}

}  // namespace fuselane::lower_ir
