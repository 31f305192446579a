// Two-dimensional transposed convolutions, float32, channels last.
#pragma once

#include <cstdint>

#include "library/conv.h"

namespace fuselane {

// y[row * stride + kernel row * dilation - pad] += x[row] * weights[kernel row], likewise columns: in the
// window h and w are those of x, oh and ow those of y, pads what is cut from y.
//
// Output pixels whose position has the same remainder by the strides (a phase) are reached by the same
// positions of the kernel, and each phase is an ordinary convolution by pointers into pixels a stride apart.
// With stride = kernel, as in U-Nets, a phase has one position and nothing is multiplied by padding.
// The loop is over groups x n x output rows.
struct ConvTransposeArgs {
  const float* x = nullptr;
  const float* packed = nullptr;  // by conv_transpose_pack
  const float* zeros = nullptr;   // at least channels / groups of them
  float* y = nullptr;
  Window window;
  uint32_t features;  // of all groups together
  uint32_t groups;
  uint32_t y_stride;  // floats from one output pixel to the next, at least `features`
  Activation activation = {};
};
uint32_t conv_transpose(const void* args, uint32_t begin, uint32_t end);
// Whether the kernel's table holds the pointers of a tile.
bool conv_transpose_fits(const Window& window);

// Weights [channels][features / groups][kernel_h][kernel_w] into [groups][phases][panels], a panel being 8
// biases, then [positions of the phase][channels / groups][8]. `bias` may be null. Of the window the
// channels, the kernel, strides and dilations count. The loop is over groups x panels.
struct ConvTransposePackArgs {
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* packed = nullptr;
  Window window;
  uint32_t features;
  uint32_t groups;
};
uint32_t conv_transpose_pack(const void* args, uint32_t begin, uint32_t end);
uint64_t conv_transpose_packed_size(const Window& window, uint32_t features, uint32_t groups);

// The same weights, of one group, into a packed matrix (product_tile.h) for each of the kernel's lines, whose
// columns are [kernel_w][features]. The loop is over lines x panels.
uint32_t conv_transpose_pack_lines(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
