#include "engine/workbench_call.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/checked.h"
#include "base/printer.h"
#include "loop/evaluate.h"
#include "loop/interpret.h"

namespace fuselane::workbench {
namespace {

using loop::Index;
using loop::Kernel;
using loop::SymbolId;
using SizeValue = std::pair<std::string, int64_t>;

constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

// Whether loops or indices depend on the symbol, and not only strides.
bool is_in_loops(const Kernel& kernel, SymbolId symbol) {
  auto in = [&](const Index& index) { return index.uses(symbol); };
  auto in_any = [&](const std::vector<Index>& indices) { return std::ranges::any_of(indices, in); };
  auto in_loops = [&](const std::vector<loop::Loop>& loops) {
    return std::ranges::any_of(loops, in, &loop::Loop::extent);
  };
  return in_loops(kernel.outer) ||
         std::ranges::any_of(kernel.splits, [&](const auto& s) { return in(s.extent) || in(s.factor); }) ||
         std::ranges::any_of(kernel.symbols, [&](const auto& s) { return in(s.a) || in(s.b); }) ||
         std::ranges::any_of(kernel.values, [&](const auto& v) { return in_any(v.indices); }) ||
         std::ranges::any_of(kernel.nests, [&](const loop::Nest& nest) {
           return in_loops(nest.loops) ||
                  std::ranges::any_of(nest.stores, [&](const auto& store) { return in_any(store.indices); });
         });
}

// What is known of the sizes, and then more and more.
class Completion {
 public:
  explicit Completion(const Kernel& kernel)
      : kernel_(kernel), sizes_(loop::sizes_of(kernel)), known_(kernel.symbols.size()) {}

  Result<Call> run(std::span<const SizeValue> given) {
    for (const SizeValue& size : given) TRY(give(size));
    TRY(check_missing());
    for (const loop::Split& split : kernel_.splits) one_block(split);
    Call call;
    const auto dims = TRY(loop::extents_touched(kernel_, values()));
    for (const loop::Buffer& buffer : kernel_.buffers) {
      if (buffer.storage != loop::Storage::Memory) continue;
      if (buffer.dtype != loop::DType::F32) {
        return fail_about(ErrorCode::InvalidArgument, buffer.name,
                          cat("buffer ", buffer.name, " holds integers: only those of f32 can be brought"));
      }
      call.buffers.push_back(TRY(described(buffer, dims[call.buffers.size()])));
    }
    for (SymbolId size : sizes_) call.sizes.emplace_back(kernel_[size].name, *known_[size.index]);
    call.extent = loop::parallel_extent(kernel_, values());
    if (call.extent > kLargest) return fail(ErrorCode::InvalidArgument, "the parallel loops are too long");
    return call;
  }

 private:
  Status give(const SizeValue& size) {
    const auto& [name, value] = size;
    const auto at = std::ranges::find_if(sizes_, [&](SymbolId id) { return kernel_[id].name == name; });
    if (at == sizes_.end()) {
      return fail_about(ErrorCode::InvalidArgument, name,
                        cat("the kernel has no size ", name, ": there are ", names(sizes_)));
    }
    if (value < 0 || value > kLargest) {
      return fail_about(ErrorCode::InvalidArgument, name,
                        cat("size ", name, " must be a whole number from 0 to 2^31 - 1, not ", value));
    }
    known_[at->index] = value;
    return {};
  }

  Status check_missing() const {
    std::vector<SymbolId> missing;
    for (SymbolId size : sizes_) {
      const bool is_block =
          std::ranges::any_of(kernel_.splits, [&](const auto& split) { return split.factor == Index(size); });
      if (!known_[size.index] && !is_block && is_in_loops(kernel_, size)) missing.push_back(size);
    }
    if (missing.empty()) return {};
    return fail(ErrorCode::InvalidArgument, cat("the kernel's loops need sizes: give ", names(missing)));
  }

  // Where the split is by a size that is not known.
  void one_block(const loop::Split& split) {
    for (SymbolId size : sizes_) {
      if (split.factor != Index(size) || known_[size.index]) continue;
      std::vector<int64_t> numbers(known_.size());  // the loops around are at their begin
      for (size_t i = 0; i < known_.size(); ++i) numbers[i] = known_[i].value_or(0);
      known_[size.index] = std::clamp<int64_t>(evaluate(kernel_, split.extent, numbers), 1, kLargest);
    }
  }

  Result<Call::Buffer> described(const loop::Buffer& buffer, const std::vector<int64_t>& dims) {
    Call::Buffer result;
    result.name = buffer.name;
    result.written = buffer.written;
    result.dims = dims;
    result.strides.resize(dims.size());
    result.read = std::ranges::any_of(kernel_.values, [&](const loop::Value& value) {
      return value.kind == loop::ValueKind::Load && &kernel_[value.buffer] == &buffer;
    });
    auto too_large = [&] {
      return fail_about(ErrorCode::InvalidArgument, buffer.name,
                        cat("with these sizes buffer ", buffer.name, " is larger than any memory"));
    };
    int64_t dense = 1;
    std::optional<int64_t> last = 0;
    for (size_t d = dims.size(); d-- > 0;) {
      for (SymbolId size : sizes_) {
        if (buffer.strides[d] == Index(size) && !known_[size.index]) known_[size.index] = dense;
      }
      std::vector<int64_t> numbers(known_.size());
      for (size_t i = 0; i < known_.size(); ++i) numbers[i] = known_[i].value_or(0);
      result.strides[d] = evaluate(kernel_, buffer.strides[d], numbers);
      const auto step = checked_mul(std::max<int64_t>(dims[d] - 1, 0), result.strides[d]);
      last = last && step ? checked_add(*last, *step) : std::nullopt;
      // Of a dimension whose own stride is given, the next one goes around it.
      const auto next = checked_mul(std::max<int64_t>(dims[d], 1), std::max(result.strides[d], dense));
      if (!last || *last < 0 || *last >= kLargest / 4 || !next || *next > kLargest) return too_large();
      dense = *next;
    }
    result.elements = std::ranges::contains(dims, 0) ? 0 : *last + 1;
    return result;
  }

  std::vector<int64_t> values() const {
    std::vector<int64_t> result;
    for (SymbolId size : sizes_) result.push_back(known_[size.index].value_or(0));
    return result;
  }

  std::string names(std::span<const SymbolId> ids) const {
    std::string result;
    for (SymbolId id : ids) append(result, cat(result.empty() ? "" : ", ", kernel_[id].name));
    return result.empty() ? "none" : result;
  }

  const Kernel& kernel_;
  const std::vector<SymbolId> sizes_;
  std::vector<std::optional<int64_t>> known_;  // by symbol
};

}  // namespace

Result<Call> call_of(const Kernel& kernel, std::span<const SizeValue> sizes) {
  return Completion(kernel).run(sizes);
}

}  // namespace fuselane::workbench
