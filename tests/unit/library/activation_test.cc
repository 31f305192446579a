// Vector functions against double over all magnitudes, signs and special values.
#include "library/activation.h"

#include "library/vector_math.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

using Vector = v128_t (*)(v128_t);
using Exact = double (*)(double);

struct Lanes {
  float at[4];
};
Lanes evaluate(auto function, Lanes x) {
  Lanes y;
  wasm_v128_store(y.at, function(wasm_v128_load(x.at)));
  return y;
}

// The distance between floats at `value`.
double unit_of(double value) {
  if (std::fabs(value) < 0x1p-126) return 0x1p-149;
  return std::ldexp(1, std::max(std::ilogb(value), -126) - 23);
}

// Every `step`-th bit pattern: subnormals, both zeros, infinities and NaNs are among them.
void expect_within_units(Vector function, Exact reference, double units) {
  constexpr uint64_t kStep = 1021;
  for (uint64_t bits = 0; bits + 3 * kStep < (uint64_t{1} << 32); bits += 4 * kStep) {
    Lanes x;
    for (uint64_t i = 0; i < 4; ++i) x.at[i] = std::bit_cast<float>(static_cast<uint32_t>(bits + i * kStep));
    Lanes y = evaluate(function, x);
    for (int i = 0; i < 4; ++i) {
      double want = reference(x.at[i]);
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(y.at[i])) << x.at[i];
      } else if (std::isinf(static_cast<float>(want))) {
        ASSERT_EQ(y.at[i], static_cast<float>(want)) << x.at[i];
      } else {
        ASSERT_LE(std::fabs(y.at[i] - want), units * unit_of(want)) << x.at[i] << " gives " << y.at[i];
      }
    }
  }
}

TEST(VectorFunctions, ExpIsWithinAUnit) {
  expect_within_units(exp_f32x4, [](double x) { return std::exp(x); }, 0.98);
}
TEST(VectorFunctions, ExpOfNormalIsWithinUnitsAndEndsInZeroAndInfinity) {
  const auto exp = [](float x) { return evaluate(exp_of_normal_f32x4, Lanes{{x, x, x, x}}).at[0]; };
  for (float x = -87.3f; x < 88.3f; x += 0.0037f) {
    const double want = std::exp(double{x});
    ASSERT_LE(std::fabs(exp(x) - want), 3 * unit_of(want)) << x;
  }
  EXPECT_EQ(exp(0), 1);
  for (float x : {-87.7f, -100.0f, -kInfinity}) EXPECT_EQ(exp(x), 0) << x;
  for (float x : {88.4f, 100.0f, kInfinity}) EXPECT_EQ(exp(x), kInfinity) << x;
  EXPECT_TRUE(std::isnan(exp(std::numeric_limits<float>::quiet_NaN())));
}
TEST(VectorFunctions, TanhIsWithinUnits) {
  expect_within_units(tanh_f32x4, [](double x) { return std::tanh(x); }, 7);
}
TEST(VectorFunctions, ErfIsWithinUnits) {
  expect_within_units(erf_f32x4, [](double x) { return std::erf(x); }, 7);
}
TEST(VectorFunctions, LogIsWithinAUnit) {
  expect_within_units(log_f32x4, [](double x) { return std::log(x); }, 0.8);
}

TEST(VectorFunctions, SpecialValues) {
  Lanes x = {{0.0f, -0.0f, kInfinity, -kInfinity}};
  Lanes e = evaluate(exp_f32x4, x);
  EXPECT_EQ(e.at[0], 1);
  EXPECT_EQ(e.at[1], 1);
  EXPECT_EQ(e.at[2], kInfinity);
  EXPECT_EQ(e.at[3], 0);
  Lanes l = evaluate(log_f32x4, x);
  EXPECT_EQ(l.at[0], -kInfinity);
  EXPECT_EQ(l.at[1], -kInfinity);
  EXPECT_EQ(l.at[2], kInfinity);
  EXPECT_TRUE(std::isnan(l.at[3]));
  for (Vector odd : {tanh_f32x4, erf_f32x4}) {
    Lanes y = evaluate(odd, x);
    EXPECT_TRUE(y.at[0] == 0 && !std::signbit(y.at[0]));
    EXPECT_TRUE(y.at[1] == 0 && std::signbit(y.at[1]));
    EXPECT_EQ(y.at[2], 1);
    EXPECT_EQ(y.at[3], -1);
  }
  Lanes s = evaluate(sigmoid_f32x4, x);
  EXPECT_EQ(s.at[0], 0.5f);
  EXPECT_EQ(s.at[2], 1);
  EXPECT_EQ(s.at[3], 0);
}

TEST(Activations, AgreeWithDouble) {
  Rng rng(1);
  for (int round = 0; round < 20000; ++round) {
    Activation activation = random_activation(rng);
    std::vector<float> x = random_floats(rng, 4, -12, 12);
    Lanes y = evaluate([&](v128_t v) { return apply(activation, v); }, {{x[0], x[1], x[2], x[3]}});
    for (size_t i = 0; i < 4; ++i) {
      Sum sum{.value = x[i]};
      expect_sum(activation, sum, y.at[i], "activation");
    }
  }
}

// Natively SIMDe stands for wasm's instructions: NaN has to go the same way through both.
TEST(Activations, KeepNaN) {
  for (int lane = 0; lane < 4; ++lane) {
    Lanes x = {{-2, 0.25f, 2, 5}};
    x.at[lane] = kNaN;
    for (ActivationKind kind :
         {ActivationKind::None, ActivationKind::Clamp, ActivationKind::HardSigmoid, ActivationKind::HardSwish,
          ActivationKind::LeakyRelu, ActivationKind::Sigmoid, ActivationKind::Silu, ActivationKind::Tanh,
          ActivationKind::Gelu, ActivationKind::GeluTanh}) {
      Lanes y = evaluate([&](v128_t v) { return apply({kind, 0.5f, 0.5f}, v); }, x);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(std::isnan(y.at[i]), i == lane) << static_cast<int>(kind);
    }
    Lanes a = {{1, 2, 3, 4}};
    for (auto function : {+[](v128_t p, v128_t q) { return wasm_f32x4_min(p, q); },
                          +[](v128_t p, v128_t q) { return wasm_f32x4_max(p, q); }}) {
      Lanes left = evaluate([&](v128_t v) { return function(v, wasm_v128_load(a.at)); }, x);
      Lanes right = evaluate([&](v128_t v) { return function(wasm_v128_load(a.at), v); }, x);
      EXPECT_TRUE(std::isnan(left.at[lane]) && std::isnan(right.at[lane]));
    }
  }
}

}  // namespace
}  // namespace fuselane
