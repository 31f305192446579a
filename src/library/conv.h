// Two-dimensional convolutions, float32, channels last: x is [n][h][w][channels], y [n][oh][ow][features].
// One-dimensional ones are those with h = 1.
#pragma once

#include <cstdint>

#include "library/activation.h"
#include "library/kernel.h"

namespace fuselane {

// Where a window lies: input row = output row * stride_h + kernel row * dilation_h - pad_top, likewise
// columns.
struct Window {
  uint32_t n, h, w, channels;
  uint32_t oh, ow;
  uint32_t kernel_h, kernel_w;
  uint32_t stride_h, stride_w;
  uint32_t dilation_h, dilation_w;
  uint32_t pad_top, pad_left;

  uint32_t positions() const { return kernel_h * kernel_w; }
};

// x, whose pixels are x_stride floats apart, with zeros around it: y is [n][y_h][y_w][channels], and x's
// first pixel is at (top, left) of each image; what does not fit is left out. The loop is over n x y_h.
struct FrameArgs {
  const float* x = nullptr;
  float* y = nullptr;
  uint32_t h, w, channels;
  uint32_t x_stride;  // at least the channels
  uint32_t y_h, y_w;
  uint32_t top, left;
};
uint32_t frame(const void* args, uint32_t begin, uint32_t end);

// Weights [features][channels / groups][kernel_h][kernel_w] into the panels of products (product_tile.h),
// those of each group one after another: 8 biases, then [kernel_h][kernel_w][channels / groups][8]. `bias`
// may be null. The loop is over groups x panels.
struct ConvPackArgs {
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* packed = nullptr;
  uint32_t features;
  uint32_t groups;
  uint32_t depth;  // channels / groups
  uint32_t positions;
};
uint32_t conv_pack(const void* args, uint32_t begin, uint32_t end);

// Weights [channels][positions] of filters for a channel each, into blocks of 4 channels: 4 biases, then
// [positions][4]. What is behind the last channel is 0. `bias` may be null. The loop is over the blocks.
struct DepthwisePackArgs {
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* packed = nullptr;
  uint32_t channels;
  uint32_t positions;
};
uint32_t depthwise_pack(const void* args, uint32_t begin, uint32_t end);
uint64_t depthwise_packed_size(uint32_t channels, uint32_t positions);

}  // namespace fuselane
