#include "library/pool.h"

#include <algorithm>

namespace fuselane {
namespace {

// The part [first, last) of a kernel's positions along one axis that lie in [0, extent), and how many lie in
// [-pad_before, extent + pad_after).
struct Span {
  uint32_t first;
  uint32_t last;
  uint32_t padded;
};

// Positions p in [0, kernel) with start + p * dilation in [low, high).
uint32_t count_below(int64_t start, int64_t dilation, int64_t kernel, int64_t bound) {
  if (start >= bound) return 0;
  return static_cast<uint32_t>(std::min(kernel, (bound - start + dilation - 1) / dilation));
}

Span span_of(uint32_t output, uint32_t stride, uint32_t dilation, uint32_t kernel, uint32_t extent,
             uint32_t pad_before, uint32_t pad_after) {
  int64_t start = int64_t{output} * stride - pad_before;
  Span span{};
  span.first = count_below(start, dilation, kernel, 0);
  span.last = count_below(start, dilation, kernel, extent);
  span.padded = count_below(start, dilation, kernel, int64_t{extent} + pad_after);
  return span;
}

struct MaxOf {
  static v128_t start() { return wasm_f32x4_splat(-__builtin_inff()); }
  static v128_t combine(v128_t a, v128_t b) { return wasm_f32x4_max(a, b); }
  static v128_t finish(v128_t value, float) { return value; }
};
struct SumOf {
  static v128_t start() { return wasm_f32x4_splat(0); }
  static v128_t combine(v128_t a, v128_t b) { return wasm_f32x4_add(a, b); }
  static v128_t finish(v128_t value, float divisor) {
    return wasm_f32x4_div(value, wasm_f32x4_splat(divisor));
  }
};

// Floats from one position of a window to the one below it, and to the one beside it.
struct Steps {
  size_t row, column;
};

// `kVectors` vectors of channels of one output pixel, `lanes` of them when there is one vector only. `x` is
// the first channel at the first position inside.
template <class Operation, uint32_t kVectors>
[[gnu::noinline]] void pixel(const Steps& steps, const Span& rows, const Span& columns, const float* x,
                             float divisor, uint32_t lanes, float* y) {
  v128_t values[kVectors];
  for (v128_t& value : values) value = Operation::start();
  for (uint32_t kh = rows.first; kh < rows.last; ++kh, x += steps.row) {
    const float* at = x;
    for (uint32_t kw = columns.first; kw < columns.last; ++kw, at += steps.column) {
      for (uint32_t v = 0; v < kVectors; ++v)
        values[v] = Operation::combine(values[v], load_lanes(at + v * kLanes, lanes));
    }
  }
  for (uint32_t v = 0; v < kVectors; ++v)
    store_lanes(y + v * kLanes, Operation::finish(values[v], divisor), lanes);
}

template <class Operation>
void all_channels(uint32_t channels, const Steps& steps, const Span& rows, const Span& columns,
                  const float* x, float divisor, float* y) {
  uint32_t channel = 0;
  for (; channel + 4 * kLanes <= channels; channel += 4 * kLanes)
    pixel<Operation, 4>(steps, rows, columns, x + channel, divisor, kLanes, y + channel);
  for (; channel < channels; channel += kLanes) {
    uint32_t lanes = std::min(kLanes, channels - channel);
    pixel<Operation, 1>(steps, rows, columns, x + channel, divisor, lanes, y + channel);
  }
}

}  // namespace

uint32_t pool(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const PoolArgs*>(raw);
  const Window& w = args.window;
  const Steps steps = {size_t{w.dilation_h} * w.w * args.x_stride, size_t{w.dilation_w} * args.x_stride};
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t row = i % w.oh;
    Span rows = span_of(row, w.stride_h, w.dilation_h, w.kernel_h, w.h, w.pad_top, args.pad_bottom);
    float* y = args.y + size_t{i} * w.ow * args.y_stride;
    for (uint32_t column = 0; column < w.ow; ++column, y += args.y_stride) {
      Span columns = span_of(column, w.stride_w, w.dilation_w, w.kernel_w, w.w, w.pad_left, args.pad_right);
      uint32_t inside = (rows.last - rows.first) * (columns.last - columns.first);
      const float* x = args.x;
      if (inside > 0) {
        size_t top = size_t{row} * w.stride_h + size_t{rows.first} * w.dilation_h - w.pad_top;
        size_t left = size_t{column} * w.stride_w + size_t{columns.first} * w.dilation_w - w.pad_left;
        x += ((size_t{i / w.oh} * w.h + top) * w.w + left) * args.x_stride;
      }
      switch (args.kind) {
        case PoolKind::Max:
          all_channels<MaxOf>(w.channels, steps, rows, columns, x, 1, y);
          break;
        case PoolKind::Average:
          all_channels<SumOf>(w.channels, steps, rows, columns, x, static_cast<float>(inside), y);
          break;
        case PoolKind::AverageWithPads:
          all_channels<SumOf>(w.channels, steps, rows, columns, x,
                              static_cast<float>(rows.padded * columns.padded), y);
          break;
      }
    }
  }
  return kDone;
}

}  // namespace fuselane
