// The order of a nest's loops, and how each is run. Legal in any order: Space iterations are independent, and
// sums may be taken in any order. What legality.h says of places is checked afterwards.
#include <algorithm>

#include "base/printer.h"
#include "loop/move_kinds.h"

namespace fuselane::loop {

Result<LoopPlace> find_loop(Kernel& kernel, std::string_view name) {
  auto named = [&](const Loop& loop) { return kernel[loop.symbol].name == name; };
  auto place = [&](std::vector<Loop>& loops, Nest* nest) {
    auto at = std::ranges::find_if(loops, named);
    if (at == loops.end()) return LoopPlace();
    return LoopPlace{&loops, static_cast<size_t>(at - loops.begin()), nest};
  };
  if (LoopPlace found = place(kernel.outer, nullptr); found.loops) return found;
  for (Nest& nest : kernel.nests) {
    if (LoopPlace found = place(nest.loops, &nest); found.loops) return found;
  }
  for (const Split& split : kernel.splits) {
    if (kernel[split.of].name == name)
      return fail(ErrorCode::InvalidArgument, cat("loop ", name, " was split into ", kernel[split.outer].name,
                                                  " and ", kernel[split.inner].name));
  }
  return fail(ErrorCode::InvalidArgument, cat("there is no loop ", name));
}

namespace {

// Values that have become equal become one.
void merge_values(Kernel& kernel) {
  std::vector<Value> before;
  before.swap(kernel.values);
  std::vector<ValueId> now;
  now.reserve(before.size());
  for (Value& value : before) {
    for (ValueId& operand : value.operands) operand = now[operand.index];
    now.push_back(kernel.value(std::move(value)));
  }
  auto renew = [&](ValueId& id) {
    if (id) id = now[id.index];
  };
  for (Nest& nest : kernel.nests) {
    renew(nest.init);
    renew(nest.term);
    for (Store& store : nest.stores) renew(store.value);
  }
}

}  // namespace

void replace_variable(Kernel& kernel, SymbolId variable, const Index& by) {
  auto replace = [&](Index& index) {
    if (!kernel.depends(index, variable)) return false;
    index = kernel.substitute(index, variable, by);
    return true;
  };
  bool may_merge = false;
  for (Value& value : kernel.values) {
    bool has_changed = false;
    for (Index& index : value.indices) has_changed = replace(index) || has_changed;
    may_merge = may_merge || (has_changed && std::ranges::count(kernel.values, value) > 1);
  }
  if (may_merge) merge_values(kernel);
  for (Nest& nest : kernel.nests) {
    for (Store& store : nest.stores) std::ranges::for_each(store.indices, replace);
    for (Loop& loop : nest.loops) replace(loop.extent);
  }
  for (Loop& loop : kernel.outer) replace(loop.extent);
}

Status apply_order(Kernel& kernel, const Move& move) {
  if (move.loops.empty()) return fail(ErrorCode::InvalidArgument, "an order needs the loops of a nest");
  LoopPlace first = TRY(find_loop(kernel, move.loops[0]));
  std::vector<Loop> ordered;
  for (const std::string& name : move.loops) {
    LoopPlace place = TRY(find_loop(kernel, name));
    if (place.loops != first.loops)
      return fail(ErrorCode::InvalidArgument,
                  cat("loops ", move.loops[0], " and ", name, " are not of one nest"));
    if (std::ranges::contains(ordered, *place))
      return fail(ErrorCode::InvalidArgument, cat("loop ", name, " is there twice"));
    ordered.push_back(*place);
  }
  for (const Loop& loop : *first.loops) {
    if (!std::ranges::contains(ordered, loop))
      return fail(ErrorCode::InvalidArgument, cat("the order lacks loop ", kernel[loop.symbol].name));
  }
  *first.loops = std::move(ordered);
  return {};
}

Status apply_mark(Kernel& kernel, const Move& move) {
  if (move.loops.empty()) return fail(ErrorCode::InvalidArgument, "a mark needs a loop");
  for (const std::string& name : move.loops) {
    LoopPlace place = TRY(find_loop(kernel, name));
    (*place).mark = move.mark;
    // Lanes are done at once: wherever the loop stood, that is as if it were the innermost.
    auto at = place.loops->begin() + static_cast<std::ptrdiff_t>(place.position);
    if (move.mark == Mark::Vector) std::rotate(at, at + 1, place.loops->end());
  }
  return {};
}

}  // namespace fuselane::loop
