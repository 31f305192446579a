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

// Implicit matrix product: no patch is copied; each tile reads its pixels through pointers, and pixels in the
// padding through a pointer to zeros (at least channels / groups of them). Weights are packed by conv_pack.
// The loop is over groups x pixel blocks x column groups.
struct ConvArgs {
  const float* x = nullptr;
  const float* packed =
      nullptr;  // for each group its panels: 8 biases, then [kernel_h][kernel_w][channels / groups][8]
  const float* zeros = nullptr;
  float* y = nullptr;
  Window window;
  uint32_t features;  // of all groups together
  uint32_t groups;
  uint32_t y_stride;      // floats from one output pixel to the next, at least `features`
  uint32_t block_pixels;  // a multiple of 4, at most conv_block_most(positions)
  uint32_t group_panels;  // panels in a column group
  Activation activation = {};
};
uint32_t conv(const void* args, uint32_t begin, uint32_t end);
uint32_t conv_extent(const ConvArgs& args);
// The largest block whose pointers fit the kernel's table; 0 when there are too many positions for it.
uint32_t conv_block_most(uint32_t positions);

// Weights [features][channels / groups][kernel_h][kernel_w] into the panels of conv. `bias` may be null. The
// loop is over groups x panels.
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

// One filter for each channel. Weights are [kernel_h * kernel_w + 1][channels rounded up to 4], the biases
// first. The loop is over n x output rows.
struct DepthwiseArgs {
  const float* x = nullptr;
  const float* packed = nullptr;
  float* y = nullptr;
  Window window;
  uint32_t y_stride;
  Activation activation = {};
};
uint32_t depthwise(const void* args, uint32_t begin, uint32_t end);
uint64_t depthwise_packed_size(uint32_t channels, uint32_t positions);

// Weights [channels][kernel_h][kernel_w] into those of depthwise. The loop is over groups of 4 channels.
struct DepthwisePackArgs {
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* packed = nullptr;
  uint32_t channels;
  uint32_t positions;
};
uint32_t depthwise_pack(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
