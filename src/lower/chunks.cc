// Loops that were split into chunks which are written out: whole chunks, then what is left.
#include "base/printer.h"
#include "low/without.h"
#include "lower/nests.h"

namespace fuselane::lower_ir {

using loop::Loop;
using loop::LoopKind;
using loop::Mark;
using loop::Split;
using loop::Tail;
using low::Op;
using low::Type;

// Whether a chunk is written out, so that a shorter one needs code of its own.
bool Nests::has_chunks(SymbolId inner) const {
  if (const Split* split = kernel_.split_of(inner)) return split->tail == Tail::Exact;
  const Loop* loop = find(inner);
  return loop && (loop->mark == Mark::Unroll || loop->mark == Mark::Vector || loop->mark == Mark::Partial);
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
// of a vector or one after another. Loops of a split that is not Exact know what is left by their extents.
void Nests::tail(size_t at, SymbolId inner, const Index& rest) {
  if (const Split* split = kernel_.split_of(inner)) {
    if (split->tail != Tail::Exact) return loops(at + 1);
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
    if (larger > 0) even_run(at, split, small + 1, {small + 1, larger, 0});
    return even_run(at, split, small, {small, count - larger, larger * (small + 1)});
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
  even_sizes(at, split, most, {frame_.primitive(rows), frame_.primitive(count), frame_.primitive(start)});
  b.set(rows, frame_.value(small));
  b.set(count, frame_.value(chunk_count - larger));
  b.set(start, frame_.value(larger * (small + Index(1))));
  frame_.close_loop();
}

void Nests::even_sizes(size_t at, const Split& split, int64_t most, const Run& run) {
  const Loop& inner = *find(split.inner);
  bool is_cut = calls_out(at) && inner.kind == LoopKind::Space && inner.mark == Mark::Unroll;
  std::vector<Outline> cuts;
  if (is_cut) cuts = cut_from_largest(at, split, most, run);
  for (int64_t size = most; size > 0; --size) {
    frame_.open_if(b.op(Op::I32Eq, frame_.value(run.rows), b.i32(static_cast<int32_t>(size))));
    if (is_cut) {
      call(cuts[static_cast<size_t>(most - size)]);
    } else {
      even_run(at, split, size, {size, run.count, run.start});
    }
    frame_.close_if();
  }
}

// The code for each size, the largest first. What is computed for a row is stored for that row: without the
// stores of its last rows, code of a chunk is that of a smaller one, which need not be lowered again.
std::vector<Nests::Outline> Nests::cut_from_largest(size_t at, const Split& split, int64_t most,
                                                    const Run& run) {
  std::vector<StoreOfRow> stores;
  std::vector<Outline> cuts = {outlined(name_of(split, most), {run.rows, run.count, run.start},
                                        [&](Nests& callee, const std::vector<Index>& extra) {
                                          callee.row_ = split.inner;
                                          callee.even_run(at, split, most, {extra[0], extra[1], extra[2]});
                                          stores = std::move(callee.stores_of_rows_);
                                        })};
  const low::Function& largest = *unit_.functions[cuts[0].function.index];
  std::vector<bool> dropped(largest.exprs.size());
  for (int64_t size = most - 1; size > 0; --size) {
    for (const StoreOfRow& store : stores) dropped[store.expr.index] = store.row >= size;
    low::Function smaller = low::without(largest, dropped);
    smaller.name = cat(kernel_.name, " ", name_of(split, size));
    cuts.push_back({unit_.add(std::move(smaller)), cuts[0].passed});
  }
  return cuts;
}

std::string Nests::name_of(const Split& split, int64_t size) const {
  return cat(kernel_[split.inner].name, " ", size);
}

// Chunks of `size` rows, one after another; `run.rows` is that too, perhaps in a register, so that code for
// one size is that for another.
void Nests::even_run(size_t at, const Split& split, int64_t size, const Run& run) {
  if (run.count.is_zero()) return;
  if (calls_out(at)) {
    return call(outlined(name_of(split, size), {run.count, run.start},
                         [&](Nests& callee, const std::vector<Index>& extra) {
                           callee.even_run(at, split, size, {run.rows, extra[0], extra[1]});
                         }));
  }
  SymbolId counter = frame_.open_loop(run.count);
  frame_.bind(split.outer, counter);
  frame_.bind(split.start, run.start + run.rows * Index(counter));
  rows_[split.inner.index] = size;
  loops(at + 1);
  rows_[split.inner.index] = 0;
  frame_.close_loop();
}

}  // namespace fuselane::lower_ir
