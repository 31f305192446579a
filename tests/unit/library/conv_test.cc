// Convolutions over random windows, groups and activations against sums in double.
#include "library/conv.h"

#include "library/matmul.h"
#include "tests/unit/library/kernel_case.h"
#include "tests/unit/library/window_case.h"

namespace fuselane {
namespace {

// The convolution of one output element: weights are [channels of a group][positions] of its feature.
Sum exact_conv(const Window& w, const std::vector<float>& x, uint32_t first_channel, uint32_t channels,
               const float* weights, float bias, const Pixel& at) {
  Sum sum;
  sum.add(bias);
  each_position(w, at, [&](uint32_t position, size_t pixel) {
    for (uint32_t c = 0; c < channels; ++c) {
      sum.add(double{x[pixel * w.channels + first_channel + c]} *
              weights[size_t{c} * w.positions() + position]);
    }
  });
  return sum;
}

// Expects `features` results of each pixel, and nothing written between pixels.
template <class Expect>
void check_pixels(const Window& w, uint32_t features, uint32_t y_stride, const std::vector<float>& y,
                  Expect expect) {
  for (uint32_t pixel = 0; pixel < w.n * w.oh * w.ow; ++pixel) {
    Pixel at{pixel / (w.oh * w.ow), pixel / w.ow % w.oh, pixel % w.ow};
    for (uint32_t f = 0; f < y_stride && size_t{pixel} * y_stride + f < y.size(); ++f) {
      float got = y[size_t{pixel} * y_stride + f];
      if (f < features) {
        expect(at, f, got);
      } else {
        EXPECT_EQ(got, kUnwritten);
      }
    }
  }
}

TEST(Conv, AgreesWithDouble) {
  Rng rng(5);
  for (int round = 0; round < 300; ++round) {
    uint32_t groups = pick_from(rng, {1u, 1u, 2u, 3u});
    uint32_t depth = pick(rng, 1, 9);
    uint32_t group_features = pick(rng, 1, 19);
    uint32_t features = groups * group_features;
    Window window = random_window(rng, groups * depth);
    std::vector<float> x = random_floats(rng, input_size(window));
    std::vector<float> weights = random_floats(rng, size_t{features} * depth * window.positions());
    std::vector<float> bias = random_floats(rng, features);
    bool has_bias = rng.below(2) == 0;
    std::vector<float> packed(groups * packed_size(group_features, window.positions(), depth), kUnwritten);
    run_kernel(rng, conv_pack,
               ConvPackArgs{.weights = weights.data(),
                            .bias = has_bias ? bias.data() : nullptr,
                            .packed = nullptr,
                            .features = features,
                            .groups = groups,
                            .depth = depth,
                            .positions = window.positions()},
               &ConvPackArgs::packed, groups * panel_count(group_features), packed);
    std::vector<float> zeros(depth, 0);
    ConvArgs args{.x = x.data(),
                  .packed = packed.data(),
                  .zeros = zeros.data(),
                  .y = nullptr,
                  .window = window,
                  .features = features,
                  .groups = groups,
                  .y_stride = features + pick(rng, 0, 2),
                  .block_pixels = std::min(4 * pick(rng, 1, 8), conv_block_most(window.positions())),
                  .group_panels = pick(rng, 1, 3),
                  .activation = random_activation(rng)};
    std::vector<float> y = unwritten_pixels(window, features, args.y_stride);
    run_kernel(rng, conv, args, &ConvArgs::y, conv_extent(args), y);
    check_pixels(window, features, args.y_stride, y, [&](const Pixel& at, uint32_t f, float got) {
      Sum sum =
          exact_conv(window, x, f / group_features * depth, depth,
                     weights.data() + size_t{f} * depth * window.positions(), has_bias ? bias[f] : 0, at);
      expect_sum(args.activation, sum, got, "conv");
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Conv, BlocksFitThePointerTable) {
  EXPECT_EQ(conv_block_most(1), 2048u);
  EXPECT_EQ(conv_block_most(9), 224u);
  EXPECT_EQ(conv_block_most(512), 4u);
  EXPECT_EQ(conv_block_most(513), 0u);
}

TEST(Depthwise, AgreesWithDouble) {
  Rng rng(6);
  for (int round = 0; round < 300; ++round) {
    uint32_t channels = pick(rng, 1, 21);
    Window window = random_window(rng, channels);
    std::vector<float> x = random_floats(rng, input_size(window));
    std::vector<float> weights = random_floats(rng, size_t{channels} * window.positions());
    std::vector<float> bias = random_floats(rng, channels);
    bool has_bias = rng.below(2) == 0;
    std::vector<float> packed(depthwise_packed_size(channels, window.positions()), kUnwritten);
    run_kernel(rng, depthwise_pack,
               DepthwisePackArgs{.weights = weights.data(),
                                 .bias = has_bias ? bias.data() : nullptr,
                                 .packed = nullptr,
                                 .channels = channels,
                                 .positions = window.positions()},
               &DepthwisePackArgs::packed, (channels + 3) / 4, packed);
    DepthwiseArgs args{.x = x.data(),
                       .packed = packed.data(),
                       .y = nullptr,
                       .window = window,
                       .y_stride = channels + pick(rng, 0, 2),
                       .activation = random_activation(rng)};
    std::vector<float> y = unwritten_pixels(window, channels, args.y_stride);
    run_kernel(rng, depthwise, args, &DepthwiseArgs::y, window.n * window.oh, y);
    check_pixels(window, channels, args.y_stride, y, [&](const Pixel& at, uint32_t c, float got) {
      Sum sum = exact_conv(window, x, c, 1, weights.data() + size_t{c} * window.positions(),
                           has_bias ? bias[c] : 0, at);
      expect_sum(args.activation, sum, got, "depthwise");
    });
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fuselane
