// The geometry of windows that slide over the spatial axes of a tensor [N, C, D1, D2, ...]: what Conv,
// ConvTranspose, MaxPool and AveragePool share. Attributes come from a node, extents from its operands; every
// result has been checked, so that coordinates below neither overflow nor need a division that could trap.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/node.h"
#include "types/shape.h"

namespace fuselane {

enum class AutoPad : uint8_t { NotSet, Valid, SameUpper, SameLower };

// What a node says of each spatial axis, defaults filled in. `pads` holds all begins, then all ends; it
// counts only with AutoPad::NotSet.
struct WindowAttributes {
  AutoPad auto_pad = AutoPad::NotSet;
  bool ceil_mode = false;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;
};

// Errors: lists that do not have one element (pads: two) for each of `rank` axes, strides or dilations below
// 1, pads below 0, an unknown auto_pad.
Result<WindowAttributes> window_attributes(const Node& node, size_t rank);

// One spatial axis: tap k of the window at output o lies at input coordinate at(o, k); coordinates outside
// [0, input) are padding, those outside [-pad_begin, input + pad_end) are in no padding either (ceil_mode).
struct WindowAxis {
  int64_t input = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  int64_t output = 0;

  int64_t at(int64_t out, int64_t tap) const { return out * stride - pad_begin + tap * dilation; }
  bool has(int64_t coordinate) const { return coordinate >= 0 && coordinate < input; }
};

// The axes of Conv, MaxPool and AveragePool, and how many positions the window takes on each: ONNX's formulas
// for pads (floor, or ceil with ceil_mode) and for auto_pad. Errors: a kernel below 1, a window that does not
// fit (a negative extent), overflow.
Result<std::vector<WindowAxis>> windows_of(const Node& node, DimsView input, DimsView kernel);

// The same where extents may not be known: the outputs' extents as far as they follow. A window that keeps
// the extent (stride 1, padded in full) keeps its symbol.
Result<DimVector> window_outputs(const Node& node, std::span<const Dim> input, std::span<const Dim> kernel);

// The i in [begin, end), a part of [0, count), for which start + i * step lies in [0, extent); step >= 1.
struct IndexRange {
  int64_t begin = 0;
  int64_t end = 0;
};
IndexRange indices_inside(int64_t start, int64_t step, int64_t count, int64_t extent);

// Counts through the positions of a box, last axis fastest, starting at the origin.
class Odometer {
 public:
  explicit Odometer(Dims extents) : extents_(std::move(extents)), position_(extents_.size()) {}
  int64_t operator[](size_t axis) const { return position_[axis]; }
  // Moves on; after the last position comes the origin again, and the answer false.
  bool next() {
    for (size_t axis = extents_.size(); axis-- > 0;) {
      if (++position_[axis] < extents_[axis]) return true;
      position_[axis] = 0;
    }
    return false;
  }

 private:
  Dims extents_;
  Dims position_;
};

// Where the input's row (its stretch along the last axis) lies that `tap` sees from output row `row`: the
// index of its first element in the channel. Nothing if it is padding.
std::optional<int64_t> row_under(std::span<const WindowAxis> axes, const Odometer& row, const Odometer& tap);

}  // namespace fuselane
