// Concat: operands side by side along one axis. Split: the inverse, in parts of given or of equal extents.
#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

#include "base/checked.h"

namespace fuselane {
namespace {

// What is known of an extent that two operands must share.
Result<Dim> agreed(const Inference& i, const Dim& a, const Dim& b, size_t operand, size_t axis) {
  if (!a.known() || !b.known()) return a.known() ? a : b.known() ? b : a.symbol ? a : b;
  if (a.extent == b.extent) return a;
  return i.refuse(cat("input ", operand, " has extent ", b.extent, " on axis ", axis,
                      ", the inputs before it ", a.extent));
}

// The sum of extents; a symbol survives beside zeros.
Result<Dim> added(const Inference& i, const Dim& a, const Dim& b) {
  if (a.extent == 0) return b;
  if (b.extent == 0) return a;
  if (!a.known() || !b.known()) return Dim();
  auto sum = checked_add(a.extent, b.extent);
  if (!sum) return i.refuse("the extents along its axis add up to too much");
  return Dim(*sum);
}

// The extents of Split's parts: those of the operand, or equal ones, of which the last may be smaller.
Result<std::vector<Dim>> parts_of(const Inference& i, const Dim& whole) {
  auto count = static_cast<int64_t>(i.outputs.size());
  if (i.has(1)) {
    auto parts = i.integers(1);
    if (!parts) return std::vector<Dim>(i.outputs.size());
    int64_t sum = 0;
    for (int64_t part : *parts) {
      auto next = part < 0 ? std::nullopt : checked_add(sum, part);
      if (!next) return i.refuse(cat("cannot split into parts of ", join(*parts)));
      sum = *next;
    }
    if (whole.known() && sum != whole.extent) {
      return i.refuse(cat("parts of ", join(*parts), " do not add up to the extent ", whole.extent));
    }
    return symbolic(*parts);
  }
  if (count == 1) return std::vector<Dim>{whole};
  if (!whole.known()) return std::vector<Dim>(i.outputs.size());
  int64_t part = whole.extent / count + (whole.extent % count != 0 ? 1 : 0);
  // part <= extent, so that the product stays below extent + count.
  int64_t last = whole.extent - part * (count - 1);
  if (last < 0)
    return i.refuse(cat("cannot split an extent of ", whole.extent, " into ", count, " equal parts"));
  std::vector<Dim> parts(i.outputs.size(), Dim(part));
  parts.back() = Dim(last);
  return parts;
}

// The slab of `whole` from `first` along `axis` that has the shape of `part`, in strides of both.
StridedCopy slab(const TensorView& whole, const TensorView& part, int64_t axis, int64_t first) {
  StridedCopy copy{.extents = Dims(part.dims.begin(), part.dims.end()),
                   .from_strides = strides_of(whole.dims),
                   .to_strides = strides_of(part.dims)};
  copy.from_first = first * copy.from_strides[static_cast<size_t>(axis)];
  return copy;
}

}  // namespace

Status shape_of_concat(Inference& i) {
  std::optional<DimVector> dims;
  for (size_t k = 0; k < i.inputs.size(); ++k) {
    if (!i.has(k)) return i.refuse(cat("input ", k, " is missing"));
    TRY(require_fixed_size(i, k));
    TRY(i.require_same_dtype(0, k));
    if (!dims && i.dims(k)) dims = *i.dims(k);
  }
  if (!dims) {
    i.set(0, i.dtype(0), std::nullopt);
    return {};
  }
  auto rank = static_cast<int64_t>(dims->size());
  auto axis = static_cast<size_t>(TRY(i.axis(i.node.integer(Attr::Axis), rank)));
  Dim sum(0);
  for (size_t k = 0; k < i.inputs.size(); ++k) {
    TRY(i.require_rank(k, rank, rank));
    const DimVector* part = i.dims(k);
    sum = TRY(added(i, sum, part ? (*part)[axis] : Dim()));
    for (size_t d = 0; part && d < dims->size(); ++d) {
      if (d != axis) (*dims)[d] = TRY(agreed(i, (*dims)[d], (*part)[d], k, d));
    }
  }
  (*dims)[axis] = sum;
  i.set(0, i.dtype(0), std::move(dims));
  return {};
}

Status reference_concat(const ReferenceCall& call) {
  const TensorView& whole = call.outputs[0];
  if (!whole.present()) return {};
  int64_t axis = *normalize_axis(call.node.integer(Attr::Axis), whole.rank());
  int64_t first = 0;
  for (const TensorView& part : call.inputs) {
    StridedCopy copy = slab(whole, part, axis, first);
    std::swap(copy.from_strides, copy.to_strides);
    std::swap(copy.from_first, copy.to_first);
    copy_strided(part, whole, copy);
    first += part.extent(axis);
  }
  return {};
}

Status shape_of_split(Inference& i) {
  TRY(require_fixed_size(i, 0));
  TRY(require_list(i, 1));
  if (auto length = length_of_list(i, 1); length && *length != static_cast<int64_t>(i.outputs.size())) {
    return i.refuse(cat("input 1 gives ", *length, " parts for ", i.outputs.size(), " outputs"));
  }
  const DimVector* dims = i.dims(0);
  size_t axis = 0;
  if (dims)
    axis = static_cast<size_t>(TRY(i.axis(i.node.integer(Attr::Axis), static_cast<int64_t>(dims->size()))));
  std::vector<Dim> parts = TRY(parts_of(i, dims ? (*dims)[axis] : Dim()));
  for (size_t k = 0; k < i.outputs.size(); ++k) {
    i.set(k, i.dtype(0), std::nullopt);
    if (!dims) continue;
    i.outputs[k].dims = *dims;
    (*i.outputs[k].dims)[axis] = parts[k];
  }
  return {};
}

Status reference_split(const ReferenceCall& call) {
  const TensorView& whole = call.inputs[0];
  int64_t axis = *normalize_axis(call.node.integer(Attr::Axis), whole.rank());
  auto count = static_cast<int64_t>(call.outputs.size());
  int64_t extent = whole.extent(axis);
  int64_t equal = extent / count + (extent % count != 0 ? 1 : 0);
  int64_t first = 0;
  for (int64_t k = 0; k < count; ++k) {
    const TensorView& part = call.outputs[static_cast<size_t>(k)];
    if (part.present()) copy_strided(whole, part, slab(whole, part, axis, first));
    first += call.has_input(1) ? call.inputs[1].integer(k) : equal;
  }
  return {};
}

}  // namespace fuselane
