#include "library/conv.h"

#include <algorithm>

#include "library/matmul.h"

namespace fuselane {
namespace {

// Pointers of one block: [tiles][positions][4]. 2,048 of them are 8 kB of stack in wasm.
constexpr uint32_t kMostPointers = 2048;

struct Sizes {
  uint32_t pixels;  // n * oh * ow
  uint32_t blocks;
  uint32_t features;  // of a group
  uint32_t panels;    // of a group
  uint32_t column_groups;
  uint32_t depth;

  explicit Sizes(const ConvArgs& args)
      : pixels(args.window.n * args.window.oh * args.window.ow),
        blocks((pixels + args.block_pixels - 1) / args.block_pixels),
        features(args.features / args.groups),
        panels(panel_count(features)),
        column_groups((panels + args.group_panels - 1) / args.group_panels),
        depth(args.window.channels / args.groups) {}
};

// Pointers to the input pixels of up to 4 output pixels, for every position of the kernel.
void point_at(const ConvArgs& args, uint32_t first_channel, uint32_t pixel, uint32_t last,
              const float** rows) {
  const Window& window = args.window;
  for (uint32_t r = 0; r < kTileRows; ++r) {
    uint32_t p = std::min(pixel + r, last - 1);
    uint32_t column = p % window.ow;
    uint32_t row = p / window.ow % window.oh;
    const float* image = args.x + size_t{p / (window.ow * window.oh)} * window.h * window.w * window.channels;
    const float** to = rows + r;
    for (uint32_t kh = 0; kh < window.kernel_h; ++kh) {
      // Above or left of the input the unsigned difference wraps, so that one comparison finds both sides.
      uint32_t in_row = row * window.stride_h + kh * window.dilation_h - window.pad_top;
      for (uint32_t kw = 0; kw < window.kernel_w; ++kw, to += kTileRows) {
        uint32_t in_column = column * window.stride_w + kw * window.dilation_w - window.pad_left;
        bool inside = in_row < window.h && in_column < window.w;
        *to = inside ? image + (size_t{in_row} * window.w + in_column) * window.channels + first_channel
                     : args.zeros;
      }
    }
  }
}

void run_block(const ConvArgs& args, const Sizes& sizes, uint32_t group, uint32_t block,
               uint32_t column_group) {
  const float* pointers[kMostPointers];
  uint32_t positions = args.window.positions();
  uint32_t first = block * args.block_pixels;
  uint32_t last = std::min(sizes.pixels, first + args.block_pixels);
  const float** to = pointers;
  for (uint32_t pixel = first; pixel < last; pixel += kTileRows, to += positions * kTileRows) {
    point_at(args, group * sizes.depth, pixel, last, to);
  }
  TileShape shape{.positions = positions, .depth = sizes.depth, .activation = args.activation};
  uint32_t first_panel = column_group * args.group_panels;
  uint32_t last_panel = std::min(sizes.panels, first_panel + args.group_panels);
  for (uint32_t panel = first_panel; panel < last_panel; ++panel) {
    const float* weights =
        args.packed + (size_t{group} * sizes.panels + panel) * panel_size(positions, sizes.depth);
    uint32_t feature = panel * kPanelColumns;
    uint32_t columns = std::min(kPanelColumns, sizes.features - feature);
    const float* const* rows = pointers;
    for (uint32_t pixel = first; pixel < last; pixel += kTileRows, rows += positions * kTileRows) {
      float* y = args.y + size_t{pixel} * args.y_stride + group * sizes.features + feature;
      product_tile(shape, std::min(kTileRows, last - pixel), rows, weights, y, args.y_stride, columns);
    }
  }
}

// The panel of `columns` features from `first` on.
[[gnu::noinline]] void pack_panel(const ConvPackArgs& args, uint32_t first, uint32_t columns, float* to) {
  for (uint32_t j = 0; j < kPanelColumns; ++j) *to++ = args.bias && j < columns ? args.bias[first + j] : 0;
  for (uint32_t p = 0; p < args.positions; ++p) {
    for (uint32_t d = 0; d < args.depth; ++d) {
      const float* from = args.weights + (size_t{first} * args.depth + d) * args.positions + p;
      for (uint32_t j = 0; j < kPanelColumns; ++j)
        *to++ = j < columns ? from[size_t{j} * args.depth * args.positions] : 0;
    }
  }
}

}  // namespace

uint32_t conv_block_most(uint32_t positions) { return kMostPointers / (positions * kTileRows) * kTileRows; }

uint32_t conv_extent(const ConvArgs& args) {
  Sizes sizes(args);
  return args.groups * sizes.blocks * sizes.column_groups;
}

uint32_t conv(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ConvArgs*>(raw);
  Sizes sizes(args);
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t column_group = i % sizes.column_groups;
    uint32_t block = i / sizes.column_groups % sizes.blocks;
    run_block(args, sizes, i / (sizes.column_groups * sizes.blocks), block, column_group);
  }
  return kDone;
}

uint32_t conv_pack(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ConvPackArgs*>(raw);
  uint32_t features = args.features / args.groups;
  uint32_t panels = panel_count(features);
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t feature = i % panels * kPanelColumns;
    pack_panel(args, i / panels * features + feature, std::min(kPanelColumns, features - feature),
               args.packed + size_t{i} * panel_size(args.positions, args.depth));
  }
  return kDone;
}

}  // namespace fuselane
