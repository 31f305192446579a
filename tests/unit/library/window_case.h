// Random windows of convolutions and pools, and the plain walk over the cells under one of them.
#pragma once

#include "library/conv.h"
#include "tests/unit/library/kernel_case.h"

namespace fuselane {

struct Pixel {
  uint32_t image, row, column;
};

// Pads may exceed the kernel, windows may lie in the padding alone, and the last of them need not reach the
// input's end. One in eight has a single row.
inline Window random_window(Rng& rng, uint32_t channels) {
  Window w{};
  bool flat = rng.below(8) == 0;
  w.n = pick(rng, 1, 2);
  w.channels = channels;
  w.h = flat ? 1 : pick(rng, 1, 9);
  w.w = pick(rng, 1, 14);
  w.kernel_h = flat ? 1 : pick(rng, 1, 4);
  w.kernel_w = pick(rng, 1, 5);
  w.stride_h = pick(rng, 1, 3);
  w.stride_w = pick(rng, 1, 3);
  w.dilation_h = pick(rng, 1, 2);
  w.dilation_w = pick(rng, 1, 3);
  w.pad_top = flat ? 0 : pick(rng, 0, 3);
  w.pad_left = pick(rng, 0, 4);
  w.oh = flat ? 1 : pick(rng, 1, (w.h + w.pad_top + 2) / w.stride_h + 1);
  w.ow = pick(rng, 1, (w.w + w.pad_left + 2) / w.stride_w + 1);
  return w;
}

inline size_t input_size(const Window& w) { return size_t{w.n} * w.h * w.w * w.channels; }

// Of the size that pixels `y_stride` apart need: nothing after the last one's features.
inline std::vector<float> unwritten_pixels(const Window& w, uint32_t features, uint32_t y_stride) {
  return std::vector<float>((size_t{w.n} * w.oh * w.ow - 1) * y_stride + features, kUnwritten);
}

// Calls visit(position in the kernel, index of the input pixel) for what lies in the input.
template <class Visit>
void each_position(const Window& w, const Pixel& at, Visit visit) {
  for (uint32_t kh = 0; kh < w.kernel_h; ++kh) {
    for (uint32_t kw = 0; kw < w.kernel_w; ++kw) {
      int64_t row = int64_t{at.row} * w.stride_h + int64_t{kh} * w.dilation_h - w.pad_top;
      int64_t column = int64_t{at.column} * w.stride_w + int64_t{kw} * w.dilation_w - w.pad_left;
      if (row < 0 || row >= w.h || column < 0 || column >= w.w) continue;
      visit(kh * w.kernel_w + kw,
            (size_t{at.image} * w.h + static_cast<size_t>(row)) * w.w + static_cast<size_t>(column));
    }
  }
}

}  // namespace fuselane
