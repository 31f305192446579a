#include "library/arg_max.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

TEST(ArgMax, FindsTheFirstOrTheLastOfTheLargest) {
  Rng rng(22);
  for (int round = 0; round < 3000; ++round) {
    ArgMaxArgs args{};
    args.rows = pick(rng, 1, 5);
    args.length = pick(rng, 1, 30);
    args.last = rng.below(2) == 0;
    std::vector<float> x(size_t{args.rows} * args.length);
    // Few values, so that equals are common; NaN in every fourth round.
    for (float& value : x) {
      value = static_cast<float>(rng.below(4));
      if (round % 4 == 0 && rng.below(10) == 0) value = kNaN;
    }
    std::vector<int64_t> y(args.rows, -1);
    args.x = x.data();
    run_kernel(rng, arg_max, args, &ArgMaxArgs::y, args.rows, y);
    for (uint32_t row = 0; row < args.rows; ++row) {
      const float* v = x.data() + size_t{row} * args.length;
      uint32_t best = 0;
      for (uint32_t i = 1; i < args.length; ++i) {
        bool larger = std::isnan(v[i]) ? !std::isnan(v[best]) : v[i] > v[best];
        bool equal = std::isnan(v[i]) ? std::isnan(v[best]) : v[i] == v[best];
        if (larger || (equal && args.last)) best = i;
      }
      ASSERT_EQ(y[row], best);
    }
  }
}

}  // namespace
}  // namespace fuselane
