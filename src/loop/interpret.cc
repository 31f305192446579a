#include "loop/interpret.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/printer.h"
#include "loop/evaluate.h"
#include "loop/legality.h"

namespace fuselane::loop {
namespace {

float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
uint32_t truth(bool value) { return value ? 0xffffffffu : 0; }

float wasm_min(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
float wasm_max(float a, float b) { return -wasm_min(-a, -b); }

uint32_t to_int(float x) {
  if (std::isnan(x)) return 0;
  if (x >= 2147483648.0f) return 0x7fffffffu;
  if (x <= -2147483648.0f) return 0x80000000u;
  return static_cast<uint32_t>(static_cast<int32_t>(x));
}

// Operands and result as bits.
uint32_t compute(Operation operation, uint32_t a, uint32_t b) {
  float x = as_float(a);
  float y = as_float(b);
  switch (operation) {
    case Operation::Add:
      return bits_of(x + y);
    case Operation::Sub:
      return bits_of(x - y);
    case Operation::Mul:
      return bits_of(x * y);
    case Operation::Div:
      return bits_of(y == 0 && x != 0 && !std::isnan(x) && !std::isnan(y)
                         ? std::copysign(std::numeric_limits<float>::infinity(),
                                         std::signbit(x) == std::signbit(y) ? 1.0f : -1.0f)
                     : y == 0 ? std::numeric_limits<float>::quiet_NaN()
                              : x / y);
    case Operation::MulAdd:  // has a third operand: multiply_add()
      return 0;
    case Operation::Min:
      return bits_of(wasm_min(x, y));
    case Operation::Max:
      return bits_of(wasm_max(x, y));
    case Operation::PMin:
      return y < x ? b : a;
    case Operation::PMax:
      return x < y ? b : a;
    case Operation::Neg:
      return a ^ 0x80000000u;
    case Operation::Abs:
      return a & 0x7fffffffu;
    case Operation::Sqrt:
      return bits_of(std::sqrt(x));
    case Operation::Floor:
      return bits_of(std::floor(x));
    case Operation::Ceil:
      return bits_of(std::ceil(x));
    case Operation::Nearest:
      return bits_of(std::nearbyint(x));
    case Operation::Less:
      return truth(x < y);
    case Operation::LessEqual:
      return truth(x <= y);
    case Operation::Equal:
      return truth(x == y);
    case Operation::IAdd:
      return a + b;
    case Operation::ISub:
      return a - b;
    case Operation::And:
      return a & b;
    case Operation::Or:
      return a | b;
    case Operation::Xor:
      return a ^ b;
    case Operation::Shl:
      return a << (b & 31);
    case Operation::ShrS:
      return static_cast<uint32_t>(static_cast<int32_t>(a) >> (b & 31));
    case Operation::ToInt:
      return to_int(x);
    case Operation::ToFloat:
      return bits_of(static_cast<float>(static_cast<int32_t>(a)));
    case Operation::AsInt:
    case Operation::AsFloat:
      return a;
  }
}

uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c, bool fuses) {
  const float x = as_float(a), y = as_float(b), z = as_float(c);
  if (fuses) return bits_of(std::fma(x, y, z));
  const float product = x * y;
  return bits_of(product + z);
}

Operation operation_of(Combine combine) {
  switch (combine) {
    case Combine::Add:
      return Operation::Add;
    case Combine::Mul:
      return Operation::Mul;
    case Combine::Max:
      return Operation::Max;
    case Combine::Min:
      return Operation::Min;
  }
}

class Interpreter {
 public:
  Interpreter(const Kernel& kernel, const Arguments& arguments)
      : kernel_(kernel),
        arguments_(arguments),
        symbols_(kernel.symbols.size()),
        values_(kernel.values.size()),
        registers_(kernel.buffers.size()) {}

  Status run(int64_t begin, int64_t end) {
    TRY(bind_sizes());
    TRY(bind_buffers());
    int64_t extent = parallel_extent(kernel_, arguments_.sizes);
    if (begin < 0 || end > extent)
      return fail(ErrorCode::InvalidArgument, cat("the range ", begin, " to ", end,
                                                  " is not within the kernel's ", extent, " iterations"));
    for (int64_t i = begin; i < end; ++i) {
      iteration_ = i;
      left_ = extent;
      TRY(outer(0));
    }
    return {};
  }

  // Buffers are then not there, and all that is loaded is zero.
  Result<std::vector<std::vector<int64_t>>> touched() {
    touched_.emplace();
    for (const Buffer& buffer : kernel_.buffers) touched_->emplace_back(buffer.strides.size());
    TRY(bind_sizes());
    TRY(outer(0));
    if (meets_remainder_) {
      most_run_ = std::numeric_limits<int64_t>::max();
      TRY(outer(0));
    }
    std::vector<std::vector<int64_t>> in_memory;
    for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
      if (kernel_.buffers[b].storage == Storage::Memory) in_memory.push_back(std::move((*touched_)[b]));
    }
    return in_memory;
  }

 private:
  Status bind_sizes() {
    std::vector<SymbolId> sizes = sizes_of(kernel_);
    if (arguments_.sizes.size() != sizes.size())
      return fail(ErrorCode::InvalidArgument, cat("kernel ", kernel_.name, " has ", sizes.size(),
                                                  " sizes, not ", arguments_.sizes.size()));
    for (size_t i = 0; i < sizes.size(); ++i) symbols_[sizes[i].index] = arguments_.sizes[i];
    return {};
  }

  Status bind_buffers() {
    size_t memory = 0;
    for (const Buffer& buffer : kernel_.buffers) {
      places_.push_back(memory);
      if (buffer.storage != Storage::Memory) continue;
      bool fits = memory < arguments_.buffers.size() &&
                  (arguments_.buffers[memory].index() == 0) == (buffer.dtype == DType::F32);
      if (!fits)
        return fail(ErrorCode::InvalidArgument, cat("there is no argument for buffer ", buffer.name));
      ++memory;
    }
    if (memory != arguments_.buffers.size())
      return fail(ErrorCode::InvalidArgument, "there are more arguments than buffers");
    return {};
  }

  int64_t value(const Index& index) const { return evaluate(kernel_, index, symbols_); }

  // Iterations of a loop whose outer loops are being run.
  int64_t iterations(const Loop& loop) const {
    const Split* split = kernel_.split_of_inner(loop.symbol);
    bool is_short = kernel_.is_short(loop.symbol);
    if (split && split->tail == Tail::Even) {
      int64_t extent = value(split->extent);
      int64_t chunks = ceil_div(extent, value(split->factor));
      if (chunks == 0) return 0;
      return extent / chunks + (value(split->outer) < extent % chunks ? 1 : 0);
    }
    if (!is_short) return value(loop.extent);
    if (split) {
      int64_t factor = value(split->factor);
      return std::min(factor, value(split->extent) - factor * value(split->outer));
    }
    split = kernel_.split_of_outer(loop.symbol);
    return ceil_div(value(split->extent), value(split->factor));
  }

  // Calls body for each iteration; of a parallel loop only for the one of this call. Where it is asked what
  // is touched, for the ends of a long one: the iterations that a padded split adds are in short ones.
  template <class Body>
  Status each(const Loop& loop, Body body) {
    int64_t extent = iterations(loop);
    if (loop.mark == Mark::Parallel && !touched_) {
      left_ /= extent;
      symbols_[loop.symbol.index] = iteration_ / left_ % extent;
      return body();
    }
    const int64_t step = touched_ && extent > most_run_ ? extent - 1 : 1;
    for (int64_t i = 0; i < extent; i += step) {
      symbols_[loop.symbol.index] = i;
      TRY(body());
    }
    return {};
  }

  Status outer(size_t at) {
    if (at < kernel_.outer.size()) return each(kernel_.outer[at], [&] { return outer(at + 1); });
    for (const Nest& nest : kernel_.nests) {
      nest_ = &nest;
      space_.clear();
      reduce_.clear();
      for (const Loop& loop : nest.loops) (loop.kind == LoopKind::Space ? space_ : reduce_).push_back(&loop);
      TRY(space(0));
    }
    return {};
  }

  Status space(size_t at) {
    if (at < space_.size()) return each(*space_[at], [&] { return space(at + 1); });
    if (nest_->term) {
      result_ = TRY(compute_value(nest_->init));
      TRY(reduce(0));
    }
    if (is_past_the_end()) return {};
    for (const Store& store : nest_->stores) {
      uint32_t bits = TRY(compute_value(store.value));
      uint32_t* to = TRY(element(store.buffer, store.indices));
      *to = bits;
    }
    return {};
  }

  Status reduce(size_t at) {
    if (at < reduce_.size()) return each(*reduce_[at], [&] { return reduce(at + 1); });
    result_ = compute(operation_of(nest_->combine), result_, TRY(compute_value(nest_->term)));
    return {};
  }

  // Whether this iteration is one of those that a padded split adds.
  bool is_past_the_end() const {
    return std::ranges::any_of(kernel_.splits, [&](const Split& split) {
      return split.tail == Tail::Padded && is_run(split.inner) && value(split.of) >= value(split.extent);
    });
  }

  bool is_run(SymbolId symbol) const {
    if (const Split* split = kernel_.split_of(symbol)) return is_run(split->inner);
    return std::ranges::contains(kernel_.outer, symbol, &Loop::symbol) ||
           std::ranges::contains(nest_->loops, symbol, &Loop::symbol);
  }

  Result<uint32_t*> element(BufferId id, const std::vector<Index>& indices) {
    const Buffer& buffer = kernel_[id];
    if (buffer.storage == Storage::Register) return &registers_[id.index];
    if (touched_) return touch(id, indices);
    int64_t place = 0;
    for (size_t d = 0; d < indices.size(); ++d) place += value(indices[d]) * value(buffer.strides[d]);
    const auto& argument = arguments_.buffers[places_[id.index]];
    size_t size = std::visit([](auto span) { return span.size(); }, argument);
    if (place < 0 || static_cast<uint64_t>(place) >= size)
      return fail(ErrorCode::InvalidData,
                  cat("element ", place, " of buffer ", buffer.name, ", which has ", size));
    return std::visit([&](auto span) { return reinterpret_cast<uint32_t*>(span.data()) + place; }, argument);
  }

  Result<uint32_t*> touch(BufferId id, const std::vector<Index>& indices) {
    const Buffer& buffer = kernel_[id];
    for (size_t d = 0; d < indices.size(); ++d) {
      const int64_t at = value(indices[d]);
      meets_remainder_ = meets_remainder_ || has_remainder(indices[d]);
      const int64_t step = d + 1 == indices.size() ? buffer.padded : 1;
      if (at < 0)
        return fail_about(ErrorCode::InvalidArgument, buffer.name,
                          cat("an index of buffer ", buffer.name, " is negative with these sizes"));
      int64_t& extent = (*touched_)[id.index][d];
      extent = std::max(extent, (at / step + 1) * step);
    }
    registers_[id.index] = 0;
    return &registers_[id.index];
  }

  bool has_remainder(const Index& index) const {
    return std::ranges::any_of(index.terms(), [&](const Term& term) {
      return std::ranges::any_of(term.factors, [&](SymbolId id) {
        const Symbol& symbol = kernel_[id];
        return symbol.kind == SymbolKind::Remainder || has_remainder(symbol.a) || has_remainder(symbol.b);
      });
    });
  }

  // A value and all that it is computed from, operands first. What a select does not choose is computed too.
  Result<uint32_t> compute_value(ValueId id) {
    for (uint32_t v : needed_of(id)) {
      const Value& value = kernel_.values[v];
      auto operand = [&](size_t i) {
        return i < value.operands.size() ? values_[value.operands[i].index] : 0;
      };
      switch (value.kind) {
        case ValueKind::Constant:
          values_[v] = value.bits;
          break;
        case ValueKind::Load:
          values_[v] = *TRY(element(value.buffer, value.indices));
          break;
        case ValueKind::Result:
          values_[v] = result_;
          break;
        case ValueKind::Apply:
          if (value.operation == Operation::MulAdd) {
            values_[v] = multiply_add(operand(0), operand(1), operand(2), arguments_.fuses);
          } else {
            values_[v] = compute(value.operation, operand(0), operand(1));
          }
          break;
        case ValueKind::Select:
          values_[v] = operand(0) != 0 ? operand(1) : operand(2);
          break;
      }
    }
    return values_[id.index];
  }

  const std::vector<uint32_t>& needed_of(ValueId id) {
    if (needed_.size() < kernel_.values.size()) needed_.resize(kernel_.values.size());
    std::vector<uint32_t>& needed = needed_[id.index];
    if (!needed.empty()) return needed;
    std::vector<bool> used(id.index + 1);
    used[id.index] = true;
    for (uint32_t v = id.index + 1; v-- > 0;) {
      if (!used[v]) continue;
      needed.push_back(v);
      for (ValueId operand : kernel_.values[v].operands) used[operand.index] = true;
    }
    std::ranges::reverse(needed);
    return needed;
  }

  const Kernel& kernel_;
  const Arguments& arguments_;
  std::vector<int64_t> symbols_;                              // what sizes and loops are now
  std::vector<uint32_t> values_;                              // bits, by value
  std::vector<uint32_t> registers_;                           // by buffer
  std::vector<size_t> places_;                                // which argument a buffer is
  std::optional<std::vector<std::vector<int64_t>>> touched_;  // by buffer, if that is asked for
  int64_t most_run_ = kMostUnrolled;  // iterations of a loop that is run as a whole for that
  bool meets_remainder_ = false;      // in an index
  std::vector<std::vector<uint32_t>> needed_;
  int64_t iteration_ = 0, left_ = 1;
  const Nest* nest_ = nullptr;
  std::vector<const Loop*> space_, reduce_;
  uint32_t result_ = 0;
};

}  // namespace

Status interpret(const Kernel& kernel, const Arguments& arguments, int64_t begin, int64_t end) {
  return Interpreter(kernel, arguments).run(begin, end);
}

Status interpret(const Kernel& kernel, const Arguments& arguments) {
  return interpret(kernel, arguments, 0, parallel_extent(kernel, arguments.sizes));
}

Result<std::vector<std::vector<int64_t>>> extents_touched(const Kernel& kernel,
                                                          std::span<const int64_t> sizes) {
  const Arguments arguments = {.buffers = {}, .sizes = {sizes.begin(), sizes.end()}};
  return Interpreter(kernel, arguments).touched();
}

}  // namespace fuselane::loop
