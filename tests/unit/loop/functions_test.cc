// Functions against double precision, over bit patterns of all magnitudes: the errors that
// library/vector_math.h states.
#include "loop/functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "loop/interpret.h"

namespace fuselane::loop {
namespace {

using Build = std::function<ValueId(Kernel&, ValueId)>;

std::vector<float> run(const Build& build, std::vector<float> x) {
  Kernel kernel;
  Index n = kernel.size("n");
  Buffer description;
  description.name = "x";
  description.strides = {1};
  BufferId from = kernel.buffer(description);
  description.name = "y";
  description.written = true;
  BufferId to = kernel.buffer(description);
  SymbolId i = kernel.variable("i");
  Nest nest;
  nest.loops.push_back({.symbol = i, .extent = n});
  nest.stores.push_back({to, {i}, build(kernel, kernel.load(from, {i}))});
  kernel.nests.push_back(nest);
  std::vector<float> y(x.size());
  auto status =
      interpret(kernel, {{std::span<float>(x), std::span<float>(y)}, {static_cast<int64_t>(x.size())}});
  EXPECT_TRUE(status) << status.error().message;
  return y;
}

std::vector<float> patterns() {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 500'009)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (float special : {0.0f, -0.0f, 1.0f, -1.0f, 88.72f, 89.0f, -103.9f, -104.0f, 0.625f, 0.921875f, 1e-40f,
                        std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN()})
    x.push_back(special);
  for (int i = -2000; i <= 2000; ++i) x.push_back(static_cast<float>(i) / 19);
  return x;
}

double ulp(double exact) {
  double magnitude = std::max(std::abs(exact), 0x1p-126);
  return std::ldexp(1, std::ilogb(magnitude) - 23);
}

void expect_within(const Build& build, double (*exact)(double), double ulps) {
  std::vector<float> x = patterns();
  std::vector<float> y = run(build, x);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double wanted = exact(x[i]);
    auto rounded = static_cast<float>(wanted);
    if (std::isnan(wanted) || std::isinf(rounded)) {
      ASSERT_TRUE(std::isnan(wanted) ? std::isnan(y[i]) : y[i] == rounded) << x[i] << ": " << y[i];
      continue;
    }
    ASSERT_FALSE(std::isnan(y[i])) << x[i];
    worst = std::max(worst, std::abs(y[i] - wanted) / ulp(wanted));
  }
  EXPECT_LE(worst, ulps);
}

TEST(Functions, AreWithinTheStatedErrors) {
  expect_within(exp, [](double x) { return std::exp(x); }, 0.98);
  expect_within(tanh, [](double x) { return std::tanh(x); }, 7);
  expect_within(erf, [](double x) { return std::erf(x); }, 7);
  expect_within(log, [](double x) { return std::log(x); }, 0.80);
}

TEST(Functions, KeepTheSignOfZero) {
  for (const Build& build : {Build(tanh), Build(erf)}) EXPECT_TRUE(std::signbit(run(build, {-0.0f})[0]));
}

TEST(Functions, ActivationsMeanWhatTheirTableSays) {
  std::vector<float> x;
  for (int i = -900; i <= 900; ++i) x.push_back(static_cast<float>(i) / 60);
  x.push_back(std::numeric_limits<float>::quiet_NaN());
  const Activation activations[] = {{ActivationKind::None, 0, 0},
                                    {ActivationKind::Clamp, -1, 6},
                                    {ActivationKind::HardSigmoid, 0.2f, 0.5f},
                                    {ActivationKind::HardSwish, 0, 0},
                                    {ActivationKind::LeakyRelu, 0.1f, 0},
                                    {ActivationKind::Sigmoid, 0, 0},
                                    {ActivationKind::Silu, 0, 0},
                                    {ActivationKind::Tanh, 0, 0},
                                    {ActivationKind::Gelu, 0, 0},
                                    {ActivationKind::GeluTanh, 0, 0}};
  for (const Activation& activation : activations) {
    std::vector<float> y =
        run([&](Kernel& kernel, ValueId value) { return activate(kernel, activation, value); }, x);
    EXPECT_TRUE(std::isnan(y.back())) << text_of(activation.kind);
    for (size_t i = 0; i + 1 < x.size(); ++i) {
      double wanted = apply(activation, x[i]);
      EXPECT_NEAR(y[i], wanted, 1e-6 + 1e-6 * std::abs(wanted)) << text_of(activation.kind) << " of " << x[i];
    }
  }
}

// Each function of one or two operands, by its name in the table.
TEST(Functions, StepsComputeWhatTheySay) {
  auto of = [&](Function function, float a, float b) {
    Step step{.function = function, .a = 0, .b = 1, .activation = {ActivationKind::Clamp, 0, 2}, .number = 7};
    return run(
        [&](Kernel& kernel, ValueId x) { return apply_steps(kernel, {&step, 1}, {x, kernel.constant(b)}); },
        {a})[0];
  };
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(of(Function::Add, 3, 2), 5);
  EXPECT_EQ(of(Function::Sub, 3, 2), 1);
  EXPECT_EQ(of(Function::Mul, 3, 2), 6);
  EXPECT_EQ(of(Function::Div, 3, 2), 1.5f);
  EXPECT_EQ(of(Function::Div, 3, -0.0f), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(of(Function::Min, 3, 2), 2);
  EXPECT_TRUE(std::isnan(of(Function::Min, 3, nan)));
  EXPECT_EQ(of(Function::Max, 3, 2), 3);
  EXPECT_TRUE(std::isnan(of(Function::Max, nan, 3)));
  EXPECT_EQ(of(Function::PRelu, -3, 2), -6);
  EXPECT_EQ(of(Function::PRelu, 3, 2), 3);
  EXPECT_EQ(of(Function::Abs, -3, 0), 3);
  EXPECT_EQ(of(Function::Neg, -3, 0), 3);
  EXPECT_EQ(of(Function::Floor, -2.5f, 0), -3);
  EXPECT_EQ(of(Function::Ceil, -2.5f, 0), -2);
  EXPECT_EQ(of(Function::Sqrt, 9, 0), 3);
  EXPECT_EQ(of(Function::Square, -3, 0), 9);
  EXPECT_EQ(of(Function::Cube, -3, 0), -27);
  EXPECT_EQ(of(Function::Reciprocal, 4, 0), 0.25f);
  EXPECT_EQ(of(Function::Exp, 0, 0), 1);
  EXPECT_EQ(of(Function::Log, 1, 0), 0);
  EXPECT_EQ(of(Function::Erf, 0, 0), 0);
  EXPECT_EQ(of(Function::Activate, 3, 0), 2);
  EXPECT_EQ(of(Function::Constant, 3, 0), 7);
}

}  // namespace
}  // namespace fuselane::loop
