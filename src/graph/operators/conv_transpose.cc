// ConvTranspose: each x[n, c, i] adds w[c, m, k] * x to y[n, m of c's group, i * stride - pad + k *
// dilation], bias included; what falls outside the output is dropped. Any number of spatial axes.
#include <algorithm>

#include "base/checked.h"
#include "graph/operators/conv_operands.h"
#include "graph/operators/operators.h"
#include "graph/operators/widen.h"
#include "graph/operators/window.h"

namespace fuselane {
namespace {

// The window slides over the output here: WindowAxis::input is y's extent, WindowAxis::output is x's.
// ONNX gives either the pads, or the output's extent from which pads follow (auto_pad SAME: x's extent times
// the stride). Where the extent asked for is larger than the windows reach, pads would be negative: they are
// 0, and the cells past the last window get the bias alone.
Result<WindowAxis> transposed_axis(const WindowAttributes& attributes, size_t a, const Node& node,
                                   int64_t extent, int64_t kernel) {
  size_t rank = attributes.strides.size();
  std::span<const int64_t> padding = node.integers(Attr::OutputPadding);
  std::span<const int64_t> shape = node.integers(Attr::OutputShape);
  WindowAxis axis{.kernel = kernel,
                  .stride = attributes.strides[a],
                  .dilation = attributes.dilations[a],
                  .output = extent};
  if (kernel < 1)
    return fail(ErrorCode::InvalidModel, cat("its window has extent ", kernel, ", must be at least 1"));
  auto reach = checked_mul(kernel - 1, axis.dilation);
  auto path = checked_mul(axis.stride, std::max<int64_t>(extent, 1));
  int64_t extra = padding.empty() ? 0 : padding[a];
  bool explicit_pads = attributes.auto_pad == AutoPad::NotSet && shape.empty();
  if (explicit_pads) {
    axis.pad_begin = attributes.pads[a];
    axis.pad_end = attributes.pads[rank + a];
  }
  // With each term below 2^60 the sums here and the coordinates made of them stay inside int64.
  if (!reach || !path || std::max({*reach, *path, extra, axis.pad_begin, axis.pad_end}) >= int64_t{1} << 60) {
    return fail(ErrorCode::InvalidModel, cat("its window overflows at spatial axis ", a));
  }
  int64_t whole = axis.stride * (extent - 1) + extra + *reach + 1;
  bool same = attributes.auto_pad == AutoPad::SameUpper || attributes.auto_pad == AutoPad::SameLower;
  if (!shape.empty() || same) {
    axis.input = shape.empty() ? axis.stride * extent : shape[a];
    int64_t total = std::max<int64_t>(whole - axis.input, 0);
    axis.pad_begin = attributes.auto_pad == AutoPad::SameUpper ? total / 2 : total - total / 2;
    axis.pad_end = total - axis.pad_begin;
  } else {
    axis.input = whole - axis.pad_begin - axis.pad_end;
  }
  if (axis.input >= 0) return axis;
  return fail(ErrorCode::InvalidModel, cat("pads of ", axis.pad_begin, " and ", axis.pad_end,
                                           " leave nothing of extent ", whole, " at spatial axis ", a));
}

Result<WindowAttributes> transposed_attributes(const Node& node, size_t rank) {
  WindowAttributes attributes = TRY(window_attributes(node, rank));
  for (Attr attr : {Attr::OutputPadding, Attr::OutputShape}) {
    std::span<const int64_t> list = node.integers(attr);
    if (list.empty()) continue;
    if (list.size() != rank) {
      return fail(ErrorCode::InvalidModel,
                  cat("attribute '", text_of(attr), "' must have ", rank, " elements, not ", list.size()));
    }
    if (std::ranges::min(list) < 0) {
      return fail(ErrorCode::InvalidModel,
                  cat("attribute '", text_of(attr), "' must be at least 0, not ", std::ranges::min(list)));
    }
  }
  return attributes;
}

// The spatial extents of y as far as they follow.
Result<DimVector> transposed_outputs(const Node& node, std::span<const Dim> x, std::span<const Dim> kernel) {
  WindowAttributes attributes = TRY(transposed_attributes(node, x.size()));
  std::span<const int64_t> shape = node.integers(Attr::OutputShape);
  DimVector outputs(x.size());
  for (size_t a = 0; a < x.size(); ++a) {
    if (x[a].known() && kernel[a].known()) {
      outputs[a] = TRY(transposed_axis(attributes, a, node, x[a].extent, kernel[a].extent)).input;
    } else if (!shape.empty()) {
      outputs[a] = shape[a];
    }
  }
  return outputs;
}

struct Transposed {
  std::vector<WindowAxis> axes;
  int64_t channels_in = 0;   // of one group
  int64_t channels_out = 0;  // of one group
  int64_t plane_in = 1;      // elements of one channel
  int64_t rows_in = 1;       // stretches of the last axis in one input channel
  int64_t taps = 1;
};

// Adds what one group's channels give one output channel; x and w lie at the group's and the channel's first
// element. A template for the reason that convolve() in conv.cc is one.
template <class T>
void spread(const Transposed& t, const T* x, const T* w, std::span<double> sums) {
  const WindowAxis& last = t.axes.back();
  Dims kernel, rows;
  for (const WindowAxis& axis : t.axes) kernel.push_back(axis.kernel);
  for (size_t a = 0; a + 1 < t.axes.size(); ++a) rows.push_back(t.axes[a].output);
  Odometer tap(std::move(kernel));
  for (int64_t k = 0; k < t.taps; ++k, tap.next()) {
    int64_t start = last.at(0, tap[t.axes.size() - 1]);
    IndexRange inside = indices_inside(start, last.stride, last.output, last.input);
    Odometer row(rows);
    for (int64_t r = 0; r < t.rows_in; ++r, row.next()) {
      auto base = row_under(t.axes, row, tap);
      if (!base || inside.begin == inside.end) continue;
      double* to = sums.data() + (*base + start + inside.begin * last.stride);
      const T* from = x + (r * last.output + inside.begin);
      for (int64_t channel = 0; channel < t.channels_in; ++channel, from += t.plane_in) {
        auto weight = static_cast<double>(w[channel * t.channels_out * t.taps + k]);
        for (int64_t i = 0; i < inside.end - inside.begin; ++i) {
          to[i * last.stride] += weight * static_cast<double>(from[i]);
        }
      }
    }
  }
}

template <class T>
void spread_all(const Transposed& t, const ReferenceCall& call, const T* x, const T* w) {
  const TensorView& y = call.outputs[0];
  int64_t plane_out = 1;
  for (const WindowAxis& axis : t.axes) plane_out *= axis.input;
  std::vector<double> sums(static_cast<size_t>(plane_out));
  int64_t channels_all = call.inputs[0].extent(1);
  for (int64_t n = 0; n < y.extent(0); ++n) {
    for (int64_t m = 0; m < y.extent(1); ++m) {
      std::fill(sums.begin(), sums.end(), call.has_input(2) ? call.inputs[2].number(m) : 0.0);
      int64_t first = m / t.channels_out * t.channels_in;
      spread(t, x + (n * channels_all + first) * t.plane_in,
             w + (first * t.channels_out + m % t.channels_out) * t.taps, sums);
      int64_t at = (n * y.extent(1) + m) * plane_out;
      for (int64_t p = 0; p < plane_out; ++p) y.set_number(at + p, sums[static_cast<size_t>(p)]);
    }
  }
}

}  // namespace

Status shape_of_conv_transpose(Inference& i) {
  auto operands = TRY(conv_operands(i));
  i.set(0, i.dtype(0), std::nullopt);
  if (!operands) return {};
  const auto& [x, w, bias, group] = *operands;
  Dim channels = x[1].known() ? x[1] : w[0];
  if (x[1].known() && w[0].known() && x[1] != w[0]) {
    return i.refuse(cat("input 0 has ", x[1].extent, " channels, the weights take ", w[0].extent));
  }
  if (channels.known() && channels.extent % group != 0) {
    return i.refuse(cat(channels.extent, " input channels do not divide into ", group, " groups"));
  }
  DimVector y = {x[0], bias};
  if (w[1].known()) {
    auto count = checked_mul(w[1].extent, group);
    if (!count) return i.refuse("its output channels overflow");
    y[1] = *count;
    if (bias.known() && bias != y[1]) {
      return i.refuse(cat("input 2 must have ", *count, " elements, not ", bias.extent));
    }
  }
  DimVector outputs = TRY(transposed_outputs(i.node, operands->spatial(), operands->kernel()));
  y.insert(y.end(), outputs.begin(), outputs.end());
  i.set(0, i.dtype(0), std::move(y));
  return {};
}

Status reference_conv_transpose(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& w = call.inputs[1];
  if (call.outputs[0].count == 0) return {};
  Transposed t;
  t.channels_in = w.extent(0) / call.node.integer(Attr::Group);
  t.channels_out = w.extent(1);
  auto rank = static_cast<size_t>(x.rank() - 2);
  WindowAttributes attributes = TRY(transposed_attributes(call.node, rank));
  for (size_t a = 0; a < rank; ++a) {
    t.axes.push_back(TRY(transposed_axis(attributes, a, call.node, x.dims[a + 2], w.dims[a + 2])));
    t.plane_in *= t.axes[a].output;
    t.taps *= t.axes[a].kernel;
    if (a + 1 < rank) t.rows_in *= t.axes[a].output;
  }
  if (x.count == 0) t.taps = 0;  // sums of nothing, however large the kernel
  if (x.dtype == DType::Float32) {
    spread_all(t, call, x.as<const float>(), w.as<const float>());
  } else {
    std::vector<double> wide_x = widen(x), wide_w = widen(w);
    spread_all(t, call, wide_x.data(), wide_w.data());
  }
  return {};
}

}  // namespace fuselane
