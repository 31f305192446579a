#include "library/conv_transpose.h"

#include <algorithm>

#include "library/matmul.h"

namespace fuselane {
namespace {

// Pointers of the pixels of one call: [tiles][positions][4]; 8 kB of stack in wasm.
constexpr uint32_t kMostPointers = 2048;

// Along one axis.
uint32_t positions_of_phase(uint32_t phase, uint32_t kernel, uint32_t stride, uint32_t dilation) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < kernel; ++k) count += k * dilation % stride == phase ? 1 : 0;
  return count;
}
uint32_t most_positions(uint32_t kernel, uint32_t stride, uint32_t dilation) {
  uint32_t most = 0;
  for (uint32_t phase = 0; phase < stride; ++phase)
    most = std::max(most, positions_of_phase(phase, kernel, stride, dilation));
  return most;
}

uint32_t phases_of(const Window& w) { return w.stride_h * w.stride_w; }

// Positions of the kernel in a phase, and in all phases before it.
struct PhaseSize {
  uint32_t positions;
  uint32_t before;

  PhaseSize(const Window& w, uint32_t phase) : before(0) {
    uint32_t row_phase = phase / w.stride_w;
    uint32_t column_phase = phase % w.stride_w;
    for (uint32_t p = 0; p < row_phase; ++p)
      before += positions_of_phase(p, w.kernel_h, w.stride_h, w.dilation_h) * w.kernel_w;
    uint32_t rows = positions_of_phase(row_phase, w.kernel_h, w.stride_h, w.dilation_h);
    for (uint32_t p = 0; p < column_phase; ++p)
      before += rows * positions_of_phase(p, w.kernel_w, w.stride_w, w.dilation_w);
    positions = rows * positions_of_phase(column_phase, w.kernel_w, w.stride_w, w.dilation_w);
  }
};

// Calls visit(kernel row, kernel column) for the positions of a phase, in packed order.
template <class Visit>
void each_position(const Window& w, uint32_t phase, Visit visit) {
  for (uint32_t kh = 0; kh < w.kernel_h; ++kh) {
    if (kh * w.dilation_h % w.stride_h != phase / w.stride_w) continue;
    for (uint32_t kw = 0; kw < w.kernel_w; ++kw) {
      if (kw * w.dilation_w % w.stride_w == phase % w.stride_w) visit(kh, kw);
    }
  }
}

// Where a group's panels of a phase begin, in floats.
size_t phase_offset(const PhaseSize& size, uint32_t phase, uint32_t panels, uint32_t depth) {
  return size_t{panels} * kPanelColumns * (phase + size_t{size.before} * depth);
}

// Output pixels of one row and phase: `count` of them from column `first`, a stride apart.
struct Pixels {
  uint32_t image;
  uint32_t row;
  uint32_t phase;
  uint32_t first;
  uint32_t count;
};

// Pointers to what reaches 4 pixels from pixel `index` on; those past the last repeat it.
void point_at(const ConvTransposeArgs& args, const Pixels& pixels, uint32_t index, const float* image,
              const float** rows) {
  const Window& w = args.window;
  each_position(w, pixels.phase, [&](uint32_t kh, uint32_t kw) {
    // Above or left of the input the difference is negative; the division leaves no rest.
    int64_t in_row = (int64_t{pixels.row} + w.pad_top - int64_t{kh} * w.dilation_h) / w.stride_h;
    int64_t start = (int64_t{pixels.first} + w.pad_left - int64_t{kw} * w.dilation_w) / w.stride_w;
    for (uint32_t r = 0; r < kTileRows; ++r) {
      int64_t in_column = start + std::min(index + r, pixels.count - 1);
      bool inside = in_row >= 0 && in_row < w.h && in_column >= 0 && in_column < w.w;
      *rows++ = inside ? image + static_cast<size_t>(in_row * w.w + in_column) * w.channels : args.zeros;
    }
  });
}

void run_pixels(const ConvTransposeArgs& args, uint32_t group, const Pixels& pixels) {
  const Window& w = args.window;
  const float* pointers[kMostPointers];
  PhaseSize size(w, pixels.phase);
  uint32_t depth = w.channels / args.groups;
  uint32_t features = args.features / args.groups;
  uint32_t panels = panel_count(features);
  TileShape shape{.positions = size.positions, .depth = depth, .activation = args.activation};
  const float* image = args.x + size_t{pixels.image} * w.h * w.w * w.channels + group * depth;
  const float* packed = args.packed +
                        group * (conv_transpose_packed_size(w, args.features, args.groups) / args.groups) +
                        phase_offset(size, pixels.phase, panels, depth);
  uint32_t y_step = w.stride_w * args.y_stride;
  float* y_row = args.y + ((size_t{pixels.image} * w.oh + pixels.row) * w.ow + pixels.first) * args.y_stride +
                 group * features;
  uint32_t tile_pointers = std::max(1u, size.positions) * kTileRows;
  uint32_t block = kMostPointers / tile_pointers * kTileRows;
  for (uint32_t first = 0; first < pixels.count; first += block) {
    uint32_t last = std::min(pixels.count, first + block);
    const float** to = pointers;
    for (uint32_t i = first; i < last; i += kTileRows, to += tile_pointers)
      point_at(args, pixels, i, image, to);
    for (uint32_t panel = 0; panel < panels; ++panel) {
      uint32_t feature = panel * kPanelColumns;
      const float* weights = packed + size_t{panel} * panel_size(size.positions, depth);
      const float* const* rows = pointers;
      for (uint32_t i = first; i < last; i += kTileRows, rows += tile_pointers) {
        product_tile(shape, std::min(kTileRows, last - i), rows, weights,
                     y_row + size_t{i} * y_step + feature, y_step,
                     std::min(kPanelColumns, features - feature));
      }
    }
  }
}

// A phase's panel of `columns` features of a group from `feature` on.
[[gnu::noinline]] void pack_panel(const ConvTransposePackArgs& args, uint32_t phase, uint32_t group,
                                  uint32_t feature, uint32_t columns, float* to) {
  const Window& w = args.window;
  uint32_t depth = w.channels / args.groups;
  uint32_t features = args.features / args.groups;
  const float* bias = args.bias ? args.bias + group * features + feature : nullptr;
  for (uint32_t j = 0; j < kPanelColumns; ++j) *to++ = bias && j < columns ? bias[j] : 0;
  each_position(w, phase, [&](uint32_t kh, uint32_t kw) {
    for (uint32_t d = 0; d < depth; ++d) {
      size_t filter = (size_t{group} * depth + d) * features + feature;
      const float* from = args.weights + (filter * w.kernel_h + kh) * w.kernel_w + kw;
      for (uint32_t j = 0; j < kPanelColumns; ++j) *to++ = j < columns ? from[size_t{j} * w.positions()] : 0;
    }
  });
}

}  // namespace

bool conv_transpose_fits(const Window& w) {
  uint64_t most = uint64_t{most_positions(w.kernel_h, w.stride_h, w.dilation_h)} *
                  most_positions(w.kernel_w, w.stride_w, w.dilation_w);
  return most * kTileRows <= kMostPointers;
}

uint64_t conv_transpose_packed_size(const Window& w, uint32_t features, uint32_t groups) {
  uint64_t panels = uint64_t{groups} * panel_count(features / groups);
  return panels * kPanelColumns * (phases_of(w) + uint64_t{w.positions()} * (w.channels / groups));
}

uint32_t conv_transpose(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ConvTransposeArgs*>(raw);
  const Window& w = args.window;
  for (uint32_t i = begin; i < end; ++i) {
    Pixels pixels{};
    pixels.row = i % w.oh;
    pixels.image = i / w.oh % w.n;
    uint32_t row_phase = (pixels.row + w.pad_top) % w.stride_h;
    for (pixels.first = 0; pixels.first < std::min(w.stride_w, w.ow); ++pixels.first) {
      pixels.phase = row_phase * w.stride_w + (pixels.first + w.pad_left) % w.stride_w;
      pixels.count = (w.ow - pixels.first + w.stride_w - 1) / w.stride_w;
      run_pixels(args, i / (w.oh * w.n), pixels);
    }
  }
  return kDone;
}

uint32_t conv_transpose_pack(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ConvTransposePackArgs*>(raw);
  const Window& w = args.window;
  uint32_t depth = w.channels / args.groups;
  uint32_t features = args.features / args.groups;
  uint32_t panels = panel_count(features);
  uint64_t group_size = conv_transpose_packed_size(w, args.features, args.groups) / args.groups;
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t group = i / panels;
    uint32_t panel = i % panels;
    uint32_t feature = panel * kPanelColumns;
    for (uint32_t phase = 0; phase < phases_of(w); ++phase) {
      PhaseSize size(w, phase);
      float* to = args.packed + group * group_size + phase_offset(size, phase, panels, depth) +
                  size_t{panel} * panel_size(size.positions, depth);
      pack_panel(args, phase, group, feature, std::min(kPanelColumns, features - feature), to);
    }
  }
  return kDone;
}

uint32_t conv_transpose_pack_lines(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ConvTransposePackArgs*>(raw);
  const Window& w = args.window;
  const uint32_t columns = w.kernel_w * args.features, panels = panel_count(columns);
  for (uint32_t i = begin; i < end; ++i) {
    const uint32_t line = i / panels, first = i % panels * kPanelColumns;
    const uint32_t last = std::min(columns, first + kPanelColumns);
    float* to = args.packed + line * packed_size(columns, 1, w.channels) +
                size_t{i % panels} * panel_size(1, w.channels);
    std::fill_n(to, size_t{kPanelColumns} * (1 + w.channels), 0.0f);
    for (uint32_t j = first; j < last; ++j) {
      const uint32_t feature = j % args.features;
      float* column = to + (j - first);
      if (args.bias) *column = args.bias[feature];
      for (uint32_t d = 0; d < w.channels; ++d) {
        const size_t filter = size_t{d} * args.features + feature;
        column += kPanelColumns;
        *column = args.weights[(filter * w.kernel_h + line) * w.kernel_w + j / args.features];
      }
    }
  }
  return kDone;
}

}  // namespace fuselane
