// ConvTranspose with constant weights and stated pads, one or two spatial axes, channels last: by products of
// its own where windows do not meet, else by the library's kernel.
#include <cstddef>

#include "assemble/kernels/planners.h"
#include "graph/operators/window.h"
#include "library/conv_transpose.h"
#include "library/matmul.h"
#include "library/product_tile.h"

namespace fuselane {
namespace {

// Each panel holds a stretch of every filter, so that there is no reading in parts. A constant larger than
// this stays as it is, and its node with the reference: a model is never in memory twice.
constexpr int64_t kMostBytes = int64_t{24} << 20;

// Of the window only what the packed form depends on, so that all shapes of inputs share it.
Result<BufferId> pack(Site& site, KernelId kernel, const Window& window, uint32_t features, uint32_t groups,
                      uint64_t floats, uint32_t extent) {
  ConvTransposePackArgs pack{.window = window, .features = features, .groups = groups};
  Window& kept = pack.window;
  kept.n = kept.h = kept.w = kept.oh = kept.ow = kept.pad_top = kept.pad_left = 0;
  std::vector<Packing::Operand> operands = {
      whole_constant(site, 1, offsetof(ConvTransposePackArgs, weights))};
  if (site.has(2)) operands.push_back(whole_constant(site, 2, offsetof(ConvTransposePackArgs, bias)));
  return site.packed(packing_of(kernel, offsetof(ConvTransposePackArgs, packed), floats * sizeof(float),
                                {packing_part(pack, std::move(operands), extent)}));
}

Result<BufferId> pack_weights(Site& site, const Window& window, uint32_t features, uint32_t groups) {
  return pack(site, KernelId::ConvTransposePack, window, features, groups,
              conv_transpose_packed_size(window, features, groups), groups * panel_count(features / groups));
}

// Whether each pixel of y is reached from one pixel of x, as where U-Nets double an image.
bool is_apart(const Window& w) {
  return w.kernel_h == w.stride_h && w.kernel_w == w.stride_w && w.dilation_h == 1 && w.dilation_w == 1 &&
         w.pad_top == 0 && w.pad_left == 0 && w.oh == w.h * w.stride_h && w.ow == w.w * w.stride_w;
}

// Then each position of the kernel is a product of x's pixels, whose results lie a stride apart in y: a batch
// for each line, all with the position's matrix. Where pixels of y touch each other, a whole line of the
// kernel is one product. Columns that do not fill a panel are computed all the same.
Result<bool> plan_products(Site& site, const Window& w, uint32_t features, uint32_t groups) {
  const uint64_t x_pixel = pixel_stride(site, 0), y_pixel = result_stride(site);
  const bool whole_lines = groups == 1 && y_pixel == features;
  const uint32_t columns = whole_lines ? w.kernel_w * features : features / groups;
  const uint32_t depth = w.channels / groups;
  if (!whole_lines && columns < kPanelColumns) return false;
  const uint64_t y_line = w.ow * y_pixel, matrix_size = packed_size(columns, 1, depth);
  const auto call = prepare_sums(site,
                                 {.batches = w.n * w.h,
                                  .rows = w.w,
                                  .columns = columns,
                                  .depth = depth,
                                  .a = {.batch = w.w * x_pixel, .row = x_pixel},
                                  .shared = true},
                                 {.batch = w.stride_h * y_line, .row = w.stride_w * y_pixel});
  if (!call) return false;
  const BufferId packed = TRY(whole_lines ? pack(site, KernelId::ConvTransposePackLines, w, features, groups,
                                                 w.kernel_h * matrix_size, w.kernel_h * panel_count(columns))
                                          : pack_weights(site, w, features, groups));
  const Pixels x = take_pixels(site, 0), y = make_pixels(site);
  uint64_t matrix = 0;  // of all that are packed, a group's positions one after another
  for (uint32_t group = 0; group < groups; ++group) {
    for (uint32_t line = 0; line < w.kernel_h; ++line) {
      for (uint32_t column = 0; column < (whole_lines ? 1 : w.kernel_w); ++column) {
        const uint64_t to = line * y_line + column * y_pixel + uint64_t{group} * columns;
        const Site::Address addresses[] = {
            {.buffer = x.buffer, .offset = uint64_t{group} * depth * sizeof(float)},
            {.buffer = packed, .offset = matrix++ * matrix_size * sizeof(float)},
            {.buffer = y.buffer, .offset = to * sizeof(float)}};
        call_generated(site, *call, addresses, 1);
      }
    }
  }
  return true;
}

}  // namespace

Result<bool> plan_conv_transpose(Site& site) {
  const Dims& x = site.dims(0);
  const Dims& w = site.dims(1);
  Dims y = site.result_dims(0);
  const Node& node = site.node();
  if (site.dtype(0) != DType::Float32 || x.size() < 3 || x.size() > 4) return false;
  if (!site.constant(1) || (site.has(2) && !site.constant(2))) return false;
  if (node.text(Attr::AutoPad) != "NOTSET" || !node.integers(Attr::OutputShape).empty()) return false;
  if (*bytes_of(DType::Float32, element_count(w).value_or(0)) > kMostBytes) return false;
  if (!fits32(x) || !fits32(y) || !fits32(w) || element_count(y) == 0 || element_count(x) == 0) return false;
  size_t rank = x.size() - 2;
  WindowAttributes attributes = TRY(window_attributes(node, rank));
  std::vector<WindowAxis> axes(rank);
  for (size_t a = 0; a < rank; ++a) {
    axes[a] = {.input = x[a + 2],
               .kernel = w[a + 2],
               .stride = attributes.strides[a],
               .dilation = attributes.dilations[a],
               .pad_begin = attributes.pads[a],
               .output = y[a + 2]};
    if (!fits32(axes[a].input * axes[a].stride + axes[a].kernel * axes[a].dilation + axes[a].pad_begin))
      return false;
  }
  Window window = window_of(x, axes);
  if (!conv_transpose_fits(window)) return false;
  auto groups = static_cast<uint32_t>(node.integer(Attr::Group));
  auto features = static_cast<uint32_t>(y[1]);
  if (is_apart(window) && TRY(plan_products(site, window, features, groups))) return true;
  BufferId packed = TRY(pack_weights(site, window, features, groups));
  BufferId zeros = TRY(site.zeros(static_cast<uint64_t>(x[1]) * sizeof(float)));
  BufferId from = site.input(0, Layout::ChannelsLast);
  BufferId to = site.output(0, Layout::ChannelsLast);
  ConvTransposeArgs args{.window = window, .features = features, .groups = groups, .y_stride = features};
  site.call(row(KernelId::ConvTranspose), args,
            {{offsetof(ConvTransposeArgs, x), from},
             {offsetof(ConvTransposeArgs, packed), packed},
             {offsetof(ConvTransposeArgs, zeros), zeros},
             {offsetof(ConvTransposeArgs, y), to}},
            {from, packed}, {to}, groups * window.n * window.oh, 1);
  return true;
}

}  // namespace fuselane
