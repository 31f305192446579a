#include "loop/legality.h"

#include <algorithm>

#include "base/printer.h"

namespace fuselane::loop {
namespace {

bool is_written_out(Mark mark) {
  return mark == Mark::Unroll || mark == Mark::Vector || mark == Mark::Partial;
}

class PathChecker {
 public:
  PathChecker(const Kernel& kernel, const Nest& nest)
      : kernel_(kernel), nest_(nest), path_(path_of(kernel, nest)) {}

  Status run() {
    for (size_t i = 0; i < path_.size(); ++i) {
      TRY(places(i));
      TRY(marks(i));
    }
    if (std::ranges::count_if(kernel_.splits, [&](const Split& split) {
          return split.tail == Tail::Padded && is_inside(split.inner);
        }) > 1)
      return fail(ErrorCode::InvalidArgument, cat("nest ", nest_.name, " has two padded splits"));
    return {};
  }

 private:
  std::string name(size_t i) const { return "loop " + kernel_[path_[i].symbol].name; }
  std::unexpected<Error> decline(size_t i, std::string_view why) const {
    return fail(ErrorCode::InvalidArgument, cat(name(i), " ", why));
  }

  // Whether the loop is of this path, or one it was split into is.
  bool is_inside(SymbolId symbol) const {
    if (std::ranges::contains(path_, symbol, &Loop::symbol)) return true;
    const Split* split = kernel_.split_of(symbol);
    return split && is_inside(split->inner);
  }

  bool is_outside_of(SymbolId symbol, size_t i) const {
    auto end = path_.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find_if(path_.begin(), end, [&](const Loop& loop) { return loop.symbol == symbol; }) != end)
      return true;
    const Split* split = kernel_.split_of(symbol);
    return split && is_outside_of(split->outer, i) && is_outside_of(split->inner, i);
  }

  Status places(size_t i) const {
    const Loop& loop = path_[i];
    const Split* split = kernel_.split_of_inner(loop.symbol);
    bool needs_outer = split && (split->tail != Tail::Exact || kernel_.is_short(loop.symbol));
    if (needs_outer && !is_outside_of(split->outer, i))
      return decline(i, cat("must be inside of loop ", kernel_[split->outer].name,
                            ", since its iterations depend on it"));
    if (const Split* of = kernel_.split_of_outer(loop.symbol); of && kernel_.is_short(loop.symbol)) {
      // Both were one inner loop.
      const Split* around = kernel_.split_of_inner(of->of);
      if (around && !is_outside_of(around->outer, i))
        return decline(i, cat("must be inside of loop ", kernel_[around->outer].name,
                              ", since its iterations depend on it"));
    }
    for (const Loop& other : path_) {
      if (loop.extent.is_constant()) break;
      if (!is_outside_of(other.symbol, i) && kernel_.depends(loop.extent, other.symbol))
        return decline(i, cat("must be inside of loop ", kernel_[other.symbol].name,
                              ", since its iterations depend on it"));
    }
    bool in_reduction = std::ranges::any_of(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(i),
                                            [](const Loop& outer) { return outer.kind == LoopKind::Reduce; });
    if (in_reduction && loop.kind == LoopKind::Space && loop.mark != Mark::Unroll &&
        loop.mark != Mark::Vector)
      return decline(i,
                     "is inside a loop that sums up, and so must be unroll or vector: its results are in "
                     "registers");
    return {};
  }

  Status marks(size_t i) const {
    const Loop& loop = path_[i];
    if (is_written_out(loop.mark) || loop.mark == Mark::Parallel) TRY(chunks(i));
    switch (loop.mark) {
      case Mark::Serial:
        return {};
      case Mark::Parallel:
        return parallel(i);
      case Mark::Call:
        return call(i);
      case Mark::Partial:
        if (loop.kind != LoopKind::Reduce) return decline(i, "does not sum up, and so cannot be partial");
        return unroll(i);
      case Mark::Unroll:
        return unroll(i);
      case Mark::Vector:
        return vector(i);
    }
  }

  Status parallel(size_t i) const {
    const Loop& loop = path_[i];
    if (loop.kind != LoopKind::Space) return decline(i, "sums up, and so cannot be parallel");
    if (i > 0 && path_[i - 1].mark != Mark::Parallel)
      return decline(i, "cannot be parallel: the loop around it is not");
    if (i >= kernel_.outer.size() && kernel_.nests.size() > 1)
      return decline(i, "cannot be parallel: the nests do not share it");
    const Split* split = kernel_.split_of_inner(loop.symbol);
    bool varies = split && (split->tail == Tail::Rest || split->tail == Tail::Even);
    varies = varies || kernel_.is_short(loop.symbol);
    for (size_t j = 0; j < i; ++j) varies = varies || kernel_.depends(loop.extent, path_[j].symbol);
    if (varies) return decline(i, "cannot be parallel: its iterations depend on the loop around it");
    return {};
  }

  // Of a loop whose iterations are not done one after another by one code: chunks must be alike.
  Status chunks(size_t i) const {
    const Loop& loop = path_[i];
    const Split* split = kernel_.split_of_outer(loop.symbol);
    if (split && split->tail == Tail::Even)
      return decline(i, cat("cannot be ", text_of(loop.mark), ": it is the outer loop of an even split"));
    if (split && split->tail == Tail::Rest && is_other_code(split->inner))
      return decline(i, cat("cannot be ", text_of(loop.mark), ": its last chunk is shorter, and chunks are ",
                            "split exactly or written out; split by a larger factor first"));
    return {};
  }

  // Whether a chunk shorter than others is other code: one whose iterations are written out, or in two loops
  // that take a whole one for granted.
  bool is_other_code(SymbolId inner) const {
    if (const Split* split = kernel_.split_of(inner)) return split->tail == Tail::Exact;
    auto at = std::ranges::find(path_, inner, &Loop::symbol);
    return at != path_.end() && is_written_out(at->mark);
  }

  Status call(size_t i) const {
    if (path_[i].kind != LoopKind::Space) return decline(i, "sums up, and so cannot be a call");
    if (i < kernel_.outer.size()) return decline(i, "is shared by the nests, and so cannot be a call");
    for (size_t j = 0; j < i; ++j) {
      if (path_[j].mark == Mark::Call) return decline(i, "cannot be a call: it is inside of one");
      if (path_[j].kind == LoopKind::Reduce || is_written_out(path_[j].mark))
        return decline(i, "cannot be a call: the loop around it is written out");
    }
    return {};
  }

  Status unroll(size_t i) const {
    const Loop& loop = path_[i];
    if (i < kernel_.outer.size()) return decline(i, "is shared by the nests, and so cannot be written out");
    if (!is_constant(loop.extent, i, loop.mark == Mark::Unroll && loop.kind == LoopKind::Reduce))
      return decline(i,
                     cat("cannot be ", text_of(loop.mark), ": its extent is not a constant; split it first"));
    if (kernel_.most(loop.extent).value_or(kMostUnrolled + 1) > kMostUnrolled)
      return decline(i, cat("cannot be ", text_of(loop.mark), ": more than ", kMostUnrolled, " iterations"));
    return {};
  }

  // Whether it is known in each iteration of the loops around loop `i` that are written out. Results are in
  // registers, as many for each: their loops have one extent.
  bool is_constant(const Index& extent, size_t i, bool may_vary) const {
    if (extent.is_constant()) return true;
    for (size_t s = 0; s < kernel_.symbols.size(); ++s) {
      const SymbolId symbol(s);
      const bool is_defined =
          kernel_[symbol].kind != SymbolKind::Size && kernel_[symbol].kind != SymbolKind::Loop;
      if (is_defined || !kernel_.depends(extent, symbol)) continue;
      auto around = path_.begin() + static_cast<std::ptrdiff_t>(i);
      auto at = std::find_if(path_.begin(), around, [&](const Loop& loop) { return loop.symbol == symbol; });
      if (at == around || at->mark != Mark::Unroll) return false;
    }
    return may_vary;
  }

  Status vector(size_t i) const {
    const Loop& loop = path_[i];
    if (i + 1 != path_.size()) return decline(i, "is vector, and so must be the innermost");
    if (i < kernel_.outer.size()) return decline(i, "is shared by the nests, and so cannot be vector");
    if (loop.extent != Index(kLanes))
      return decline(i, cat("cannot be vector: it must have ", kLanes, " iterations; split it first"));
    if (const Split* split = kernel_.split_of_inner(loop.symbol); split && split->tail == Tail::Even)
      return decline(i, "cannot be vector: its chunks differ in size");
    for (ValueId value : values_of(nest_)) {
      const Value& load = kernel_[value];
      if (load.kind == ValueKind::Load) TRY(access(i, load.buffer, load.indices, "read"));
    }
    for (const Store& store : nest_.stores) {
      TRY(access(i, store.buffer, store.indices, "written"));
    }
    return {};
  }

  Status access(size_t i, BufferId id, const std::vector<Index>& indices, std::string_view how) const {
    SymbolId symbol = path_[i].symbol;
    const Buffer& buffer = kernel_[id];
    for (size_t d = 0; d < indices.size(); ++d) {
      if (!kernel_.depends(indices[d], symbol)) continue;
      bool is_last = d + 1 == indices.size();
      bool is_unit = is_last && indices[d].is_linear_in(symbol) &&
                     indices[d].coefficient_of(symbol) == Index(1) &&
                     !kernel_.depends(indices[d] - Index(symbol), symbol) && buffer.strides[d] == Index(1);
      if (!is_unit)
        return decline(i, cat("cannot be vector: ", buffer.name, " is ", how,
                              " neither at consecutive elements nor at one"));
    }
    return {};
  }

  // All values that a nest computes.
  std::vector<ValueId> values_of(const Nest& nest) const {
    std::vector<bool> used(kernel_.values.size());
    auto use = [&](ValueId id) {
      if (id) used[id.index] = true;
    };
    use(nest.init);
    use(nest.term);
    for (const Store& store : nest.stores) use(store.value);
    for (size_t v = used.size(); v-- > 0;) {
      if (!used[v]) continue;
      for (ValueId operand : kernel_.values[v].operands) use(operand);
    }
    std::vector<ValueId> values;
    for (size_t v = 0; v < used.size(); ++v) {
      if (used[v]) values.push_back(ValueId(v));
    }
    return values;
  }

  const Kernel& kernel_;
  const Nest& nest_;
  std::vector<Loop> path_;
};

}  // namespace

std::vector<Loop> path_of(const Kernel& kernel, const Nest& nest) {
  std::vector<Loop> path = kernel.outer;
  path.insert(path.end(), nest.loops.begin(), nest.loops.end());
  return path;
}

namespace {

// Whether an index is a product of too many symbols, so that it is none.
bool has_too_large(const Kernel& kernel) {
  auto is_too_large = [](const Index& index) { return index.is_too_large(); };
  auto has_one = [&](const std::vector<Index>& indices) {
    return std::ranges::any_of(indices, is_too_large);
  };
  auto has_extent = [&](const std::vector<Loop>& loops) {
    return std::ranges::any_of(loops, is_too_large, &Loop::extent);
  };
  return std::ranges::any_of(
             kernel.symbols,
             [&](const Symbol& symbol) { return is_too_large(symbol.a) || is_too_large(symbol.b); }) ||
         std::ranges::any_of(kernel.values, has_one, &Value::indices) ||
         std::ranges::any_of(kernel.splits, is_too_large, &Split::extent) || has_extent(kernel.outer) ||
         std::ranges::any_of(kernel.nests, [&](const Nest& nest) {
           return has_extent(nest.loops) || std::ranges::any_of(nest.stores, has_one, &Store::indices);
         });
}

}  // namespace

Status check_loops(const Kernel& kernel) {
  if (has_too_large(kernel))
    return fail(ErrorCode::InvalidArgument, cat("an index is a product of more than ", Factors::kMost,
                                                " sizes and loops, or there are too many of these"));
  for (const Nest& nest : kernel.nests) {
    TRY(PathChecker(kernel, nest).run());
  }
  return {};
}

int64_t live_vectors(const Kernel& kernel) {
  int64_t most = 0;
  for (const Nest& nest : kernel.nests) {
    int64_t results = 1;
    int64_t columns = 1;  // vectors that one row of results takes
    bool inside = false;
    for (const Loop& loop : nest.loops) {
      inside = inside || loop.kind == LoopKind::Reduce;
      bool is_result =
          loop.mark == Mark::Partial || (loop.mark == Mark::Unroll && loop.kind == LoopKind::Space);
      if (!inside || !is_result) continue;
      results *= loop.extent.constant();
      columns = loop.extent.constant();
    }
    if (inside) most = std::max(most, results + columns + 1);
  }
  return most;
}

}  // namespace fuselane::loop
