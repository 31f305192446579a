#include "library/resize.h"

#include "library/copy_run.h"

namespace fuselane {
namespace {

v128_t weighted(v128_t low, v128_t low_weight, v128_t high, v128_t high_weight) {
  return mul_add(high, high_weight, wasm_f32x4_mul(low, low_weight));
}

// One output pixel from the four around it.
[[gnu::noinline]] void blend(const float* top_left, const float* top_right, const float* bottom_left,
                             const float* bottom_right, const LinearTap& row, const LinearTap& column,
                             float* y, uint32_t channels) {
  v128_t left = wasm_f32x4_splat(column.low_weight);
  v128_t right = wasm_f32x4_splat(column.high_weight);
  v128_t top = wasm_f32x4_splat(row.low_weight);
  v128_t bottom = wasm_f32x4_splat(row.high_weight);
  each_vector(channels, [&](uint32_t c, uint32_t lanes) {
    v128_t above = weighted(load_lanes(top_left + c, lanes), left, load_lanes(top_right + c, lanes), right);
    v128_t below =
        weighted(load_lanes(bottom_left + c, lanes), left, load_lanes(bottom_right + c, lanes), right);
    store_lanes(y + c, weighted(above, top, below, bottom), lanes);
  });
}

[[gnu::noinline]] void nearest_row(const uint8_t* x, const uint32_t* columns, uint8_t* y, uint32_t count,
                                   size_t pixel) {
  for (uint32_t j = 0; j < count; ++j) copy_run(y + j * pixel, x + columns[j] * pixel, pixel);
}

}  // namespace

uint32_t resize_nearest(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ResizeNearestArgs*>(raw);
  size_t pixel = args.pixel_bytes;
  for (uint32_t i = begin; i < end; ++i) {
    size_t row = size_t{i / args.oh} * args.h + args.rows[i % args.oh];
    const auto* x = static_cast<const uint8_t*>(args.x) + row * args.w * pixel;
    auto* y = static_cast<uint8_t*>(args.y) + size_t{i} * args.ow * pixel;
    nearest_row(x, args.columns, y, args.ow, pixel);
  }
  return kDone;
}

uint32_t resize_linear(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ResizeLinearArgs*>(raw);
  size_t channels = args.channels;
  for (uint32_t i = begin; i < end; ++i) {
    const LinearTap& row = args.rows[i % args.oh];
    const float* image = args.x + size_t{i / args.oh} * args.h * args.w * channels;
    const float* top = image + row.low * args.w * channels;
    const float* bottom = image + row.high * args.w * channels;
    float* y = args.y + size_t{i} * args.ow * channels;
    for (uint32_t j = 0; j < args.ow; ++j, y += channels) {
      const LinearTap& column = args.columns[j];
      size_t left = column.low * channels;
      size_t right = column.high * channels;
      blend(top + left, top + right, bottom + left, bottom + right, row, column, y, args.channels);
    }
  }
  return kDone;
}

}  // namespace fuselane
