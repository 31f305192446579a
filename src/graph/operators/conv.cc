// Conv: y[n, m, o] = b[m] + sum over c, k of w[m, c, k] * x[n, first channel of m's group + c, o * stride -
// pad + k * dilation], taps outside the input left out. Any number of spatial axes.
#include <algorithm>

#include "base/checked.h"
#include "graph/operators/conv_operands.h"
#include "graph/operators/operators.h"
#include "graph/operators/widen.h"
#include "graph/operators/window.h"

namespace fuselane {

Status shape_of_conv(Inference& i) {
  auto operands = TRY(conv_operands(i));
  i.set(0, i.dtype(0), std::nullopt);
  if (!operands) return {};
  const auto& [x, w, bias, group] = *operands;
  auto channels = w[1].known() ? checked_mul(w[1].extent, group) : std::nullopt;
  if (x[1].known() && w[1].known() && channels != x[1].extent) {
    return i.refuse(cat("input 0 has ", x[1].extent, " channels, the weights take ", w[1].extent,
                        " in each of ", group, " groups"));
  }
  if (w[0].known() && w[0].extent % group != 0) {
    return i.refuse(cat(w[0].extent, " output channels do not divide into ", group, " groups"));
  }
  if (bias.known() && w[0].known() && bias != w[0]) {
    return i.refuse(cat("input 2 must have ", w[0].extent, " elements, not ", bias.extent));
  }
  DimVector y = {x[0], w[0].known() ? w[0] : bias};
  DimVector outputs = TRY(window_outputs(i.node, operands->spatial(), operands->kernel()));
  y.insert(y.end(), outputs.begin(), outputs.end());
  i.set(0, i.dtype(0), std::move(y));
  return {};
}

namespace {

struct Convolution {
  std::vector<WindowAxis> axes;
  int64_t channels_in = 0;  // of one group
  int64_t plane_in = 0;     // elements of one channel
  int64_t taps = 0;
  int64_t rows_out = 0;  // stretches of the last axis in one output channel
};

// Adds one output channel's products to `sums`. One template: these loops are 99% of a network's time, and
// float32 elements are read where they lie, while all other types are widened to double before.
template <class T>
void convolve(const Convolution& c, const T* x, const T* w, std::span<double> sums) {
  const WindowAxis& last = c.axes.back();
  Dims kernel, rows;
  for (const WindowAxis& axis : c.axes) kernel.push_back(axis.kernel);
  for (size_t a = 0; a + 1 < c.axes.size(); ++a) rows.push_back(c.axes[a].output);
  Odometer tap(std::move(kernel));
  for (int64_t k = 0; k < c.taps; ++k, tap.next()) {
    int64_t start = last.at(0, tap[c.axes.size() - 1]);
    IndexRange inside = indices_inside(start, last.stride, last.output, last.input);
    Odometer row(rows);
    for (int64_t r = 0; r < c.rows_out; ++r, row.next()) {
      auto base = row_under(c.axes, row, tap);
      if (!base || inside.begin == inside.end) continue;
      double* to = sums.data() + r * last.output + inside.begin;
      const T* from = x + (*base + start + inside.begin * last.stride);
      for (int64_t channel = 0; channel < c.channels_in; ++channel, from += c.plane_in) {
        auto weight = static_cast<double>(w[channel * c.taps + k]);
        for (int64_t o = 0; o < inside.end - inside.begin; ++o) {
          to[o] += weight * static_cast<double>(from[o * last.stride]);
        }
      }
    }
  }
}

template <class T>
void convolve_all(const Convolution& c, const ReferenceCall& call, const T* x, const T* w) {
  const TensorView& y = call.outputs[0];
  int64_t batch = y.extent(0);
  int64_t channels_out = y.extent(1);
  int64_t group = call.node.integer(Attr::Group);
  int64_t channels_all = c.channels_in * group;
  std::vector<double> sums(static_cast<size_t>(c.rows_out * c.axes.back().output));
  auto plane_out = static_cast<int64_t>(sums.size());
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t m = 0; m < channels_out; ++m) {
      std::fill(sums.begin(), sums.end(), call.has_input(2) ? call.inputs[2].number(m) : 0.0);
      int64_t first = m / (channels_out / group) * c.channels_in;
      convolve(c, x + (n * channels_all + first) * c.plane_in, w + m * c.channels_in * c.taps, sums);
      int64_t at = (n * channels_out + m) * plane_out;
      for (int64_t p = 0; p < plane_out; ++p) y.set_number(at + p, sums[static_cast<size_t>(p)]);
    }
  }
}

}  // namespace

Status reference_conv(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& w = call.inputs[1];
  if (call.outputs[0].count == 0) return {};
  Convolution c;
  c.axes = TRY(windows_of(call.node, x.dims.subspan(2), w.dims.subspan(2)));
  c.channels_in = w.extent(1);
  c.plane_in = c.taps = c.rows_out = 1;
  for (size_t a = 0; a < c.axes.size(); ++a) {
    c.plane_in *= c.axes[a].input;
    c.taps *= c.axes[a].kernel;
    if (a + 1 < c.axes.size()) c.rows_out *= c.axes[a].output;
  }
  if (c.channels_in == 0) c.taps = 0;  // sums of nothing, however large the kernel
  if (x.dtype == DType::Float32) {
    convolve_all(c, call, x.as<const float>(), w.as<const float>());
  } else {
    std::vector<double> wide_x = widen(x), wide_w = widen(w);
    convolve_all(c, call, wide_x.data(), wide_w.data());
  }
  return {};
}

}  // namespace fuselane
