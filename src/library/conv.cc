#include "library/conv.h"

#include <algorithm>

#include "library/copy_run.h"
#include "library/matmul.h"

namespace fuselane {
namespace {

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

// Pixels of x, `count` floats together.
void copy_pixels(const FrameArgs& args, const float* x, size_t count, float* y) {
  if (args.x_stride == args.channels) {
    std::copy_n(x, count, y);
    return;
  }
  for (const float* end = y + count; y < end; x += args.x_stride, y += args.channels)
    copy_run(y, x, args.channels * sizeof(float));
}

}  // namespace

uint32_t frame(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const FrameArgs*>(raw);
  const size_t line = size_t{args.y_w} * args.channels;
  const size_t before = std::min(size_t{args.left} * args.channels, line);
  const size_t count = std::min(size_t{args.w} * args.channels, line - before);
  for (uint32_t i = begin; i < end; ++i) {
    float* y = args.y + i * line;
    const uint32_t row = i % args.y_h - args.top;  // wraps around above x
    if (row >= args.h) {
      std::fill_n(y, line, 0.0f);
      continue;
    }
    std::fill_n(y, before, 0.0f);
    copy_pixels(args, args.x + (size_t{i / args.y_h} * args.h + row) * args.w * args.x_stride, count,
                y + before);
    std::fill_n(y + before + count, line - before - count, 0.0f);
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

uint64_t depthwise_packed_size(uint32_t channels, uint32_t positions) {
  return uint64_t{(channels + kLanes - 1) / kLanes} * kLanes * (positions + 1);
}

uint32_t depthwise_pack(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const DepthwisePackArgs*>(raw);
  float* to = args.packed + uint64_t{begin} * kLanes * (args.positions + 1);
  for (uint32_t first = begin * kLanes; first < end * kLanes; first += kLanes) {
    for (uint32_t line = 0; line <= args.positions; ++line) {
      for (uint32_t channel = first; channel < first + kLanes; ++channel) {
        const bool real = channel < args.channels;
        if (line == 0) {
          *to++ = args.bias && real ? args.bias[channel] : 0;
        } else {
          *to++ = real ? args.weights[size_t{channel} * args.positions + line - 1] : 0;
        }
      }
    }
  }
  return kDone;
}

}  // namespace fuselane
