// ConvTranspose with constant weights and stated pads, one or two spatial axes, channels last.
#include <cstddef>

#include "assemble/kernels/planners.h"
#include "graph/operators/window.h"
#include "library/conv_transpose.h"
#include "library/product_tile.h"

namespace fuselane {
namespace {

// Each panel holds a stretch of every filter, so that there is no reading in parts. A constant larger than
// this stays as it is, and its node with the reference: a model is never in memory twice.
constexpr int64_t kMostBytes = int64_t{24} << 20;

Result<BufferId> pack_weights(Site& site, const Window& window, uint32_t features, uint32_t groups) {
  // Of the window only what the packed form depends on, so that all shapes of inputs share it.
  ConvTransposePackArgs pack{.window = window, .features = features, .groups = groups};
  Window& kept = pack.window;
  kept.n = kept.h = kept.w = kept.oh = kept.ow = kept.pad_top = kept.pad_left = 0;
  std::vector<Packing::Operand> operands = {
      whole_constant(site, 1, offsetof(ConvTransposePackArgs, weights))};
  if (site.has(2)) operands.push_back(whole_constant(site, 2, offsetof(ConvTransposePackArgs, bias)));
  uint32_t panels = (features / groups + kPanelColumns - 1) / kPanelColumns;
  return site.packed(packing_of(KernelId::ConvTransposePack, offsetof(ConvTransposePackArgs, packed),
                                conv_transpose_packed_size(window, features, groups) * sizeof(float),
                                {packing_part(pack, std::move(operands), groups * panels)}));
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
