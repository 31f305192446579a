#include "library/reduce.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

constexpr ReduceKind kKinds[] = {ReduceKind::Sum, ReduceKind::Mean, ReduceKind::Max, ReduceKind::Min,
                                 ReduceKind::L2};

struct Line {
  Sum sum;
  Sum squares;
  double max = -kInfinity;
  double min = kInfinity;
};

void expect_reduced(ReduceKind kind, const Line& line, float got) {
  double count = line.sum.terms;
  switch (kind) {
    case ReduceKind::Sum:
      ASSERT_LE(std::fabs(got - line.sum.value), line.sum.bound());
      break;
    case ReduceKind::Mean:
      ASSERT_LE(std::fabs(got - line.sum.value / count), line.sum.bound() / count + 1e-7 * std::fabs(got));
      break;
    case ReduceKind::Max:
      ASSERT_EQ(got, line.max);
      break;
    case ReduceKind::Min:
      ASSERT_EQ(got, line.min);
      break;
    case ReduceKind::L2:
      ASSERT_LE(std::fabs(got - std::sqrt(line.squares.value)), (count + 4) * 0x1p-24 * got);
      break;
  }
}

TEST(Reduce, AgreesWithDouble) {
  Rng rng(21);
  for (int round = 0; round < 200; ++round) {
    for (ReduceKind kind : kKinds) {
      ReduceArgs args{};
      args.kind = kind;
      args.outer = pick(rng, 1, 4);
      args.reduced = rng.below(10) == 0 ? pick(rng, 1000, 2100) : pick(rng, 1, 50);
      args.inner = rng.below(2) == 0 ? 1 : pick(rng, 1, 40);
      std::vector<float> x = random_floats(rng, size_t{args.outer} * args.reduced * args.inner, -1, 2);
      std::vector<float> y(size_t{args.outer} * args.inner, kUnwritten);
      args.x = x.data();
      run_kernel(rng, reduce, args, &ReduceArgs::y, reduce_extent(args), y);
      for (size_t i = 0; i < y.size(); ++i) {
        Line line;
        for (size_t r = 0; r < args.reduced; ++r) {
          double value = x[(i / args.inner * args.reduced + r) * args.inner + i % args.inner];
          line.sum.add(value);
          line.squares.add(value * value);
          line.max = std::fmax(line.max, value);
          line.min = std::fmin(line.min, value);
        }
        expect_reduced(kind, line, y[i]);
      }
    }
    if (HasFatalFailure()) return;
  }
}

// Added up one by one, 0.1 would be off by 4% at the end.
TEST(Reduce, LongSumsStayAccurate) {
  constexpr uint32_t kCount = 1 << 22;
  for (uint32_t inner : {1u, 4u}) {
    std::vector<float> x(kCount, 0.1f);
    std::vector<float> y(inner);
    ReduceArgs args{x.data(), y.data(), 1, kCount / inner, inner, ReduceKind::Sum};
    reduce(&args, 0, reduce_extent(args));
    double want = double{0.1f} * args.reduced;
    for (float got : y) EXPECT_LE(std::fabs(got - want), 4e-6 * want);
  }
}

TEST(Reduce, NaNWins) {
  for (ReduceKind kind : kKinds) {
    for (uint32_t inner : {1u, 5u, 16u}) {
      for (uint32_t at = 0; at < 19; ++at) {
        std::vector<float> x(size_t{19} * inner, 1);
        x[size_t{at} * inner + inner - 1] = kNaN;
        std::vector<float> y(inner);
        ReduceArgs args{x.data(), y.data(), 1, 19, inner, kind};
        reduce(&args, 0, reduce_extent(args));
        for (uint32_t i = 0; i < inner; ++i) EXPECT_EQ(std::isnan(y[i]), i == inner - 1);
      }
    }
  }
}

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
