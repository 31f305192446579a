// Conv with constant weights, one or two spatial axes, channels last: depthwise where every channel has its
// own filter, a plain product where the kernel is one position and nothing is skipped, else the product by
// pointers.
#include <cstddef>

#include "assemble/kernels/blocking.h"
#include "assemble/kernels/planners.h"
#include "graph/operators/window.h"
#include "library/conv.h"
#include "library/matmul.h"

namespace fuselane {
namespace {

struct Convolution {
  Window window;
  uint32_t features;
  uint32_t groups;
  uint32_t depth;  // channels of a group
};

}  // namespace

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

Result<bool> plan_depthwise(Site& site, const Convolution& c) {
  uint32_t positions = c.window.positions();
  DepthwisePackArgs pack{.channels = c.features, .positions = positions};
  std::vector<Packing::Operand> operands = {whole_constant(site, 1, offsetof(DepthwisePackArgs, weights))};
  if (site.has(2)) operands.push_back(whole_constant(site, 2, offsetof(DepthwisePackArgs, bias)));
  BufferId packed = TRY(
      site.packed(packing_of(KernelId::DepthwisePack, offsetof(DepthwisePackArgs, packed),
                             depthwise_packed_size(c.features, positions) * sizeof(float),
                             {packing_part(pack, std::move(operands), (c.features + kLanes - 1) / kLanes)})));
  BufferId x = site.input(0, Layout::ChannelsLast);
  BufferId y = site.output(0, Layout::ChannelsLast);
  DepthwiseArgs args{.window = c.window, .y_stride = c.features, .activation = activation_of(site.node())};
  site.call(row(KernelId::Depthwise), args,
            {{offsetof(DepthwiseArgs, x), x},
             {offsetof(DepthwiseArgs, packed), packed},
             {offsetof(DepthwiseArgs, y), y}},
            {x, packed}, {y}, c.window.n * c.window.oh, 1);
  return true;
}

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
  auto call =
      prepare_product(site, {.rows = rows, .columns = c.features, .depth = c.depth}, Layout::ChannelsLast);
  if (!call) return false;
  BufferId packed = TRY(pack_weights(site, c));
  call_product(site, *call, site.input(0, Layout::ChannelsLast), packed);
  return true;
}

Result<bool> plan_by_pointers(Site& site, const Convolution& c) {
  uint32_t most = conv_block_most(c.window.positions());
  if (most == 0) return false;
  BufferId packed = TRY(pack_weights(site, c));
  BufferId zeros = TRY(site.zeros(uint64_t{c.depth} * sizeof(float)));
  BufferId x = site.input(0, Layout::ChannelsLast);
  BufferId y = site.output(0, Layout::ChannelsLast);
  const Window& w = c.window;
  Blocking blocking = block_product(uint64_t{w.n} * w.oh * w.ow, panel_count(c.features / c.groups),
                                    uint64_t{c.depth} * w.positions(), site.threads());
  ConvArgs args{.window = w,
                .features = c.features,
                .groups = c.groups,
                .y_stride = c.features,
                .block_pixels = std::min(blocking.rows, most),
                .group_panels = blocking.panels,
                .activation = activation_of(site.node())};
  site.call(row(KernelId::Conv), args,
            {{offsetof(ConvArgs, x), x},
             {offsetof(ConvArgs, packed), packed},
             {offsetof(ConvArgs, zeros), zeros},
             {offsetof(ConvArgs, y), y}},
            {x, packed}, {y}, conv_extent(args), 1);
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
  if (!site.steps().empty()) return is_product(c) && TRY(plan_as_product(site, c));
  if (c.groups == c.window.channels && c.features == c.groups && c.window.kernel_h <= 64) {
    return plan_depthwise(site, c);
  }
  if (is_product(c) && TRY(plan_as_product(site, c))) return true;
  return plan_by_pointers(site, c);
}

}  // namespace fuselane
