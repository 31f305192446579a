// One loop becomes two, and its variable the sum of where the chunk starts and the place in the chunk.
//
// Legal for every loop: each of its iterations is done once, in the same order. But for Padded, which
// computes iterations that do not exist: those must read what is there, and nothing they compute may be used.
// So what is summed up is read from padded buffers, wherever it depends on the loop, and they are not summed
// up themselves. Their stores are left out, with all that is read for these alone.
#include <algorithm>

#include "base/printer.h"
#include "loop/move_kinds.h"

namespace fuselane::loop {
namespace {

std::unexpected<Error> decline(const Move& move, std::string_view why) {
  return fail(ErrorCode::InvalidArgument, cat("loop ", move.loops[0], " cannot be split: ", why));
}

bool is_taken(const Kernel& kernel, std::string_view name) {
  return std::ranges::contains(kernel.symbols, name, &Symbol::name);
}

Result<Index> factor_of(Kernel& kernel, const Move& move) {
  if (move.factor_size.empty()) {
    if (move.factor < 1 || move.factor > 1 << 20)
      return decline(move, "the factor must be from 1 to 1048576");
    return move.factor;
  }
  for (size_t i = 0; i < kernel.symbols.size(); ++i) {
    if (kernel.symbols[i].name != move.factor_size) continue;
    if (kernel.symbols[i].kind != SymbolKind::Size)
      return decline(move, cat("the factor ", move.factor_size, " is not a size"));
    return SymbolId(i);
  }
  return kernel.size(move.factor_size);
}

// Whether reading at iterations past the last, up to a multiple of `factor`, is reading what a padded buffer
// has: its last dimension is indexed by the variable, or by its remainder where the others have the quotient.
bool reads_padding(const Kernel& kernel, const Value& load, SymbolId variable, int64_t factor) {
  const Buffer& buffer = kernel[load.buffer];
  if (buffer.padded % factor != 0) return false;
  int64_t padded = buffer.padded;
  for (size_t d = 0; d < load.indices.size(); ++d) {
    if (!kernel.depends(load.indices[d], variable)) continue;
    bool is_last = d + 1 == load.indices.size();
    if (is_last && load.indices[d] == Index(variable)) continue;
    const Terms& terms = load.indices[d].terms();
    if (terms.size() != 1 || terms[0].coefficient != 1 || !terms[0].factors.is_symbol()) return false;
    const Symbol& symbol = kernel[terms[0].factors.first()];
    bool is_part = symbol.a == Index(variable) && symbol.b == Index(padded);
    if (!is_part || symbol.kind != (is_last ? SymbolKind::Remainder : SymbolKind::Quotient)) return false;
  }
  return true;
}

Status check_padded(const Kernel& kernel, const Move& move, const Loop& loop) {
  if (loop.kind == LoopKind::Reduce) return decline(move, "what sums up cannot be padded");
  if (!move.factor_size.empty()) return decline(move, "padded needs a constant factor");
  if (kernel.split_of_inner(loop.symbol) || kernel.split_of_outer(loop.symbol))
    return decline(move, "padded needs a loop that was not split before");
  std::vector<bool> is_summed(kernel.values.size());
  for (const Nest& nest : kernel.nests) {
    for (ValueId id : {nest.init, nest.term}) {
      if (id) is_summed[id.index] = true;
    }
  }
  for (size_t v = kernel.values.size(); v-- > 0;) {
    const Value& value = kernel.values[v];
    if (!is_summed[v]) continue;
    for (ValueId operand : value.operands) is_summed[operand.index] = true;
    if (value.kind != ValueKind::Load) continue;
    bool depends = std::ranges::any_of(
        value.indices, [&](const Index& index) { return kernel.depends(index, loop.symbol); });
    if (depends && !reads_padding(kernel, value, loop.symbol, move.factor))
      return decline(move, cat("buffer ", kernel[value.buffer].name, " is not padded to ", move.factor));
  }
  return {};
}

// The iterations of the loop in full chunks of the splits that made it.
Status check_exact(Kernel& kernel, const Move& move, const Loop& loop, const Index& factor) {
  if (kernel.remainder(loop.extent, factor).is_zero()) return {};
  return decline(move, "the factor does not divide the extent");
}

Status check_tail(Kernel& kernel, const Move& move, const Loop& loop, const Index& factor) {
  if (const Split* made = kernel.split_of_inner(loop.symbol); made && made->tail == Tail::Even)
    return decline(move, "it is the inner loop of an even split");
  if (const Split* made = kernel.split_of_outer(loop.symbol)) {
    bool is_fixed = made->tail == Tail::Padded || made->tail == Tail::Exact;
    if (!is_fixed || kernel.is_short(loop.symbol))
      return decline(move, cat("iterations of ", kernel[made->inner].name, " depend on it; split the larger ",
                               "factor first, then the inner loop"));
  }
  switch (move.tail) {
    case Tail::Exact:
      return check_exact(kernel, move, loop, factor);
    case Tail::Rest:
      return {};
    case Tail::Even:
      if (!factor.is_constant()) return decline(move, "even needs a constant factor");
      return {};
    case Tail::Padded:
      return check_padded(kernel, move, loop);
  }
}

SymbolId start_of(Kernel& kernel, SymbolId outer) {
  kernel.symbols.push_back({"", SymbolKind::Start, outer, {}, 0});
  return SymbolId(kernel.symbols.size() - 1);
}

}  // namespace

Status apply_split(Kernel& kernel, const Move& move) {
  if (move.outer == move.inner || is_taken(kernel, move.outer) || is_taken(kernel, move.inner))
    return decline(move, cat("the names ", move.outer, " and ", move.inner, " must be new"));
  LoopPlace place = TRY(find_loop(kernel, move.loops[0]));
  Loop before = *place;
  if (before.mark != Mark::Serial) return decline(move, cat("it is ", text_of(before.mark)));
  Index factor = TRY(factor_of(kernel, move));
  TRY(check_tail(kernel, move, before, factor));
  Split split{.of = before.symbol,
              .outer = {},
              .inner = {},
              .extent = kernel.iterations(before),
              .factor = factor,
              .tail = move.tail,
              .start = {}};
  // An Exact split of a loop that is shorter in the last chunk is what it is in the others.
  Index chunks = move.tail == Tail::Exact ? kernel.quotient(before.extent, factor)
                                          : kernel.quotient(split.extent + factor - 1, factor);
  auto bound = [&](const Index& extent) { return kernel.most(extent).value_or(0); };
  split.outer = kernel.variable(move.outer, bound(chunks));
  split.inner = kernel.variable(move.inner, bound(factor));
  Index value = factor * Index(split.outer) + Index(split.inner);
  if (move.tail == Tail::Even) {
    split.start = start_of(kernel, split.outer);
    value = Index(split.start) + Index(split.inner);
  }
  kernel.splits.push_back(split);
  *place = {split.outer, before.kind, Mark::Serial, chunks};
  place.loops->insert(place.loops->begin() + static_cast<std::ptrdiff_t>(place.position) + 1,
                      {split.inner, before.kind, Mark::Serial, factor});
  replace_variable(kernel, before.symbol, value);
  return {};
}

}  // namespace fuselane::loop
