// What convolutions are prepared with.
#include "library/conv.h"

#include "library/matmul.h"
#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

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

TEST(DepthwisePack, PutsFiltersInBlocks) {
  Rng rng(6);
  for (int round = 0; round < 100; ++round) {
    uint32_t channels = pick(rng, 1, 21), positions = pick(rng, 1, 9), blocks = (channels + 3) / 4;
    std::vector<float> weights = random_floats(rng, size_t{channels} * positions);
    std::vector<float> bias = random_floats(rng, channels);
    bool has_bias = rng.below(2) == 0;
    std::vector<float> packed(depthwise_packed_size(channels, positions), kUnwritten);
    run_kernel(rng, depthwise_pack,
               DepthwisePackArgs{.weights = weights.data(),
                                 .bias = has_bias ? bias.data() : nullptr,
                                 .packed = nullptr,
                                 .channels = channels,
                                 .positions = positions},
               &DepthwisePackArgs::packed, blocks, packed);
    ASSERT_EQ(packed.size(), size_t{blocks} * 4 * (positions + 1));
    for (uint32_t i = 0; i < packed.size(); ++i) {
      uint32_t line = i / 4 % (positions + 1), channel = i / 4 / (positions + 1) * 4 + i % 4;
      float wanted = 0;
      if (channel < channels && line > 0) wanted = weights[size_t{channel} * positions + line - 1];
      if (channel < channels && line == 0 && has_bias) wanted = bias[channel];
      ASSERT_EQ(packed[i], wanted) << i;
    }
  }
}

}  // namespace
}  // namespace fuselane
