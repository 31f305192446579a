// Winograd's minimal filtering for 3x3 convolutions of stride 1, float32, channels last: a tile of size x
// size results (2 or 4) takes (size + 2)^2 products, one on each plane, where a direct convolution takes 9
// size^2. (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015: F(2x2, 3x3) and F(4x4,
// 3x3).)
//
//   winograd_in       a block of tiles of x to planes        [planes][tiles][channels]
//   matrix products   of each plane with the weights' plane  [planes][tiles][features]
//   winograd_out      planes to the tiles' results in y
//
// Channels and features are multiples of 4.
#pragma once

#include <cstdint>

#include "library/activation.h"
#include "library/kernel.h"

namespace fuselane {

inline constexpr uint32_t winograd_planes(uint32_t size) { return (size + 2) * (size + 2); }

// Tiles cover y in rows of tiles_w, tiles_h of them for each image.
struct WinogradTiles {
  uint32_t size;  // 2 or 4
  uint32_t tiles_h, tiles_w;
  uint32_t first;  // of the block
  uint32_t plane;  // floats from one plane to the next
};

// x is [n][h][w][channels], its pixels x_stride floats apart; what is outside of it is read through `zeros`,
// as many as channels. The loop is over the block's tiles.
struct WinogradInArgs {
  const float* x = nullptr;
  const float* zeros = nullptr;
  float* planes = nullptr;
  WinogradTiles tiles;
  uint32_t h, w, channels;
  uint32_t x_stride;
  uint32_t pad_top, pad_left;
};
uint32_t winograd_in(const void* args, uint32_t begin, uint32_t end);

// y [n][h][w][features] = activation(what the planes give + residual), `residual` like y or null, each with
// pixels so many floats apart. `residual` may be y. The loop is over the block's tiles.
struct WinogradOutArgs {
  const float* planes = nullptr;
  const float* residual = nullptr;
  float* y = nullptr;
  WinogradTiles tiles;
  uint32_t h, w, features;
  uint32_t residual_stride, y_stride;
  Activation activation = {};
};
uint32_t winograd_out(const void* args, uint32_t begin, uint32_t end);

// Weights [features][depth][3][3] into a packed matrix (product_tile.h) for each plane, `plane` floats apart.
// The bias, which may be null, goes into the one whose products are in all results once. The loop is over
// panels.
struct WinogradPackArgs {
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* packed = nullptr;
  uint32_t features;
  uint32_t depth;
  uint32_t size;
  uint32_t plane;
};
uint32_t winograd_pack(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
