#include "loop/print.h"

#include <algorithm>
#include <bit>

#include "base/printer.h"
#include "text/lexer.h"

namespace fuselane::loop {
namespace {

class IndexPrinter {
 public:
  explicit IndexPrinter(const Kernel& kernel) : kernel_(kernel) {}

  // Larger coefficients first, then by name, the constant last: no order of ids.
  std::string index(const Index& index) const {
    struct Line {
      int64_t coefficient;
      std::string product;
    };
    std::vector<Line> lines;
    for (const Term& term : index.terms()) {
      if (!term.factors.empty()) lines.push_back({term.coefficient, product(term)});
    }
    std::ranges::sort(lines, [](const Line& a, const Line& b) {
      return std::pair(-a.coefficient, std::string_view(a.product)) <
             std::pair(-b.coefficient, std::string_view(b.product));
    });
    std::string out;
    for (const Line& line : lines) add(out, line.coefficient, line.product);
    if (out.empty() || index.constant() != 0) add(out, index.constant(), "");
    return out;
  }

 private:
  void add(std::string& out, int64_t coefficient, std::string_view product) const {
    if (!out.empty()) append(out, coefficient < 0 ? " - " : " + ");
    if (!out.empty() && coefficient < 0) coefficient = -coefficient;
    if (product.empty() || coefficient != 1) append(out, coefficient);
    if (!product.empty() && coefficient != 1) append(out, "*");
    append(out, product);
  }

  std::string product(const Term& term) const {
    std::vector<std::string> factors;
    for (SymbolId factor : term.factors) factors.push_back(symbol(kernel_[factor]));
    std::ranges::sort(factors);
    return join(factors, "*");
  }

  std::string operand(const Index& part) const {
    return part.terms().size() > 1 ? cat("(", index(part), ")") : index(part);
  }

  std::string symbol(const Symbol& symbol) const {
    switch (symbol.kind) {
      case SymbolKind::Size:
      case SymbolKind::Loop:
        return symbol.name;
      case SymbolKind::Quotient:
        return cat("(", operand(symbol.a), " / ", operand(symbol.b), ")");
      case SymbolKind::Remainder:
        return cat("(", operand(symbol.a), " mod ", operand(symbol.b), ")");
      case SymbolKind::Minimum:
        return cat("min(", index(symbol.a), ", ", index(symbol.b), ")");
      case SymbolKind::Start:
        return cat("start(", index(symbol.a), ")");
    }
  }

  const Kernel& kernel_;
};

class KernelPrinter {
 public:
  explicit KernelPrinter(const Kernel& kernel) : kernel_(kernel), index_(kernel) {}

  std::string run() {
    append(out_, "kernel ");
    append_quoted(out_, kernel_.name);
    append(out_, " {\n");
    std::vector<std::string_view> sizes;
    for (const Symbol& symbol : kernel_.symbols) {
      if (symbol.kind == SymbolKind::Size) sizes.push_back(symbol.name);
    }
    if (!sizes.empty()) append(out_, cat("  size ", join(sizes), "\n"));
    for (const Buffer& buffer : kernel_.buffers) this->buffer(buffer);
    loops();
    for (const Split& split : kernel_.splits) this->split(split);
    for (const Loop& loop : kernel_.outer) this->loop("  outer for ", loop);
    for (const Nest& nest : kernel_.nests) this->nest(nest);
    append(out_, "}\n");
    return std::move(out_);
  }

 private:
  std::string_view name(SymbolId id) const { return kernel_[id].name; }

  void buffer(const Buffer& buffer) {
    append(out_, buffer.storage == Storage::Memory ? "  memory " : "  register ");
    append(out_, cat(buffer.name, buffer.dtype == DType::F32 ? " f32" : " i32"));
    if (buffer.written) append(out_, " written");
    if (buffer.padded != 1) append(out_, cat(" padded ", buffer.padded));
    if (buffer.storage == Storage::Memory) append(out_, cat(" strides ", list(buffer.strides)));
    append(out_, "\n");
  }

  // Quotients and the like that extents depend on and that were there before the loops of splits. How many
  // chunks the first split makes is one that came with it.
  std::vector<SymbolId> early_indices() const {
    std::vector<SymbolId> early;
    for (size_t i = 0; i < kernel_.symbols.size(); ++i) {
      const SymbolId symbol(i);
      if (!kernel_.splits.empty() && kernel_.splits[0].outer.index < i) break;
      const SymbolKind kind = kernel_[symbol].kind;
      if (kind == SymbolKind::Size || kind == SymbolKind::Loop || is_of_first_split(kernel_[symbol]))
        continue;
      auto depends = [&](const Loop& loop) { return kernel_.depends(loop.extent, symbol); };
      const bool is_used = std::ranges::any_of(kernel_.outer, depends) ||
                           std::ranges::any_of(kernel_.nests, [&](const Nest& nest) {
                             return std::ranges::any_of(nest.loops, depends);
                           });
      if (is_used) early.push_back(symbol);
    }
    return early;
  }

  bool is_of_first_split(const Symbol& symbol) const {
    if (kernel_.splits.empty()) return false;
    const Split& split = kernel_.splits[0];
    const Index most = symbol.a - split.extent;
    return symbol.kind == SymbolKind::Quotient && symbol.b == split.factor &&
           (most == split.factor - 1 || most.is_zero());
  }

  // The loops that no split made, and what extents depend on, where the kernel has them in another order than
  // that in which the rest of the text names them: terms of indices are in the kernel's order.
  void loops() {
    const std::vector<SymbolId> early = early_indices();
    std::vector<SymbolId> named;
    auto name_root = [&](SymbolId symbol) {
      bool is_root = !kernel_.split_of_inner(symbol) && !kernel_.split_of_outer(symbol);
      if (is_root && !std::ranges::contains(named, symbol)) named.push_back(symbol);
    };
    for (const Split& split : kernel_.splits) name_root(split.of);
    for (const Loop& loop : kernel_.outer) name_root(loop.symbol);
    for (const Nest& nest : kernel_.nests) {
      for (const Loop& loop : nest.loops) name_root(loop.symbol);
    }
    if (early.empty() && std::ranges::is_sorted(named, {}, &SymbolId::index)) return;
    std::ranges::sort(named, {}, &SymbolId::index);
    std::vector<std::string_view> names;
    for (SymbolId symbol : named) names.push_back(name(symbol));
    append(out_, cat("  loops ", join(names), "\n"));
    std::vector<Index> indices(early.begin(), early.end());
    if (!indices.empty()) append(out_, cat("  indices ", list(indices), "\n"));
  }

  std::string list(const std::vector<Index>& indices) const {
    std::vector<std::string> texts;
    for (const Index& index : indices) texts.push_back(index_.index(index));
    return cat("[", join(texts), "]");
  }

  void split(const Split& split) {
    append(out_,
           cat("  split ", name(split.of), " ", index_.index(split.factor), " ", text_of(split.tail), " as ",
               name(split.outer), ", ", name(split.inner), " extent ", index_.index(split.extent), "\n"));
  }

  void loop(std::string_view before, const Loop& loop) {
    append(out_, cat(before, name(loop.symbol), loop.kind == LoopKind::Space ? " in " : " sums ",
                     index_.index(loop.extent)));
    if (loop.mark != Mark::Serial) append(out_, cat(" ", text_of(loop.mark)));
    append(out_, "\n");
  }

  void nest(const Nest& nest) {
    append(out_, "  nest ");
    append_quoted(out_, nest.name);
    append(out_, " {\n");
    for (const Loop& loop : nest.loops) this->loop("    for ", loop);
    count_uses(nest);
    names_.assign(kernel_.values.size(), -1);
    named_ = 0;
    if (nest.term) {
      define(nest.init);
      append(out_, cat("    reduce ", text_of(nest.combine), " from ", value(nest.init), "\n"));
      define(nest.term);
      append(out_, cat("    term ", value(nest.term), "\n"));
    }
    for (const Store& store : nest.stores) {
      define(store.value);
      append(out_, cat("    store ", access(store.buffer, store.indices), " = ", value(store.value), "\n"));
    }
    append(out_, "  }\n");
  }

  void count_uses(const Nest& nest) {
    uses_.assign(kernel_.values.size(), 0);
    auto use = [&](ValueId id) {
      if (id) ++uses_[id.index];
    };
    use(nest.init);
    use(nest.term);
    for (const Store& store : nest.stores) use(store.value);
    for (size_t v = kernel_.values.size(); v-- > 0;) {
      if (uses_[v] == 0) continue;
      for (ValueId operand : kernel_.values[v].operands) use(operand);
    }
  }

  bool is_leaf(ValueId id) const {
    return kernel_[id].operands.empty() && kernel_[id].kind != ValueKind::Load;
  }

  // Lines for what is used more than once, operands first.
  void define(ValueId id) {
    if (names_[id.index] >= 0 || is_leaf(id)) return;
    for (ValueId operand : kernel_[id].operands) define(operand);
    if (uses_[id.index] < 2) return;
    std::string text = value(id);
    names_[id.index] = named_++;
    append(out_, cat("    %", names_[id.index], " = ", text, "\n"));
  }

  std::string access(BufferId id, const std::vector<Index>& indices) const {
    const Buffer& buffer = kernel_[id];
    return buffer.storage == Storage::Register ? buffer.name : cat(buffer.name, list(indices));
  }

  std::string constant(const Value& value) const {
    if (value.dtype == DType::I32) return cat("i32 ", static_cast<int32_t>(value.bits));
    return cat(std::bit_cast<float>(value.bits));
  }

  std::string value(ValueId id) const {
    if (names_[id.index] >= 0) return cat("%", names_[id.index]);
    const Value& value = kernel_[id];
    switch (value.kind) {
      case ValueKind::Constant:
        return constant(value);
      case ValueKind::Load:
        return access(value.buffer, value.indices);
      case ValueKind::Result:
        return "result";
      case ValueKind::Apply:
        return cat(info_of(value.operation).text, operands(value));
      case ValueKind::Select:
        return cat("select", operands(value));
    }
  }

  std::string operands(const Value& value) const {
    std::vector<std::string> texts;
    for (ValueId operand : value.operands) texts.push_back(this->value(operand));
    return cat("(", join(texts), ")");
  }

  const Kernel& kernel_;
  IndexPrinter index_;
  std::string out_;
  std::vector<uint32_t> uses_;
  std::vector<int32_t> names_;  // of values that have one, in the nest that is printed
  int32_t named_ = 0;
};

}  // namespace

std::string print(const Kernel& kernel) { return KernelPrinter(kernel).run(); }
std::string print(const Kernel& kernel, const Index& index) { return IndexPrinter(kernel).index(index); }

}  // namespace fuselane::loop
