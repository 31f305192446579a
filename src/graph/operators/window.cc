#include "graph/operators/window.h"

#include <algorithm>

#include "base/checked.h"
#include "base/printer.h"
#include "graph/ops.h"

namespace fuselane {
namespace {

Result<AutoPad> auto_pad_of(std::string_view text) {
  if (text == "NOTSET") return AutoPad::NotSet;
  if (text == "VALID") return AutoPad::Valid;
  if (text == "SAME_UPPER") return AutoPad::SameUpper;
  if (text == "SAME_LOWER") return AutoPad::SameLower;
  return fail(ErrorCode::InvalidModel,
              cat("auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, not '", text, "'"));
}

// The attribute's list, or `count` times the default where it is left out.
Result<std::vector<int64_t>> list_of(const Node& node, Attr attr, size_t count, int64_t fallback,
                                     int64_t least) {
  std::span<const int64_t> stated = node.integers(attr);
  if (stated.empty()) return std::vector<int64_t>(count, fallback);
  if (stated.size() != count) {
    return fail(ErrorCode::InvalidModel,
                cat("attribute '", text_of(attr), "' must have ", count, " elements, not ", stated.size()));
  }
  for (int64_t value : stated) {
    if (value >= least) continue;
    return fail(ErrorCode::InvalidModel,
                cat("attribute '", text_of(attr), "' must be at least ", least, ", not ", value));
  }
  return std::vector<int64_t>(stated.begin(), stated.end());
}

int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -ceil_div(-a, b); }  // b > 0

// With explicit pads the window slides over input and pads; ceil_mode adds a last window that hangs over the
// end, but not one that starts in the end padding.
int64_t positions(const WindowAxis& axis, int64_t span, bool ceil_mode) {
  int64_t room = axis.input + axis.pad_begin + axis.pad_end - span;
  if (!ceil_mode) return floor_div(room, axis.stride) + 1;
  int64_t count = -floor_div(-room, axis.stride) + 1;
  return std::min(count, ceil_div(axis.input + axis.pad_begin, axis.stride));
}

// As many windows as a stride of that length makes over the bare input; what they need beyond it is padding,
// the odd cell at the end (SAME_UPPER) or at the beginning (SAME_LOWER).
void pad_same(WindowAxis& axis, int64_t span, bool upper) {
  axis.output = ceil_div(axis.input, axis.stride);
  int64_t total = std::max<int64_t>((axis.output - 1) * axis.stride + span - axis.input, 0);
  axis.pad_begin = upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

Result<WindowAxis> window_axis(const WindowAttributes& attributes, size_t i, int64_t input, int64_t kernel) {
  WindowAxis axis{
      .input = input, .kernel = kernel, .stride = attributes.strides[i], .dilation = attributes.dilations[i]};
  if (kernel < 1)
    return fail(ErrorCode::InvalidModel, cat("its window has extent ", kernel, ", must be at least 1"));
  if (attributes.auto_pad == AutoPad::NotSet) {
    axis.pad_begin = attributes.pads[i];
    axis.pad_end = attributes.pads[attributes.strides.size() + i];
  }
  // With each term below 2^60 the sums here and the coordinates made of them stay inside int64.
  auto reach = checked_mul(kernel - 1, axis.dilation);
  if (!reach || std::max({input, *reach, axis.stride, axis.pad_begin, axis.pad_end}) >= int64_t{1} << 60) {
    return fail(ErrorCode::InvalidModel, cat("its window overflows at spatial axis ", i));
  }
  int64_t span = *reach + 1;
  switch (attributes.auto_pad) {
    case AutoPad::NotSet:
    case AutoPad::Valid:
      // VALID has one formula with and without ceil_mode: ceil((input - span + 1) / stride), which is this
      // floor.
      axis.output = positions(axis, span, attributes.ceil_mode && attributes.auto_pad == AutoPad::NotSet);
      break;
    case AutoPad::SameUpper:
    case AutoPad::SameLower:
      pad_same(axis, span, attributes.auto_pad == AutoPad::SameUpper);
      break;
  }
  if (axis.output >= 0) return axis;
  return fail(ErrorCode::InvalidModel, cat("its window of extent ", span, " does not fit the padded extent ",
                                           input + axis.pad_begin + axis.pad_end, " of spatial axis ", i));
}

// Whether the output has the input's extent whatever that is.
bool keeps_extent(const WindowAttributes& attributes, size_t i, const Dim& kernel) {
  if (attributes.strides[i] != 1) return false;
  switch (attributes.auto_pad) {
    case AutoPad::SameUpper:
    case AutoPad::SameLower:
      return true;
    case AutoPad::Valid:
      return kernel.extent == 1;
    case AutoPad::NotSet:
      break;
  }
  auto pads = checked_add(attributes.pads[i], attributes.pads[attributes.strides.size() + i]);
  auto reach = kernel.known() ? checked_mul(kernel.extent - 1, attributes.dilations[i]) : std::nullopt;
  return pads && reach && *pads == *reach;
}

}  // namespace

Result<WindowAttributes> window_attributes(const Node& node, size_t rank) {
  WindowAttributes attributes;
  attributes.auto_pad = TRY(auto_pad_of(node.text(Attr::AutoPad)));
  attributes.ceil_mode = node.flag(Attr::CeilMode);
  attributes.strides = TRY(list_of(node, Attr::Strides, rank, 1, 1));
  attributes.dilations = TRY(list_of(node, Attr::Dilations, rank, 1, 1));
  attributes.pads = TRY(list_of(node, Attr::Pads, 2 * rank, 0, 0));
  return attributes;
}

Result<std::vector<WindowAxis>> windows_of(const Node& node, DimsView input, DimsView kernel) {
  WindowAttributes attributes = TRY(window_attributes(node, input.size()));
  std::vector<WindowAxis> axes;
  for (size_t i = 0; i < input.size(); ++i)
    axes.push_back(TRY(window_axis(attributes, i, input[i], kernel[i])));
  return axes;
}

Result<DimVector> window_outputs(const Node& node, std::span<const Dim> input, std::span<const Dim> kernel) {
  WindowAttributes attributes = TRY(window_attributes(node, input.size()));
  DimVector outputs(input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    if (input[i].known() && kernel[i].known()) {
      outputs[i] = TRY(window_axis(attributes, i, input[i].extent, kernel[i].extent)).output;
    } else if (keeps_extent(attributes, i, kernel[i])) {
      outputs[i] = input[i];
    }
  }
  return outputs;
}

IndexRange indices_inside(int64_t start, int64_t step, int64_t count, int64_t extent) {
  int64_t begin = start >= 0 ? 0 : ceil_div(-start, step);
  int64_t end = start < extent ? ceil_div(extent - start, step) : 0;
  end = std::min(end, count);
  return {std::min(begin, end), end};
}

std::optional<int64_t> row_under(std::span<const WindowAxis> axes, const Odometer& row, const Odometer& tap) {
  int64_t index = 0;
  for (size_t a = 0; a + 1 < axes.size(); ++a) {
    int64_t at = axes[a].at(row[a], tap[a]);
    if (!axes[a].has(at)) return std::nullopt;
    index = index * axes[a].input + at;
  }
  return index * axes.back().input;
}

}  // namespace fuselane
