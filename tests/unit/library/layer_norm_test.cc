#include "library/layer_norm.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

TEST(LayerNorm, AgreesWithDouble) {
  Rng rng(23);
  for (int round = 0; round < 400; ++round) {
    LayerNormArgs args{};
    args.rows = pick(rng, 1, 5);
    args.length = rng.below(10) == 0 ? pick(rng, 1000, 2100) : pick(rng, 1, 70);
    args.epsilon = 1e-5f;
    // A mean far from zero must not cost digits beyond those that x has lost.
    double offset = pick_from(rng, {0.0, 0.0, 100.0});
    std::vector<float> x = random_floats(rng, size_t{args.rows} * args.length, offset - 1, offset + 1);
    std::vector<float> scale = random_floats(rng, args.length);
    std::vector<float> bias = random_floats(rng, args.length);
    std::vector<float> y(x.size(), kUnwritten);
    args.x = x.data();
    args.scale = rng.below(3) == 0 ? nullptr : scale.data();
    args.bias = rng.below(3) == 0 ? nullptr : bias.data();
    args.centered = rng.below(3) != 0;
    run_kernel(rng, layer_norm, args, &LayerNormArgs::y, args.rows, y);
    for (uint32_t row = 0; row < args.rows; ++row) {
      const float* v = x.data() + size_t{row} * args.length;
      double mean = 0;
      double variance = 0;
      for (uint32_t i = 0; args.centered && i < args.length; ++i)
        mean += v[i] / static_cast<double>(args.length);
      for (uint32_t i = 0; i < args.length; ++i) variance += (v[i] - mean) * (v[i] - mean) / args.length;
      double deviation = std::sqrt(variance + double{args.epsilon});
      for (uint32_t i = 0; i < args.length; ++i) {
        double normal = (v[i] - mean) / deviation;
        double want = normal * (args.scale ? scale[i] : 1) + (args.bias ? bias[i] : 0);
        double bound = 1e-6 * (2 + std::fabs(normal)) + 2e-7 * offset / deviation;
        ASSERT_LE(std::fabs(y[size_t{row} * args.length + i] - want), bound) << args.length;
      }
    }
    std::vector<float> in_place = x;
    args.x = args.y = in_place.data();
    layer_norm(&args, 0, args.rows);
    ASSERT_EQ(in_place, y);
  }
}

}  // namespace
}  // namespace fuselane
