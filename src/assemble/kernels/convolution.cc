// Conv with constant weights, one or two spatial axes, channels last: depthwise where every channel has its
// own filter (depthwise.cc), a plain product where the kernel is one position and nothing is skipped, by
// Winograd's filtering where that pays (winograd.cc), else a product of windows.
#include <cstddef>

#include "assemble/kernels/blocking.h"
#include "assemble/kernels/convolution.h"
#include "assemble/winograd_sizes.h"
#include "graph/operators/window.h"
#include "library/conv.h"
#include "library/matmul.h"

namespace fuselane {
Window window_of(const Dims& x, std::span<const WindowAxis> axes) {
  auto u = [](int64_t value) { return static_cast<uint32_t>(value); };
  // One spatial axis is a row of height 1.
  WindowAxis row{.input = 1, .output = 1};
  if (axes.size() == 2) row = axes[0];
  const WindowAxis& column = axes.back();
  return {.n = u(x[0]),
          .h = u(row.input),
          .w = u(column.input),
          .channels = u(x[1]),
          .oh = u(row.output),
          .ow = u(column.output),
          .kernel_h = u(row.kernel),
          .kernel_w = u(column.kernel),
          .stride_h = u(row.stride),
          .stride_w = u(column.stride),
          .dilation_h = u(row.dilation),
          .dilation_w = u(column.dilation),
          .pad_top = u(row.pad_begin),
          .pad_left = u(column.pad_begin)};
}

namespace {

// Features [first, first + count) of a group, which begin a panel.
Packing::Part features_part(Site& site, const Convolution& c, uint32_t first, uint32_t count) {
  ConvPackArgs pack{.features = count, .groups = 1, .depth = c.depth, .positions = c.window.positions()};
  uint32_t group = first / (c.features / c.groups);
  uint32_t panel = first % (c.features / c.groups) / kPanelColumns;
  uint64_t filter = uint64_t{c.depth} * pack.positions * sizeof(float);
  uint64_t before = packed_size(c.features / c.groups, pack.positions, c.depth) * group +
                    uint64_t{panel} * panel_size(pack.positions, c.depth);
  std::vector<Packing::Operand> operands = {{.at = offsetof(ConvPackArgs, weights),
                                             .constant = site.constant(1),
                                             .offset = first * filter,
                                             .bytes = count * filter}};
  if (site.has(2)) {
    operands.push_back({.at = offsetof(ConvPackArgs, bias),
                        .constant = site.constant(2),
                        .offset = first * sizeof(float),
                        .bytes = count * sizeof(float)});
  }
  return packing_part(pack, std::move(operands), panel_count(count), before * sizeof(float));
}

Result<BufferId> pack_weights(Site& site, const Convolution& c) {
  uint32_t features = c.features / c.groups;
  uint64_t floats = packed_size(features, c.window.positions(), c.depth) * c.groups;
  std::vector<Packing::Part> parts;
  if (floats * sizeof(float) <= kPartBytes) {
    ConvPackArgs pack{
        .features = c.features, .groups = c.groups, .depth = c.depth, .positions = c.window.positions()};
    std::vector<Packing::Operand> operands = {whole_constant(site, 1, offsetof(ConvPackArgs, weights))};
    if (site.has(2)) operands.push_back(whole_constant(site, 2, offsetof(ConvPackArgs, bias)));
    parts.push_back(packing_part(pack, std::move(operands), panel_count(features) * c.groups));
  } else {
    uint64_t panel_bytes = uint64_t{panel_size(c.window.positions(), c.depth)} * sizeof(float);
    auto step = static_cast<uint32_t>(std::max<uint64_t>(kPartBytes / panel_bytes, 1)) * kPanelColumns;
    for (uint32_t group = 0; group < c.groups; ++group) {
      for (uint32_t first = 0; first < features; first += step)
        parts.push_back(features_part(site, c, group * features + first, std::min(step, features - first)));
    }
  }
  return site.packed(packing_of(KernelId::ConvPack, offsetof(ConvPackArgs, packed), floats * sizeof(float),
                                std::move(parts)));
}

// Every output pixel reads the input pixel at its own place.
bool is_product(const Convolution& c) {
  const Window& w = c.window;
  return c.groups == 1 && w.positions() == 1 && w.stride_h == 1 && w.stride_w == 1 && w.pad_top == 0 &&
         w.pad_left == 0 && w.oh == w.h && w.ow == w.w;
}

// False where there is no kernel for the product.
Result<bool> plan_as_product(Site& site, const Convolution& c) {
  uint32_t rows = c.window.n * c.window.oh * c.window.ow;
  auto call = prepare_product(
      site, {.rows = rows, .columns = c.features, .depth = c.depth, .a = {.row = pixel_stride(site, 0)}},
      Layout::ChannelsLast);
  if (!call) return false;
  BufferId packed = TRY(pack_weights(site, c));
  call_product(site, *call, take_pixels(site, 0).buffer, packed);
  return true;
}

// What windows reach along an axis, from their first element on.
uint32_t reach(uint32_t windows, uint32_t stride, uint32_t kernel, uint32_t dilation) {
  return (windows - 1) * stride + (kernel - 1) * dilation + 1;
}

// Each window is a row of a product. Where windows reach beyond x they are over a copy of it with zeros
// around: 2 to 4% of such a convolution's time. False where there is no kernel for it.
Result<bool> plan_as_windows(Site& site, const Convolution& c) {
  const Window& w = c.window;
  const uint32_t h = reach(w.oh, w.stride_h, w.kernel_h, w.dilation_h);
  const uint32_t width = reach(w.ow, w.stride_w, w.kernel_w, w.dilation_w);
  const bool is_framed = w.pad_top > 0 || w.pad_left > 0 || h > w.h || width > w.w;
  const uint32_t x_stride = pixel_stride(site, 0);
  const uint64_t pixel = is_framed ? w.channels : x_stride;
  const FrameArgs frame{.h = w.h,
                        .w = w.w,
                        .channels = w.channels,
                        .x_stride = x_stride,
                        .y_h = is_framed ? h : w.h,
                        .y_w = is_framed ? width : w.w,
                        .top = w.pad_top,
                        .left = w.pad_left};
  if (!fits32(Dims{w.n, frame.y_h, frame.y_w, x_stride})) return false;
  const uint64_t line = frame.y_w * pixel;
  const uint64_t image = line * frame.y_h;
  // Pixels that lie one after another are read as one.
  const bool joins = c.groups == 1 && w.dilation_w == 1 && pixel == w.channels;
  const Matrices matrices{.batches = w.n,
                          .rows = w.oh * w.ow,
                          .columns = c.features,
                          .depth = joins ? w.kernel_w * c.depth : c.depth,
                          .groups = c.groups,
                          .batch_axes = 1};
  const uint32_t panels = panel_count(c.features / c.groups);
  const Blocking blocking = block_product(matrices.rows, panels, uint64_t{w.stride_h} * w.stride_w * c.depth,
                                          site.threads(), site.options().tiling);
  auto call = prepare_windows(site, matrices, blocking,
                              {{"groups", c.groups},
                               {"columns", w.ow},
                               {"kernel_lines", w.kernel_h},
                               {"kernel_columns", joins ? 1 : w.kernel_w},
                               {"a_batch", image},
                               {"a_group", c.depth},
                               {"a_line", w.stride_h * line},
                               {"a_column", w.stride_w * pixel},
                               {"a_kernel_line", w.dilation_h * line},
                               {"a_kernel_column", w.dilation_w * pixel},
                               {"w_group", packed_size(c.features / c.groups, w.positions(), c.depth)}});
  if (!call) return false;
  const BufferId packed = TRY(pack_weights(site, c));
  BufferId x = take_pixels(site, 0).buffer;
  if (is_framed) {
    const BufferId framed = site.scratch(image * w.n * sizeof(float));
    site.call(row(KernelId::Frame), frame, {{offsetof(FrameArgs, x), x}, {offsetof(FrameArgs, y), framed}},
              {x}, {framed}, w.n * h, 1);
    x = framed;
  }
  call_product(site, *call, x, packed);
  return true;
}

}  // namespace

Result<bool> plan_conv(Site& site) {
  const Dims& x = site.dims(0);
  const Dims& w = site.dims(1);
  if (site.dtype(0) != DType::Float32 || x.size() < 3 || x.size() > 4) return false;
  if (!site.constant(1) || (site.has(2) && !site.constant(2))) return false;
  Dims y = site.result_dims(0);
  if (!fits32(x) || !fits32(w) || !fits32(y) || element_count(y) == 0 || element_count(w) == 0) return false;
  auto axes = TRY(windows_of(site.node(), DimsView(x).subspan(2), DimsView(w).subspan(2)));
  for (const WindowAxis& axis : axes) {
    if (!fits32(axis.output * axis.stride + axis.kernel * axis.dilation + axis.pad_begin)) return false;
  }
  Convolution c{.window = window_of(x, axes),
                .features = static_cast<uint32_t>(w[0]),
                .groups = static_cast<uint32_t>(site.node().integer(Attr::Group)),
                .depth = static_cast<uint32_t>(w[1])};
  if (c.groups == c.window.channels && c.features == c.groups && has_depthwise(c.window))
    return plan_depthwise(site, c.window);
  const Window& window = c.window;
  const uint32_t size = winograd_size(
      {.images = window.n, .rows = window.oh, .columns = window.ow, .depth = c.depth, .features = c.features},
      site.largest_tiles());
  if (size > 0) {
    // By itself it is faster than a direct one with what stands behind it: the group is parted.
    if (!winograd_finishes(site)) return false;
    if (TRY(plan_winograd(site, c, size))) return true;
  }
  return is_product(c) ? plan_as_product(site, c) : plan_as_windows(site, c);
}

}  // namespace fuselane
