// 3x3 convolutions of stride 1 by Winograd's filtering: blocks of tiles, each in three steps that find what
// the one before has left in the cache.
#include <cstddef>

#include "assemble/kernels/convolution.h"
#include "assemble/winograd_sizes.h"
#include "library/matmul.h"
#include "library/winograd.h"

namespace fuselane {
namespace {

// Of a block's planes, before and after the products, for each thread.
constexpr uint64_t kBlockFloats = 128 * 1024;

// What is made of the results, where winograd_out can do it.
struct Finish {
  std::optional<size_t> residual;  // operand
  Activation activation;
};

std::optional<Finish> filter_finish(const Site& site) {
  const std::vector<loop::Step>& steps = site.steps();
  const size_t residual = site.input_count(), others = site.operand_count() - residual;
  Finish finish{.residual = std::nullopt, .activation = activation_of(site.node())};
  if (steps.empty()) return finish;
  if (finish.activation.kind != ActivationKind::None || others > 1) return std::nullopt;
  if (others == 1) {
    const bool adds = steps[0].function == loop::Function::Add && steps[0].a + steps[0].b == 1 &&
                      site.dtype(residual) == DType::Float32 && site.dims(residual) == site.result_dims(0);
    if (!adds) return std::nullopt;
    finish.residual = residual;
    if (steps.size() == 1) return finish;
  }
  // Of the sums, or of what the addition has made of them.
  const loop::Step& last = steps.back();
  const bool activates = steps.size() == 1 + others && last.function == loop::Function::Activate &&
                         last.a == (others == 1 ? 2 : 0);
  if (!activates) return std::nullopt;
  finish.activation = last.activation;
  return finish;
}

Result<BufferId> pack_weights(Site& site, const Convolution& c, uint32_t size) {
  const uint32_t depth = c.depth, planes = winograd_planes(size);
  const uint64_t plane = packed_size(c.features, 1, depth), filter = uint64_t{depth} * 9 * sizeof(float);
  const auto step =
      static_cast<uint32_t>(std::max<uint64_t>(kPartBytes / filter / kPanelColumns, 1)) * kPanelColumns;
  std::vector<Packing::Part> parts;
  for (uint32_t first = 0; first < c.features; first += step) {
    const WinogradPackArgs pack{.features = std::min(step, c.features - first),
                                .depth = depth,
                                .size = size,
                                .plane = static_cast<uint32_t>(plane)};
    std::vector<Packing::Operand> operands = {{.at = offsetof(WinogradPackArgs, weights),
                                               .constant = site.constant(1),
                                               .offset = first * filter,
                                               .bytes = pack.features * filter}};
    if (site.has(2)) {
      operands.push_back({.at = offsetof(WinogradPackArgs, bias),
                          .constant = site.constant(2),
                          .offset = first * sizeof(float),
                          .bytes = pack.features * sizeof(float)});
    }
    const uint64_t before = uint64_t{first / kPanelColumns} * panel_size(1, depth) * sizeof(float);
    parts.push_back(packing_part(pack, std::move(operands), panel_count(pack.features), before));
  }
  return site.packed(packing_of(KernelId::WinogradPack, offsetof(WinogradPackArgs, packed),
                                plane * planes * sizeof(float), std::move(parts)));
}

// From one plane to the next. Planes a multiple of 4 kB apart would share few sets of the cache (7.2 ms
// for 2.4).
uint32_t plane_of(uint32_t tiles, uint32_t channels) { return tiles * channels + 16; }

}  // namespace

bool winograd_finishes(const Site& site) { return filter_finish(site).has_value(); }

Result<bool> plan_winograd(Site& site, const Convolution& c, uint32_t size) {
  const auto finish = filter_finish(site);
  if (!finish) return false;
  const Window& w = c.window;
  const uint32_t planes = winograd_planes(size);
  WinogradTiles tiles{.size = size,
                      .tiles_h = (w.oh + size - 1) / size,
                      .tiles_w = (w.ow + size - 1) / size,
                      .first = 0,
                      .plane = 0};
  const uint32_t all = w.n * tiles.tiles_h * tiles.tiles_w;
  const uint64_t most =
      std::max<uint64_t>(kBlockFloats * site.threads() / ((c.depth + c.features) * planes), kLeastTiles);
  const auto blocks = static_cast<uint32_t>((all + most - 1) / most);
  const uint32_t block = (all + blocks - 1) / blocks;
  const uint32_t in_plane = plane_of(block, c.depth), out_plane = plane_of(block, c.features);
  if (!fits32(Dims{planes, std::max(in_plane, out_plane)})) return false;
  auto call_for = [&](uint32_t count) {
    return prepare_sums(site,
                        {.batches = planes,
                         .rows = count,
                         .columns = c.features,
                         .depth = c.depth,
                         .a = {.batch = in_plane, .row = c.depth}},
                        {.batch = out_plane, .row = c.features});
  };
  // The last block may be smaller.
  const auto whole = call_for(block), last = call_for(all - (blocks - 1) * block);
  if (!whole || !last) return false;
  const BufferId packed = TRY(pack_weights(site, c, size));
  const BufferId zeros = TRY(site.zeros(c.depth * sizeof(float)));
  const Pixels x = take_pixels(site, 0);
  Pixels residual{};
  std::vector<size_t> over;
  if (finish->residual) {
    residual = take_pixels(site, *finish->residual);
    // One block may write there before the next one reads: not where x lies, of which tiles share elements.
    if (!site.share_memory(*finish->residual, 0)) over.push_back(*finish->residual);
  }
  const Pixels y = make_pixels(site, over);
  const BufferId a = site.scratch(uint64_t{planes} * in_plane * sizeof(float));
  const BufferId sums = site.scratch(uint64_t{planes} * out_plane * sizeof(float));
  for (; tiles.first < all; tiles.first += block) {
    const uint32_t count = std::min(block, all - tiles.first);
    WinogradInArgs in{.tiles = tiles,
                      .h = w.h,
                      .w = w.w,
                      .channels = c.depth,
                      .x_stride = x.stride,
                      .pad_top = w.pad_top,
                      .pad_left = w.pad_left};
    in.tiles.plane = in_plane;
    site.call(row(KernelId::WinogradIn), in,
              {{offsetof(WinogradInArgs, x), x.buffer},
               {offsetof(WinogradInArgs, zeros), zeros},
               {offsetof(WinogradInArgs, planes), a}},
              {x.buffer, zeros}, {a}, count, 1);
    call_generated(site, count == block ? *whole : *last, {a, packed, sums}, 1);
    WinogradOutArgs out{.tiles = tiles,
                        .h = w.oh,
                        .w = w.ow,
                        .features = c.features,
                        .residual_stride = residual.stride,
                        .y_stride = y.stride,
                        .activation = finish->activation};
    out.tiles.plane = out_plane;
    std::vector<Slot> slots = {{offsetof(WinogradOutArgs, planes), sums},
                               {offsetof(WinogradOutArgs, y), y.buffer}};
    std::vector<BufferId> reads = {sums};
    if (residual.buffer) {
      slots.push_back({offsetof(WinogradOutArgs, residual), residual.buffer});
      reads.push_back(residual.buffer);
    }
    site.call(row(KernelId::WinogradOut), out, slots, std::move(reads), {y.buffer}, count, 1);
  }
  return true;
}

}  // namespace fuselane
