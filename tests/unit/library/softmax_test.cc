#include "library/softmax.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

TEST(Softmax, AgreesWithDouble) {
  Rng rng(20);
  for (int round = 0; round < 400; ++round) {
    SoftmaxArgs args{};
    args.outer = pick(rng, 1, 4);
    args.axis = rng.below(10) == 0 ? pick(rng, 1000, 3000) : pick(rng, 1, 40);
    args.inner = rng.below(2) == 0 ? 1 : pick(rng, 1, 37);
    args.logarithm = rng.below(2) == 0;
    std::vector<float> x = random_floats(rng, size_t{args.outer} * args.axis * args.inner, -20, 20);
    std::vector<float> y(x.size(), kUnwritten);
    args.x = x.data();
    run_kernel(rng, softmax, args, &SoftmaxArgs::y, softmax_extent(args), y);
    for (uint32_t line = 0; line < args.outer * args.inner; ++line) {
      size_t first = size_t{line / args.inner} * args.axis * args.inner + line % args.inner;
      auto at = [&](const std::vector<float>& v, uint32_t i) -> double {
        return v[first + size_t{i} * args.inner];
      };
      double max = at(x, 0);
      for (uint32_t i = 0; i < args.axis; ++i) max = std::fmax(max, at(x, i));
      double sum = 0;
      for (uint32_t i = 0; i < args.axis; ++i) sum += std::exp(at(x, i) - max);
      for (uint32_t i = 0; i < args.axis; ++i) {
        double shifted = at(x, i) - max;
        double want = args.logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
        // The difference x - max is rounded once, which exp makes a relative error.
        double bound =
            args.logarithm ? 3e-6 * (1 + std::fabs(want)) : (3e-6 + 1e-7 * -shifted) * want + 1e-38;
        ASSERT_LE(std::fabs(at(y, i) - want), bound);
      }
    }
    // In its own place, to the same bits.
    args.x = args.y = x.data();
    ASSERT_EQ(softmax(&args, 0, softmax_extent(args)), kDone);
    ASSERT_EQ(std::memcmp(x.data(), y.data(), y.size() * sizeof(float)), 0);
  }
}

TEST(Softmax, NaNAndInfinityAsTheFormulaGives) {
  for (uint32_t inner : {1u, 3u}) {
    for (float special : {kNaN, kInfinity}) {
      std::vector<float> x(7 * inner, 1);
      x[4 * inner] = special;
      std::vector<float> y(x.size());
      SoftmaxArgs args{x.data(), y.data(), 1, 7, inner, false};
      softmax(&args, 0, softmax_extent(args));
      for (uint32_t i = 0; i < 7; ++i) {
        EXPECT_TRUE(std::isnan(y[i * inner]));
        if (inner > 1) EXPECT_NEAR(y[i * inner + 1], 1.0f / 7, 1e-7);
      }
    }
    std::vector<float> x(7 * inner, -kInfinity);
    x[2 * inner] = 5;  // masked scores: all others are exactly 0
    std::vector<float> y(x.size());
    SoftmaxArgs args{x.data(), y.data(), 1, 7, inner, false};
    softmax(&args, 0, softmax_extent(args));
    for (uint32_t i = 0; i < 7; ++i) EXPECT_EQ(y[i * inner], i == 2 ? 1 : 0);
    if (inner > 1) EXPECT_TRUE(std::isnan(y[1]));
  }
}

}  // namespace
}  // namespace fuselane
