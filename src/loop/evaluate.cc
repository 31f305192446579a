#include "loop/evaluate.h"

#include <algorithm>

#include "base/checked.h"

namespace fuselane::loop {
namespace {

int64_t symbol_value(const Kernel& kernel, SymbolId id, std::span<const int64_t> values) {
  const Symbol& symbol = kernel[id];
  auto value = [&](const Index& index) { return evaluate(kernel, index, values); };
  switch (symbol.kind) {
    case SymbolKind::Size:
      return values[id.index];
    case SymbolKind::Loop: {
      const Split* split = kernel.split_of(id);
      if (!split) return values[id.index];
      return value(kernel.position(id));
    }
    case SymbolKind::Quotient:
      return value(symbol.a) / std::max<int64_t>(value(symbol.b), 1);
    case SymbolKind::Remainder:
      return value(symbol.a) % std::max<int64_t>(value(symbol.b), 1);
    case SymbolKind::Minimum:
      return std::min(value(symbol.a), value(symbol.b));
    case SymbolKind::Start: {
      auto at = std::ranges::find(kernel.splits, id, &Split::start);
      if (at == kernel.splits.end()) return 0;
      int64_t extent = value(at->extent);
      int64_t chunks = std::max<int64_t>(ceil_div(extent, std::max<int64_t>(value(at->factor), 1)), 1);
      int64_t outer = value(at->outer);
      return outer * (extent / chunks) + std::min(outer, extent % chunks);
    }
  }
}

}  // namespace

std::vector<SymbolId> sizes_of(const Kernel& kernel) {
  std::vector<SymbolId> sizes;
  for (size_t i = 0; i < kernel.symbols.size(); ++i) {
    if (kernel.symbols[i].kind == SymbolKind::Size) sizes.push_back(SymbolId(i));
  }
  return sizes;
}

int64_t evaluate(const Kernel& kernel, const Index& index, std::span<const int64_t> values) {
  int64_t sum = 0;
  for (const Term& term : index.terms()) {
    int64_t product = term.coefficient;
    for (SymbolId factor : term.factors)
      product = wrapping_mul(product, symbol_value(kernel, factor, values));
    sum = wrapping_add(sum, product);
  }
  return sum;
}

int64_t parallel_extent(const Kernel& kernel, std::span<const int64_t> sizes) {
  std::vector<int64_t> values(kernel.symbols.size());
  size_t next = 0;
  for (SymbolId size : sizes_of(kernel)) values[size.index] = next < sizes.size() ? sizes[next++] : 0;
  int64_t product = 1;
  auto multiply = [&](const std::vector<Loop>& loops) {
    for (const Loop& loop : loops) {
      if (loop.mark == Mark::Parallel) product = wrapping_mul(product, evaluate(kernel, loop.extent, values));
    }
  };
  multiply(kernel.outer);
  if (kernel.nests.size() == 1) multiply(kernel.nests[0].loops);
  return product;
}

}  // namespace fuselane::loop
