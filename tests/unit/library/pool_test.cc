#include "library/pool.h"

#include "tests/unit/library/kernel_case.h"
#include "tests/unit/library/window_case.h"

namespace fuselane {
namespace {

// Positions of one window that lie in the input or its pads.
uint32_t padded_positions(const PoolArgs& args, const Pixel& at) {
  const Window& w = args.window;
  uint32_t count = 0;
  for (uint32_t kh = 0; kh < w.kernel_h; ++kh) {
    for (uint32_t kw = 0; kw < w.kernel_w; ++kw) {
      uint32_t row = at.row * w.stride_h + kh * w.dilation_h;
      uint32_t column = at.column * w.stride_w + kw * w.dilation_w;
      if (row < w.pad_top + w.h + args.pad_bottom && column < w.pad_left + w.w + args.pad_right) ++count;
    }
  }
  return count;
}

void expect_pooled(const PoolArgs& args, const Pixel& at, const std::vector<float>& x, uint32_t channel,
                   float got) {
  Sum sum;
  double max = -kInfinity;
  each_position(args.window, at, [&](uint32_t, size_t pixel) {
    float value = x[pixel * args.x_stride + channel];
    sum.add(value);
    max = std::fmax(max, value);
  });
  if (args.kind == PoolKind::Max) {
    ASSERT_EQ(got, max);
    return;
  }
  double divisor = args.kind == PoolKind::Average ? sum.terms : padded_positions(args, at);
  if (divisor == 0) {
    ASSERT_TRUE(std::isnan(got));
  } else {
    ASSERT_LE(std::fabs(got - sum.value / divisor), sum.bound() / divisor + 1e-7 * std::fabs(got));
  }
}

TEST(Pool, AgreesWithDouble) {
  Rng rng(24);
  for (int round = 0; round < 600; ++round) {
    PoolArgs args{};
    args.window = random_window(rng, pick(rng, 1, 40));
    args.pad_bottom = pick(rng, 0, 2);
    args.pad_right = pick(rng, 0, 2);
    args.kind = pick_from(rng, {PoolKind::Max, PoolKind::Average, PoolKind::AverageWithPads});
    args.x_stride = args.window.channels + pick(rng, 0, 2);
    args.y_stride = args.window.channels + pick(rng, 0, 2);
    std::vector<float> x = random_floats(rng, input_size(args.window) / args.window.channels * args.x_stride);
    std::vector<float> y = unwritten_pixels(args.window, args.window.channels, args.y_stride);
    args.x = x.data();
    const Window& w = args.window;
    run_kernel(rng, pool, args, &PoolArgs::y, w.n * w.oh, y);
    for (size_t i = 0; i < y.size(); ++i) {
      auto pixel = static_cast<uint32_t>(i / args.y_stride);
      auto channel = static_cast<uint32_t>(i % args.y_stride);
      if (channel >= w.channels) {
        ASSERT_EQ(y[i], kUnwritten);
        continue;
      }
      Pixel at{pixel / (w.oh * w.ow), pixel / w.ow % w.oh, pixel % w.ow};
      expect_pooled(args, at, x, channel, y[i]);
    }
    if (HasFatalFailure()) return;
  }
}

TEST(Pool, NaNReachesItsWindowsOnly) {
  std::vector<float> x(16, 1);
  x[5] = kNaN;
  for (PoolKind kind : {PoolKind::Max, PoolKind::Average}) {
    PoolArgs args{};
    args.window = {.n = 1,
                   .h = 4,
                   .w = 4,
                   .channels = 1,
                   .oh = 2,
                   .ow = 2,
                   .kernel_h = 2,
                   .kernel_w = 2,
                   .stride_h = 2,
                   .stride_w = 2,
                   .dilation_h = 1,
                   .dilation_w = 1,
                   .pad_top = 0,
                   .pad_left = 0};
    std::vector<float> y(4);
    args.x = x.data();
    args.y = y.data();
    args.x_stride = 1;
    args.y_stride = 1;
    args.kind = kind;
    pool(&args, 0, 2);
    EXPECT_TRUE(std::isnan(y[0]));
    for (size_t i = 1; i < 4; ++i) EXPECT_EQ(y[i], 1);
  }
}

}  // namespace
}  // namespace fuselane
