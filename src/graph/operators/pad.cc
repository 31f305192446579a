// Pad: elements added around x, or cropped where a pad is negative. Operands: x, pads, constant value, axes;
// pads are those before each axis, then those after each.
//
// Cropping comes first: what reflect, edge and wrap repeat is what is left of x.
#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

enum class PadMode : uint8_t { Constant, Reflect, Edge, Wrap };

std::optional<PadMode> mode_of(std::string_view text) {
  if (text == "constant") return PadMode::Constant;
  if (text == "reflect") return PadMode::Reflect;
  if (text == "edge") return PadMode::Edge;
  if (text == "wrap") return PadMode::Wrap;
  return std::nullopt;
}

struct AxisPads {
  int64_t before = 0;
  int64_t after = 0;
};

// No pad is larger, so that the differences below stay within int64.
constexpr int64_t kPadLimit = int64_t{1} << 61;

// Cropping leaves kept_extent() elements of an extent, from element crop_before() on.
int64_t crop_before(AxisPads pads) { return std::max<int64_t>(-pads.before, 0); }
int64_t kept_extent(int64_t extent, AxisPads pads) {
  return std::max<int64_t>(extent - crop_before(pads) - std::max<int64_t>(-pads.after, 0), 0);
}

// Which of `kept` elements stands at `position`, which counts from the first of them.
int64_t repeated(PadMode mode, int64_t position, int64_t kept) {
  switch (mode) {
    case PadMode::Reflect: {
      if (kept == 1) return 0;
      int64_t period = 2 * (kept - 1);
      int64_t phase = ((position % period) + period) % period;
      return phase < kept ? phase : period - phase;
    }
    case PadMode::Wrap:
      return ((position % kept) + kept) % kept;
    case PadMode::Edge:
    case PadMode::Constant:
      return std::clamp<int64_t>(position, 0, kept - 1);
  }
  return 0;
}

Result<Dim> padded(const Inference& i, PadMode mode, const Dim& dim, AxisPads pads) {
  if (std::max(pads.before, pads.after) > kPadLimit || std::min(pads.before, pads.after) < -kPadLimit) {
    return i.refuse(cat("pads ", pads.before, " and ", pads.after, " are too large"));
  }
  if (!dim.known()) return pads.before + pads.after == 0 ? dim : Dim();
  auto extent = checked_add(dim.extent, pads.before + pads.after);
  if (!extent || *extent < 0) {
    return i.refuse(cat("pads ", pads.before, " and ", pads.after, " do not fit an extent of ", dim.extent));
  }
  if (mode != PadMode::Constant && *extent > 0 && kept_extent(dim.extent, pads) == 0) {
    return i.refuse(cat("mode '", i.node.text(Attr::Mode), "' has no element to repeat"));
  }
  return Dim(*extent);
}

Status check_operands(const Inference& i) {
  TRY(require_fixed_size(i, 0));
  TRY(require_list(i, 1));
  TRY(i.require_same_dtype(0, 2));
  TRY(i.require_rank(2, 0, 1));
  TRY(require_list(i, 3));
  if (!mode_of(i.node.text(Attr::Mode))) {
    return i.refuse(cat("mode must be constant, reflect, edge or wrap, not '", i.node.text(Attr::Mode), "'"));
  }
  if (auto count = length_of_list(i, 2); count && *count != 1) {
    return i.refuse(cat("input 2 must be one element, not ", *count));
  }
  return {};
}

// The pads of every axis of x, 0 where they are not stated.
std::vector<AxisPads> pads_of(const ReferenceCall& call) {
  int64_t rank = call.inputs[0].rank();
  std::vector<AxisPads> pads(static_cast<size_t>(rank));
  int64_t count = call.inputs[1].count / 2;
  for (int64_t k = 0; k < count; ++k) {
    int64_t axis = call.has_input(3) ? *normalize_axis(call.inputs[3].integer(k), rank) : k;
    pads[static_cast<size_t>(axis)] = {call.inputs[1].integer(k), call.inputs[1].integer(count + k)};
  }
  return pads;
}

void pad_with_constant(const ReferenceCall& call, const std::vector<AxisPads>& pads) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (y.count == 0) return;
  if (call.has_input(2)) {
    copy_run(call.inputs[2], {0, 0}, y, {0, 1}, y.count);
  } else {
    std::memset(y.data, 0, static_cast<size_t>(*bytes_of(y.dtype, y.count)));  // zero of every type
  }
  StridedCopy copy{.extents = {}, .from_strides = strides_of(x.dims), .to_strides = strides_of(y.dims)};
  for (size_t axis = 0; axis < pads.size(); ++axis) {
    int64_t kept = kept_extent(x.dims[axis], pads[axis]);
    if (kept == 0) return;
    copy.extents.push_back(kept);
    copy.from_first += crop_before(pads[axis]) * copy.from_strides[axis];
    copy.to_first += std::max<int64_t>(pads[axis].before, 0) * copy.to_strides[axis];
  }
  copy_strided(x, y, copy);
}

struct Piece {
  Run source;
  int64_t count;
};

// A list of elements as pieces of even steps, so that a row is copied in a few runs.
std::vector<Piece> pieces_of(const std::vector<int64_t>& elements) {
  std::vector<Piece> pieces;
  for (int64_t element : elements) {
    Piece* last = pieces.empty() ? nullptr : &pieces.back();
    if (last && last->count == 1) last->source.stride = element - last->source.first;
    if (last && element == last->source.first + last->count * last->source.stride) {
      ++last->count;
    } else {
      pieces.push_back({{element, 1}, 1});
    }
  }
  return pieces;
}

// x has a rank of 1 at least.
void pad_with_elements(const ReferenceCall& call, PadMode mode, const std::vector<AxisPads>& pads) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (y.count == 0) return;
  Dims strides = strides_of(x.dims);
  std::vector<std::vector<int64_t>> sources(pads.size());  // for each axis and position: offset in x
  for (size_t axis = 0; axis < pads.size(); ++axis) {
    int64_t kept = kept_extent(x.dims[axis], pads[axis]);
    int64_t lead = std::max<int64_t>(pads[axis].before, 0);
    for (int64_t k = 0; k < y.dims[axis]; ++k) {
      sources[axis].push_back((crop_before(pads[axis]) + repeated(mode, k - lead, kept)) * strides[axis]);
    }
  }
  std::vector<Piece> row = pieces_of(sources.back());
  sources.pop_back();
  std::vector<size_t> position(sources.size());
  for (int64_t to = 0; to < y.count;) {
    int64_t from = 0;
    for (size_t axis = 0; axis < sources.size(); ++axis) from += sources[axis][position[axis]];
    for (const Piece& piece : row) {
      copy_run(x, {from + piece.source.first, piece.source.stride}, y, {to, 1}, piece.count);
      to += piece.count;
    }
    for (size_t axis = sources.size(); axis-- > 0;) {
      if (++position[axis] < sources[axis].size()) break;
      position[axis] = 0;
    }
  }
}

}  // namespace

Status shape_of_pad(Inference& i) {
  TRY(check_operands(i));
  i.set(0, i.dtype(0), std::nullopt);
  if (!i.dims(0)) return {};
  DimVector dims = *i.dims(0);
  auto rank = static_cast<int64_t>(dims.size());
  auto axes = i.integers(3);
  auto pads = i.integers(1);
  if (axes) axes = TRY(distinct_axes(i, *std::move(axes), rank));
  auto padded_axes = i.has(3) ? length_of_list(i, 3) : rank;
  if (auto length = length_of_list(i, 1); length && padded_axes && *length != 2 * *padded_axes) {
    return i.refuse(cat("input 1 must have ", 2 * *padded_axes, " elements, not ", *length));
  }
  if (i.has(3) && !axes) {
    i.outputs[0].dims = DimVector(dims.size());
    return {};
  }
  auto count = static_cast<size_t>(*padded_axes);
  for (size_t k = 0; k < count; ++k) {
    Dim& dim = dims[axes ? static_cast<size_t>((*axes)[k]) : k];
    dim = pads ? TRY(padded(i, *mode_of(i.node.text(Attr::Mode)), dim, {(*pads)[k], (*pads)[count + k]}))
               : Dim();
  }
  i.outputs[0].dims = std::move(dims);
  return {};
}

Status reference_pad(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  std::vector<AxisPads> pads = pads_of(call);
  PadMode mode = *mode_of(call.node.text(Attr::Mode));
  if (mode == PadMode::Constant || pads.empty()) {
    pad_with_constant(call, pads);
  } else {
    pad_with_elements(call, mode, pads);
  }
  return {};
}

}  // namespace fuselane
