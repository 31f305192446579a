// What convolutions are prepared with, and depthwise ones against sums in double.
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

TEST(ConvPack, PutsWeightsInPanels) {
  Rng rng(5);
  for (int round = 0; round < 100; ++round) {
    uint32_t groups = pick(rng, 1, 3), depth = pick(rng, 1, 9), positions = pick(rng, 1, 9);
    uint32_t group_features = pick(rng, 1, 19), panels = panel_count(group_features);
    std::vector<float> weights = random_floats(rng, size_t{groups} * group_features * depth * positions);
    std::vector<float> bias = random_floats(rng, groups * group_features);
    bool has_bias = rng.below(2) == 0;
    std::vector<float> packed(groups * packed_size(group_features, positions, depth), kUnwritten);
    run_kernel(rng, conv_pack,
               ConvPackArgs{.weights = weights.data(),
                            .bias = has_bias ? bias.data() : nullptr,
                            .packed = nullptr,
                            .features = groups * group_features,
                            .groups = groups,
                            .depth = depth,
                            .positions = positions},
               &ConvPackArgs::packed, groups * panels, packed);
    for (uint32_t i = 0; i < packed.size(); ++i) {
      uint32_t panel = i / panel_size(positions, depth), line = i % panel_size(positions, depth) / 8;
      uint32_t in_group = panel % panels * 8 + i % 8, feature = panel / panels * group_features + in_group;
      uint32_t position = (line - 1) / depth, channel = (line - 1) % depth;
      float wanted = 0;
      if (in_group < group_features && line > 0)
        wanted = weights[(size_t{feature} * depth + channel) * positions + position];
      if (in_group < group_features && line == 0 && has_bias) wanted = bias[feature];
      ASSERT_EQ(packed[i], wanted) << i;
    }
  }
}

TEST(Frame, PutsZerosAround) {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    FrameArgs args{.h = pick(rng, 1, 5),
                   .w = pick(rng, 1, 5),
                   .channels = pick(rng, 1, 5),
                   .x_stride = 0,
                   .y_h = pick(rng, 1, 9),
                   .y_w = pick(rng, 1, 9),
                   .top = pick(rng, 0, 10),
                   .left = pick(rng, 0, 10)};
    args.x_stride = args.channels + pick(rng, 0, 1) * pick(rng, 1, 7);
    uint32_t n = pick(rng, 1, 2);
    std::vector<float> x = random_floats(rng, size_t{n} * args.h * args.w * args.x_stride);
    std::vector<float> y(size_t{n} * args.y_h * args.y_w * args.channels, kUnwritten);
    args.x = x.data();
    run_kernel(rng, frame, args, &FrameArgs::y, n * args.y_h, y);
    for (uint32_t i = 0; i < y.size(); ++i) {
      uint32_t pixel = i / args.channels, column = pixel % args.y_w - args.left;
      uint32_t row = pixel / args.y_w % args.y_h - args.top, image = pixel / args.y_w / args.y_h;
      bool is_inside = row < args.h && column < args.w;
      size_t from = ((size_t{image} * args.h + row) * args.w + column) * args.x_stride + i % args.channels;
      ASSERT_EQ(y[i], is_inside ? x[from] : 0) << i;
    }
  }
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
