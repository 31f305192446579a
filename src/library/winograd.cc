#include "library/winograd.h"

#include <algorithm>
#include <limits>

#include "library/matmul.h"

namespace fuselane {
namespace {

v128_t add(v128_t a, v128_t b) { return wasm_f32x4_add(a, b); }
v128_t sub(v128_t a, v128_t b) { return wasm_f32x4_sub(a, b); }
// Powers of two by additions, which are as exact: V8 makes a constant anew wherever it is used, in three
// instructions.
v128_t twice(v128_t a) { return add(a, a); }
v128_t four_times(v128_t a) { return twice(twice(a)); }
v128_t times(float factor, v128_t a) { return wasm_f32x4_mul(wasm_f32x4_splat(factor), a); }

// The one-dimensional transforms, for kSize results: of kSize + 2 elements of x, of 3 weights, and of kSize +
// 2 products to results. In two dimensions they are applied along one axis, then along the other.
template <uint32_t kSize>
struct Transform;

template <>
struct Transform<2> {
  static void in(const v128_t (&x)[4], v128_t (&to)[4]) {
    to[0] = sub(x[0], x[2]);
    to[1] = add(x[1], x[2]);
    to[2] = sub(x[2], x[1]);
    to[3] = sub(x[1], x[3]);
  }
  static void weights(const v128_t (&w)[3], v128_t (&to)[4]) {
    v128_t outer = times(0.5f, add(w[0], w[2])), middle = times(0.5f, w[1]);
    to[0] = w[0];
    to[1] = add(outer, middle);
    to[2] = sub(outer, middle);
    to[3] = w[2];
  }
  static void out(const v128_t (&m)[4], v128_t (&to)[2]) {
    to[0] = add(m[0], add(m[1], m[2]));
    to[1] = sub(sub(m[1], m[2]), m[3]);
  }
};

// At the points 0, 1, -1, 2, -2 and infinity.
template <>
struct Transform<4> {
  static void in(const v128_t (&x)[6], v128_t (&to)[6]) {
    v128_t a = sub(x[4], four_times(x[2])), b = sub(x[3], four_times(x[1]));
    v128_t c = sub(x[4], x[2]), d = twice(sub(x[3], x[1]));
    to[0] = add(four_times(sub(x[0], x[2])), c);
    to[1] = add(a, b);
    to[2] = sub(a, b);
    to[3] = add(c, d);
    to[4] = sub(c, d);
    to[5] = sub(sub(x[5], x[3]), twice(d));
  }
  static void weights(const v128_t (&w)[3], v128_t (&to)[6]) {
    v128_t near = times(-1.0f / 6, add(w[0], w[2])), near_middle = times(-1.0f / 6, w[1]);
    v128_t far = times(1.0f / 24, add(w[0], times(4, w[2]))), far_middle = times(1.0f / 12, w[1]);
    to[0] = times(0.25f, w[0]);
    to[1] = add(near, near_middle);
    to[2] = sub(near, near_middle);
    to[3] = add(far, far_middle);
    to[4] = sub(far, far_middle);
    to[5] = w[2];
  }
  static void out(const v128_t (&m)[6], v128_t (&to)[4]) {
    v128_t near = add(m[1], m[2]), far = add(m[3], m[4]);
    v128_t near_odd = sub(m[1], m[2]), far_odd = twice(sub(m[3], m[4]));
    to[0] = add(m[0], add(near, far));
    to[1] = add(near_odd, far_odd);
    to[2] = add(near, four_times(far));
    to[3] = add(add(near_odd, four_times(far_odd)), m[5]);
  }
};

// Loops over lines stay loops: written out they would be 20 kB of a page's download.
#define FUSELANE_LOOP _Pragma("clang loop unroll(disable)") for

struct Tile {
  uint32_t image, row, column;  // of its first result

  Tile(const WinogradTiles& tiles, uint32_t i)
      : image((tiles.first + i) / (tiles.tiles_h * tiles.tiles_w)),
        row((tiles.first + i) / tiles.tiles_w % tiles.tiles_h * tiles.size),
        column((tiles.first + i) % tiles.tiles_w * tiles.size) {}
};

// `from` has a pointer for each element of the tile, in rows.
template <uint32_t kSize>
[[gnu::noinline]] void tile_in(const float* const* from, uint32_t channels, float* to, size_t plane) {
  constexpr uint32_t kSide = kSize + 2;
  for (uint32_t c = 0; c < channels; c += kLanes) {
    v128_t lines[kSide][kSide];
    FUSELANE_LOOP(uint32_t r = 0; r < kSide; ++r) {
      v128_t line[kSide];
      for (uint32_t k = 0; k < kSide; ++k) line[k] = wasm_v128_load(from[r * kSide + k] + c);
      Transform<kSize>::in(line, lines[r]);
    }
    FUSELANE_LOOP(uint32_t k = 0; k < kSide; ++k) {
      v128_t column[kSide];
      v128_t all[kSide];
      for (uint32_t r = 0; r < kSide; ++r) column[r] = lines[r][k];
      Transform<kSize>::in(column, all);
      for (uint32_t r = 0; r < kSide; ++r) wasm_v128_store(to + (r * kSide + k) * plane + c, all[r]);
    }
  }
}

template <uint32_t kSize>
void run_in(const WinogradInArgs& args, uint32_t begin, uint32_t end) {
  constexpr uint32_t kSide = kSize + 2;
  for (uint32_t i = begin; i < end; ++i) {
    const Tile tile(args.tiles, i);
    const float* from[kSide * kSide];
    FUSELANE_LOOP(uint32_t r = 0; r < kSide; ++r) {
      FUSELANE_LOOP(uint32_t k = 0; k < kSide; ++k) {
        // Above or left of the input the unsigned difference wraps.
        uint32_t row = tile.row + r - args.pad_top, column = tile.column + k - args.pad_left;
        bool is_inside = row < args.h && column < args.w;
        size_t pixel = (size_t{tile.image} * args.h + row) * args.w + column;
        from[r * kSide + k] = is_inside ? args.x + pixel * args.x_stride : args.zeros;
      }
    }
    tile_in<kSize>(from, args.channels, args.planes + size_t{i} * args.channels, args.tiles.plane);
  }
}

// Activations as bounds, none where there are none; others are computed of what is within these.
struct Bounds {
  v128_t low, high;
  bool suffice;

  explicit Bounds(const Activation& activation)
      : low(wasm_f32x4_splat(-std::numeric_limits<float>::infinity())),
        high(wasm_f32x4_splat(std::numeric_limits<float>::infinity())),
        suffice(activation.kind == ActivationKind::None || activation.kind == ActivationKind::Clamp) {
    if (activation.kind != ActivationKind::Clamp) return;
    low = wasm_f32x4_splat(activation.a);
    high = wasm_f32x4_splat(activation.b);
  }
};

template <uint32_t kSize>
[[gnu::noinline]] void tile_out(const WinogradOutArgs& args, const Tile& tile, const float* from) {
  constexpr uint32_t kSide = kSize + 2;
  const uint32_t rows = std::min(kSize, args.h - tile.row), columns = std::min(kSize, args.w - tile.column);
  const size_t first = (size_t{tile.image} * args.h + tile.row) * args.w + tile.column;
  const size_t y_row = size_t{args.w} * args.y_stride, residual_row = size_t{args.w} * args.residual_stride;
  const Bounds bounds(args.activation);
  for (uint32_t f = 0; f < args.features; f += kLanes) {
    v128_t lines[kSide][kSize];
    FUSELANE_LOOP(uint32_t r = 0; r < kSide; ++r) {
      v128_t line[kSide];
      for (uint32_t k = 0; k < kSide; ++k)
        line[k] = wasm_v128_load(from + (r * kSide + k) * size_t{args.tiles.plane} + f);
      Transform<kSize>::out(line, lines[r]);
    }
    FUSELANE_LOOP(uint32_t k = 0; k < columns; ++k) {
      v128_t column[kSide];
      v128_t results[kSize];
      for (uint32_t r = 0; r < kSide; ++r) column[r] = lines[r][k];
      Transform<kSize>::out(column, results);
      float* y = args.y + (first + k) * args.y_stride + f;
      const float* residual =
          args.residual ? args.residual + (first + k) * args.residual_stride + f : nullptr;
      for (uint32_t r = 0; r < kSize; ++r) {
        if (r == rows) break;
        v128_t result = results[r];
        if (residual) result = add(result, wasm_v128_load(residual + r * residual_row));
        result = bounds.suffice ? wasm_f32x4_pmin(wasm_f32x4_pmax(result, bounds.low), bounds.high)
                                : apply(args.activation, result);
        wasm_v128_store(y + r * y_row, result);
      }
    }
  }
}

template <uint32_t kSize>
void run_out(const WinogradOutArgs& args, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; ++i)
    tile_out<kSize>(args, Tile(args.tiles, i), args.planes + size_t{i} * args.features);
}

// Weights of four features, `stride` floats apart, `count` of which there are.
template <uint32_t kSize>
[[gnu::noinline]] void pack_four(const float* weights, size_t stride, uint32_t count, float* to,
                                 size_t plane) {
  constexpr uint32_t kSide = kSize + 2;
  v128_t lines[3][kSide];
  FUSELANE_LOOP(uint32_t r = 0; r < 3; ++r) {
    v128_t line[3];
    for (uint32_t k = 0; k < 3; ++k) {
      float lanes[kLanes] = {};
      for (uint32_t j = 0; j < count; ++j) lanes[j] = weights[j * stride + r * 3 + k];
      line[k] = wasm_v128_load(lanes);
    }
    Transform<kSize>::weights(line, lines[r]);
  }
  FUSELANE_LOOP(uint32_t k = 0; k < kSide; ++k) {
    v128_t column[3] = {lines[0][k], lines[1][k], lines[2][k]};
    v128_t all[kSide];
    Transform<kSize>::weights(column, all);
    for (uint32_t r = 0; r < kSide; ++r) wasm_v128_store(to + (r * kSide + k) * plane, all[r]);
  }
}

template <uint32_t kSize>
void run_pack(const WinogradPackArgs& args, uint32_t begin, uint32_t end) {
  for (uint32_t panel = begin; panel < end; ++panel) {
    const uint32_t first = panel * kPanelColumns, count = std::min(kPanelColumns, args.features - first);
    float* to = args.packed + size_t{panel} * panel_size(1, args.depth);
    for (uint32_t p = 0; p < winograd_planes(kSize); ++p) {
      // The point 1 along both axes: its row of the transform of results is all ones.
      const bool has_bias = args.bias && p == kSize + 3;
      for (uint32_t j = 0; j < kPanelColumns; ++j)
        to[size_t{p} * args.plane + j] = has_bias && j < count ? args.bias[first + j] : 0;
    }
    const size_t stride = size_t{args.depth} * 9;
    for (uint32_t d = 0; d < args.depth; ++d) {
      to += kPanelColumns;
      for (uint32_t j = 0; j < kPanelColumns; j += kLanes) {
        const uint32_t before = std::min(j, count);
        pack_four<kSize>(args.weights + (first + before) * stride + size_t{d} * 9, stride,
                         std::min(kLanes, count - before), to + j, args.plane);
      }
    }
  }
}

}  // namespace

uint32_t winograd_in(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const WinogradInArgs*>(raw);
  args.tiles.size == 2 ? run_in<2>(args, begin, end) : run_in<4>(args, begin, end);
  return kDone;
}

uint32_t winograd_out(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const WinogradOutArgs*>(raw);
  args.tiles.size == 2 ? run_out<2>(args, begin, end) : run_out<4>(args, begin, end);
  return kDone;
}

uint32_t winograd_pack(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const WinogradPackArgs*>(raw);
  args.size == 2 ? run_pack<2>(args, begin, end) : run_pack<4>(args, begin, end);
  return kDone;
}

}  // namespace fuselane
