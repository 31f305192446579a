#include "graph/operators/elements.h"

#include <cstring>

namespace fuselane {
namespace {

using RunCopier = void (*)(const void* from, Run source, void* to, Run destination, int64_t count);

// One template: moving by a size known only at run time is a call of memcpy for each element.
template <int64_t kSize>
void copy_run_of(const void* from, Run source, void* to, Run destination, int64_t count) {
  const auto* in = static_cast<const uint8_t*>(from) + source.first * kSize;
  auto* out = static_cast<uint8_t*>(to) + destination.first * kSize;
  if (source.stride == 1 && destination.stride == 1) {
    std::memcpy(out, in, static_cast<size_t>(count * kSize));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * destination.stride * kSize, in + i * source.stride * kSize, kSize);
  }
}

// The 4-bit types, two elements to a byte.
void copy_run_of_half_bytes(const void* from, Run source, void* to, Run destination, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t bits = load_int(DType::UInt4, from, source.first + i * source.stride);
    store_int(DType::UInt4, to, destination.first + i * destination.stride, bits);
  }
}

RunCopier run_copier(DType dtype) {
  switch (bits_of(dtype)) {
    case 4:
      return copy_run_of_half_bytes;
    case 8:
      return copy_run_of<1>;
    case 16:
      return copy_run_of<2>;
    case 32:
      return copy_run_of<4>;
    case 64:
      return copy_run_of<8>;
    case 128:
      return copy_run_of<16>;
  }
  return [](const void*, Run, void*, Run, int64_t) {};  // strings, which the shape rules refuse
}

struct Axis {
  int64_t extent;
  int64_t from;
  int64_t to;
};

// The axes of the copy without those of extent 1, neighbours joined where both sides step through them
// evenly.
std::vector<Axis> joined_axes(const StridedCopy& copy) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < copy.extents.size(); ++i) {
    Axis axis{copy.extents[i], copy.from_strides[i], copy.to_strides[i]};
    if (axis.extent == 1) continue;
    if (!axes.empty() && axes.back().from == axis.from * axis.extent &&
        axes.back().to == axis.to * axis.extent) {
      axes.back() = {axes.back().extent * axis.extent, axis.from, axis.to};
    } else {
      axes.push_back(axis);
    }
  }
  if (axes.empty()) axes.push_back({1, 1, 1});
  return axes;
}

}  // namespace

Status require_fixed_size(const Inference& inference, size_t operand) {
  if (!inference.has(operand) || inference.dtype(operand) != DType::String) return {};
  return fail(ErrorCode::UnsupportedModel, cat(describe(inference.node), ": input ", operand,
                                               " holds strings, which are not supported here"));
}

Status require_list(const Inference& inference, size_t operand, bool scalar_too) {
  TRY(inference.require_integers(operand));
  return inference.require_rank(operand, scalar_too ? 0 : 1, 1);
}

std::optional<int64_t> length_of_list(const Inference& inference, size_t operand) {
  if (!inference.has(operand)) return std::nullopt;
  // Not Inference::value(): the length does not need the elements, which is what that would record.
  if (const Tensor* list = inference.inputs[operand].value) return list->count();
  const DimVector* dims = inference.dims(operand);
  if (!dims) return std::nullopt;
  if (dims->empty()) return 1;
  return (*dims)[0].known() ? std::optional((*dims)[0].extent) : std::nullopt;
}

Result<std::optional<size_t>> rank_by_list(const Inference& inference, size_t operand) {
  auto length = length_of_list(inference, operand);
  if (!length) return std::optional<size_t>();
  if (*length <= kMostRank) return std::optional(static_cast<size_t>(*length));
  return inference.refuse(
      cat("input ", operand, " has ", *length, " elements, a tensor at most ", kMostRank, " axes"));
}

Result<std::vector<int64_t>> distinct_axes(const Inference& inference, std::vector<int64_t> axes,
                                           int64_t rank) {
  std::vector<bool> named(static_cast<size_t>(rank));
  for (int64_t& axis : axes) {
    axis = TRY(inference.axis(axis, rank));
    if (named[static_cast<size_t>(axis)]) return inference.refuse(cat("axis ", axis, " is named twice"));
    named[static_cast<size_t>(axis)] = true;
  }
  return axes;
}

std::vector<int64_t> integers_of(const TensorView& view) {
  std::vector<int64_t> values(static_cast<size_t>(view.count));
  for (int64_t i = 0; i < view.count; ++i) values[static_cast<size_t>(i)] = view.integer(i);
  return values;
}

void copy_run(const TensorView& from, Run source, const TensorView& to, Run destination, int64_t count) {
  if (count > 0) run_copier(from.dtype)(from.data, source, to.data, destination, count);
}

void copy_strided(const TensorView& from, const TensorView& to, const StridedCopy& copy) {
  for (int64_t extent : copy.extents) {
    if (extent == 0) return;
  }
  std::vector<Axis> axes = joined_axes(copy);
  RunCopier run = run_copier(from.dtype);
  Axis inner = axes.back();
  axes.pop_back();
  Dims position(axes.size());
  int64_t source = copy.from_first;
  int64_t destination = copy.to_first;
  bool more = true;
  while (more) {
    run(from.data, {source, inner.from}, to.data, {destination, inner.to}, inner.extent);
    more = false;
    for (size_t k = axes.size(); k-- > 0;) {
      source += axes[k].from;
      destination += axes[k].to;
      more = ++position[k] < axes[k].extent;
      if (more) break;
      source -= axes[k].from * axes[k].extent;
      destination -= axes[k].to * axes[k].extent;
      position[k] = 0;
    }
  }
}

}  // namespace fuselane
