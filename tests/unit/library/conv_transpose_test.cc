#include "library/conv_transpose.h"

#include "tests/unit/library/kernel_case.h"
#include "tests/unit/library/window_case.h"

namespace fuselane {
namespace {

struct Case {
  ConvTransposeArgs args{};
  ConvTransposePackArgs pack{};
  std::vector<float> x, weights, bias, packed, zeros, y;
};

// Scatters every input pixel to the outputs it reaches.
std::vector<Sum> exact_outputs(const Case& c) {
  const Window& w = c.args.window;
  uint32_t depth = w.channels / c.args.groups;
  uint32_t features = c.args.features / c.args.groups;
  std::vector<Sum> sums(size_t{w.n} * w.oh * w.ow * c.args.features);
  for (size_t i = 0; i < sums.size(); ++i) sums[i].add(c.pack.bias ? c.bias[i % c.args.features] : 0);
  for (uint32_t pixel = 0; pixel < w.n * w.h * w.w; ++pixel) {
    for (uint32_t position = 0; position < w.positions(); ++position) {
      int64_t row =
          int64_t{pixel / w.w % w.h} * w.stride_h + position / w.kernel_w * w.dilation_h - w.pad_top;
      int64_t column = int64_t{pixel % w.w} * w.stride_w + position % w.kernel_w * w.dilation_w - w.pad_left;
      if (row < 0 || row >= w.oh || column < 0 || column >= w.ow) continue;
      size_t to =
          (pixel / (w.h * w.w) * w.oh + static_cast<size_t>(row)) * w.ow + static_cast<size_t>(column);
      for (uint32_t channel = 0; channel < w.channels; ++channel) {
        for (uint32_t f = 0; f < features; ++f) {
          double weight = c.weights[(size_t{channel} * features + f) * w.positions() + position];
          sums[to * c.args.features + channel / depth * features + f].add(
              weight * c.x[size_t{pixel} * w.channels + channel]);
        }
      }
    }
  }
  return sums;
}

void run_case(Rng& rng, const Window& window, uint32_t features, uint32_t groups) {
  Case c;
  const Window& w = window;
  uint32_t depth = w.channels / groups;
  c.x = random_floats(rng, input_size(w));
  c.weights = random_floats(rng, size_t{w.channels} * (features / groups) * w.positions());
  c.bias = random_floats(rng, features);
  c.zeros.assign(depth, 0);
  c.packed.assign(conv_transpose_packed_size(w, features, groups), kUnwritten);
  c.pack = {.weights = c.weights.data(),
            .bias = rng.below(2) == 0 ? c.bias.data() : nullptr,
            .packed = nullptr,
            .window = w,
            .features = features,
            .groups = groups};
  uint32_t panels = (features / groups + 7) / 8;
  run_kernel(rng, conv_transpose_pack, c.pack, &ConvTransposePackArgs::packed, groups * panels, c.packed);
  EXPECT_EQ(std::ranges::count(c.packed, kUnwritten), 0);
  c.args = {.x = c.x.data(),
            .packed = c.packed.data(),
            .zeros = c.zeros.data(),
            .y = nullptr,
            .window = w,
            .features = features,
            .groups = groups,
            .y_stride = features + pick(rng, 0, 2),
            .activation = random_activation(rng)};
  c.y = unwritten_pixels(w, features, c.args.y_stride);
  ASSERT_TRUE(conv_transpose_fits(w));
  run_kernel(rng, conv_transpose, c.args, &ConvTransposeArgs::y, groups * w.n * w.oh, c.y);
  std::vector<Sum> sums = exact_outputs(c);
  for (size_t i = 0; i < c.y.size(); ++i) {
    size_t f = i % c.args.y_stride;
    if (f >= features) {
      ASSERT_EQ(c.y[i], kUnwritten);
    } else {
      expect_sum(c.args.activation, sums[i / c.args.y_stride * features + f], c.y[i], "conv_transpose");
    }
  }
}

TEST(ConvTranspose, AgreesWithDouble) {
  Rng rng(31);
  for (int round = 0; round < 400; ++round) {
    uint32_t groups = pick_from(rng, {1u, 1u, 2u, 3u});
    Window w = random_window(rng, groups * pick(rng, 1, 5));
    w.h = std::min(w.h, 5u);
    w.w = std::min(w.w, 7u);
    // What all input pixels reach, cut, or with output padding past it.
    uint32_t reach_h = (w.h - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1;
    uint32_t reach_w = (w.w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1;
    w.pad_top = pick(rng, 0, std::min(3u, reach_h - 1));
    w.pad_left = pick(rng, 0, std::min(3u, reach_w - 1));
    w.oh = pick(rng, 1, reach_h - w.pad_top + 2);
    w.ow = pick(rng, 1, reach_w - w.pad_left + 2);
    run_case(rng, w, groups * pick(rng, 1, 11), groups);
    if (HasFatalFailure()) return;
  }
}

TEST(ConvTranspose, DoublesPlanes) {
  Rng rng(32);
  for (uint32_t width = 1; width < 14; ++width) {
    Window w{.n = 2,
             .h = 3,
             .w = width,
             .channels = 6,
             .oh = 6,
             .ow = 2 * width,
             .kernel_h = 2,
             .kernel_w = 2,
             .stride_h = 2,
             .stride_w = 2,
             .dilation_h = 1,
             .dilation_w = 1,
             .pad_top = 0,
             .pad_left = 0};
    run_case(rng, w, 9, 1);
  }
}

TEST(ConvTranspose, RefusesKernelsThatItsTableCannotHold) {
  Window w{.n = 1,
           .h = 1,
           .w = 1,
           .channels = 1,
           .oh = 1,
           .ow = 1,
           .kernel_h = 33,
           .kernel_w = 16,
           .stride_h = 1,
           .stride_w = 1,
           .dilation_h = 1,
           .dilation_w = 1,
           .pad_top = 0,
           .pad_left = 0};
  EXPECT_FALSE(conv_transpose_fits(w));
  w.stride_h = 2;
  EXPECT_TRUE(conv_transpose_fits(w));
}

}  // namespace
}  // namespace fuselane
