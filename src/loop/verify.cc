#include "loop/verify.h"

#include <algorithm>

#include "base/printer.h"
#include "loop/legality.h"

namespace fuselane::loop {
namespace {

template <class... Parts>
std::unexpected<Error> wrong(const Parts&... parts) {
  return fail(ErrorCode::InvalidArgument, cat(parts...));
}

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel) {}

  Status run() {
    for (size_t i = 0; i < kernel_.symbols.size(); ++i) TRY(symbol(i));
    for (const Buffer& buffer : kernel_.buffers) TRY(this->buffer(buffer));
    for (size_t i = 0; i < kernel_.values.size(); ++i) TRY(value(i));
    for (const Split& split : kernel_.splits) TRY(this->split(split));
    TRY(loops_stand_once());
    for (const Nest& nest : kernel_.nests) TRY(this->nest(nest));
    return check_loops(kernel_);
  }

 private:
  template <class Tag>
  static bool is_in(Id<Tag> id, size_t size) {
    return id && id.index < size;
  }

  Status index(const Index& index) const {
    for (const Term& term : index.terms()) {
      for (SymbolId factor : term.factors) {
        if (!is_in(factor, kernel_.symbols.size())) return wrong("an index has a symbol that does not exist");
      }
    }
    return {};
  }

  Status symbol(size_t i) const {
    const Symbol& symbol = kernel_.symbols[i];
    TRY(index(symbol.a));
    TRY(index(symbol.b));
    bool is_named = symbol.kind == SymbolKind::Size || symbol.kind == SymbolKind::Loop;
    if (is_named == symbol.name.empty()) return wrong("symbol ", i, " must have a name, or must not");
    bool divides = symbol.kind == SymbolKind::Quotient || symbol.kind == SymbolKind::Remainder;
    if (divides && symbol.b.is_constant() && symbol.b.constant() < 1)
      return wrong("symbol ", i, " divides by zero");
    // What is defined by others comes after them, so that a definition ends.
    for (const Index* part : {&symbol.a, &symbol.b}) {
      for (const Term& term : part->terms()) {
        for (SymbolId factor : term.factors) {
          bool is_defined = !kernel_[factor].a.is_zero() || !kernel_[factor].b.is_zero();
          if (is_defined && factor.index >= i) return wrong("symbol ", i, " is defined by itself");
        }
      }
    }
    for (size_t j = 0; is_named && j < i; ++j) {
      if (kernel_.symbols[j].name == symbol.name) return wrong("there are two symbols ", symbol.name);
    }
    return {};
  }

  Status buffer(const Buffer& buffer) const {
    if (buffer.padded < 1) return wrong("buffer ", buffer.name, " is padded to 0");
    if (buffer.storage == Storage::Register && !buffer.strides.empty())
      return wrong("buffer ", buffer.name, " is in a register, and so has no strides");
    for (const Index& stride : buffer.strides) {
      TRY(index(stride));
      for (const Term& term : stride.terms()) {
        for (SymbolId factor : term.factors) {
          if (kernel_[factor].kind != SymbolKind::Size)
            return wrong("a stride of buffer ", buffer.name, " does not depend on sizes only");
        }
      }
    }
    return {};
  }

  Status value(size_t i) const {
    const Value& value = kernel_.values[i];
    for (ValueId operand : value.operands) {
      if (!is_in(operand, i)) return wrong("value ", i, " has an operand that does not come before it");
    }
    switch (value.kind) {
      case ValueKind::Constant:
        return {};
      case ValueKind::Result:
        return value.dtype == DType::F32 ? Status() : wrong("value ", i, ": a result is f32");
      case ValueKind::Load:
        return access(value.buffer, value.indices, value.dtype);
      case ValueKind::Apply:
        return apply(i, value);
      case ValueKind::Select: {
        bool fits = value.operands.size() == 3 && dtype(value, 0) == DType::I32 &&
                    dtype(value, 1) == value.dtype && dtype(value, 2) == value.dtype;
        return fits ? Status() : wrong("value ", i, ": select wants a truth and two values of one type");
      }
    }
  }

  DType dtype(const Value& value, size_t operand) const { return kernel_[value.operands[operand]].dtype; }

  Status apply(size_t i, const Value& value) const {
    const OperationInfo& info = info_of(value.operation);
    bool fits = value.operands.size() == info.operands && value.dtype == info.result;
    for (size_t o = 0; fits && o < value.operands.size(); ++o) fits = dtype(value, o) == info.operand;
    if (!fits) return wrong("value ", i, ": ", info.text, " has other operands or another type");
    if (value.operation != Operation::Shl && value.operation != Operation::ShrS) return {};
    const Value& count = kernel_[value.operands[1]];
    if (count.kind != ValueKind::Constant || count.bits > 31)
      return wrong("value ", i, ": ", info.text, " wants a constant count of 0 to 31");
    return {};
  }

  Status access(BufferId id, const std::vector<Index>& indices, DType dtype) const {
    if (!is_in(id, kernel_.buffers.size())) return wrong("an access is to a buffer that does not exist");
    const Buffer& buffer = kernel_[id];
    if (buffer.dtype != dtype) return wrong("an access to buffer ", buffer.name, " has another type");
    if (indices.size() != buffer.strides.size())
      return wrong("buffer ", buffer.name, " has ", buffer.strides.size(), " dimensions, not ",
                   indices.size());
    for (const Index& one : indices) TRY(index(one));
    return {};
  }

  Status split(const Split& split) const {
    for (SymbolId id : {split.of, split.outer, split.inner}) {
      if (!is_in(id, kernel_.symbols.size()) || kernel_[id].kind != SymbolKind::Loop)
        return wrong("a split is not of loops");
    }
    const std::string& name = kernel_[split.of].name;
    TRY(index(split.extent));
    TRY(index(split.factor));
    if (split.factor.is_constant() && split.factor.constant() < 1)
      return wrong("the split of ", name, " is by 0");
    if ((split.tail == Tail::Even) != static_cast<bool>(split.start))
      return wrong("the split of ", name, " has a start, and is not even, or none, and is");
    if (split.start &&
        (!is_in(split.start, kernel_.symbols.size()) || kernel_[split.start].kind != SymbolKind::Start ||
         kernel_[split.start].a != Index(split.outer)))
      return wrong("the start of the split of ", name, " is not one");
    bool is_even_or_padded = split.tail == Tail::Even || split.tail == Tail::Padded;
    if (is_even_or_padded && !split.factor.is_constant())
      return wrong("the split of ", name, " is ", text_of(split.tail), ", and so needs a constant factor");
    if (std::ranges::count(kernel_.splits, split.of, &Split::of) > 1) return wrong(name, " is split twice");
    return {};
  }

  Status loops_stand_once() {
    std::vector<const Loop*> all;
    for (const Loop& loop : kernel_.outer) all.push_back(&loop);
    for (const Nest& nest : kernel_.nests) {
      for (const Loop& loop : nest.loops) all.push_back(&loop);
    }
    for (const Loop* loop : all) {
      bool is_loop =
          is_in(loop->symbol, kernel_.symbols.size()) && kernel_[loop->symbol].kind == SymbolKind::Loop;
      if (!is_loop) return wrong("a loop has no variable");
      TRY(index(loop->extent));
      const std::string& name = kernel_[loop->symbol].name;
      if (std::ranges::count(all, loop->symbol, [](const Loop* one) { return one->symbol; }) > 1)
        return wrong("there are two loops ", name);
      if (kernel_.split_of(loop->symbol)) return wrong("loop ", name, " was split, and is still there");
    }
    return {};
  }

  Status nest(const Nest& nest) const {
    bool reduces = std::ranges::contains(nest.loops, LoopKind::Reduce, &Loop::kind);
    for (ValueId id : {nest.init, nest.term}) {
      if (id && (!is_in(id, kernel_.values.size()) || kernel_[id].dtype != DType::F32))
        return wrong("nest ", nest.name, " sums up what is not f32");
    }
    if (static_cast<bool>(nest.term) != static_cast<bool>(nest.init) || (reduces && !nest.term))
      return wrong("nest ", nest.name, " needs both a term and what the sum begins with");
    std::vector<SymbolId> space, all;
    for (const Loop& loop : path_of(kernel_, nest)) {
      all.push_back(loop.symbol);
      if (loop.kind == LoopKind::Space) space.push_back(loop.symbol);
    }
    if (nest.term) {
      TRY(scope(nest, nest.term, all, false));
      TRY(scope(nest, nest.init, space, false));
    }
    for (const Store& store : nest.stores) {
      if (!is_in(store.value, kernel_.values.size())) return wrong("nest ", nest.name, " stores no value");
      TRY(access(store.buffer, store.indices, kernel_[store.value].dtype));
      TRY(scope(nest, store.value, space, static_cast<bool>(nest.term)));
      for (const Index& one : store.indices) TRY(in_scope(nest, one, space));
      const Buffer& buffer = kernel_[store.buffer];
      if (!buffer.written)
        return wrong("nest ", nest.name, " stores to ", buffer.name, ", which is not written");
      bool has_space = std::ranges::contains(nest.loops, LoopKind::Space, &Loop::kind);
      if (buffer.storage == Storage::Register && has_space)
        return wrong("nest ", nest.name, " has loops of its own, and stores to ", buffer.name,
                     ", which is one register");
    }
    return {};
  }

  // Whether all that a value is computed from is there: loops, and the result.
  Status scope(const Nest& nest, ValueId id, const std::vector<SymbolId>& loops, bool has_result) const {
    std::vector<bool> used(id.index + 1);
    used[id.index] = true;
    for (size_t v = id.index + 1; v-- > 0;) {
      if (!used[v]) continue;
      const Value& value = kernel_.values[v];
      if (value.kind == ValueKind::Result && !has_result)
        return wrong("nest ", nest.name, " reads its result where there is none");
      for (ValueId operand : value.operands) used[operand.index] = true;
      for (const Index& one : value.indices) TRY(in_scope(nest, one, loops));
    }
    return {};
  }

  Status in_scope(const Nest& nest, const Index& index, const std::vector<SymbolId>& loops) const {
    for (size_t i = 0; i < kernel_.symbols.size(); ++i) {
      SymbolId symbol(i);
      if (kernel_[symbol].kind == SymbolKind::Loop && kernel_.depends(index, symbol) &&
          !std::ranges::contains(loops, symbol))
        return wrong("nest ", nest.name, " uses ", kernel_[symbol].name, " where it is not a loop");
    }
    return {};
  }

  const Kernel& kernel_;
};

}  // namespace

Status verify(const Kernel& kernel) { return Verifier(kernel).run(); }

}  // namespace fuselane::loop
