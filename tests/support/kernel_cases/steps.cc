#include "tests/support/kernel_cases/steps.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/printer.h"
#include "loop/interpret.h"
#include "loop/task.h"
#include "schedule/schedule.h"

namespace fuselane {
namespace {

using loop::Function;
using loop::Step;

// What a step is, and how far off float32 may be; 0: what the number rounds to, with its sign of zero.
struct Wanted {
  double value;
  double off = 0;
};

double least(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// `steps` times half a unit in the last place of float32, of numbers that are not below the normal ones.
double roundings(double value, double steps) { return steps * 0x1p-24 * std::max(std::abs(value), 0x1p-126); }

// Of functions that are quotients of polynomials: 7 units in the last place.
constexpr double kOfQuotients = 14;

Wanted activated(const Activation& activation, double x) {
  double y = apply(activation, x);
  switch (activation.kind) {
    case ActivationKind::None:
    case ActivationKind::Clamp:
    case ActivationKind::LeakyRelu:
      return {y};
    case ActivationKind::HardSigmoid:
      return {y, roundings(activation.a * x, 2) + roundings(activation.b, 2)};
    case ActivationKind::HardSwish:
      return {y, roundings(x, 4) + roundings(y, 2)};
    case ActivationKind::Tanh:
      return {y, roundings(y, kOfQuotients)};
    // The smallest numbers are lost, where the exponential of the other sign is too large.
    case ActivationKind::Sigmoid:
      return {y, roundings(y, 6) + 0x1p-126};
    case ActivationKind::Silu:
      return {y, roundings(y, 7) + std::abs(x) * 0x1p-126};
    case ActivationKind::Gelu:
      return {y, roundings(y, 7) + roundings(x / 2, kOfQuotients)};
    // The exponential's operand has 4 roundings, and is as large as x is for all that counts of the result.
    case ActivationKind::GeluTanh:
      return {y, roundings(y, 7) + roundings(x, 4)};
  }
  return {y};
}

Wanted wanted(const Step& step, double a, double b) {
  switch (step.function) {
    case Function::Add:
      return {a + b};
    case Function::Sub:
      return {a - b};
    case Function::Mul:
      return {a * b};
    case Function::Div:
      return {a / b};
    case Function::Min:
      return {least(a, b)};
    case Function::Max:
      return {-least(-a, -b)};
    case Function::PRelu:
      return {a < 0 ? a * b : a};
    case Function::Abs:
      return {std::abs(a)};
    case Function::Neg:
      return {-a};
    case Function::Floor:
      return {std::floor(a)};
    case Function::Ceil:
      return {std::ceil(a)};
    case Function::Sqrt:
      return {std::sqrt(a)};
    case Function::Square:
      return {a * a};
    case Function::Cube:
      return {a * a * a, roundings(a * a * a, 3) + std::abs(a) * 0x1p-149};
    case Function::PowHalf:
      return {std::pow(a, 0.5)};
    case Function::Reciprocal:
      return {1 / a};
    case Function::Exp:
      return {std::exp(a), roundings(std::exp(a), 3)};
    case Function::Log:
      return {std::log(a), roundings(std::log(a), 3)};
    case Function::Erf:
      return {std::erf(a), roundings(std::erf(a), kOfQuotients)};
    case Function::Activate:
      return activated(step.activation, a);
    case Function::Constant:
      return {step.number};
  }
  return {0};
}

bool fits(float got, const Wanted& wanted) {
  auto rounded = static_cast<float>(wanted.value);
  if (std::isnan(wanted.value)) return std::isnan(got);
  if (wanted.off == 0) return std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(rounded);
  if (got == rounded) return true;
  double off = std::abs(got - wanted.value);
  if (std::isfinite(got) && std::isfinite(wanted.value)) return off <= wanted.off;
  // Beyond the largest number on one side, just below it on the other.
  double largest = std::numeric_limits<float>::max();
  double other = std::isfinite(got) ? got : wanted.value;
  return !std::isnan(got) && std::signbit(got) == std::signbit(wanted.value) &&
         std::abs(other) + wanted.off >= largest;
}

}  // namespace

std::vector<float> values_of(const std::vector<Step>& steps, std::vector<std::vector<float>> values,
                             bool fuses) {
  size_t operands = values.size();
  size_t count = values[0].size();
  loop::MapTask task{.outer = 0, .strides = std::vector<uint8_t>(operands, 1), .steps = {}};
  for (const Step& step : steps) {
    task.steps.push_back(step);
    std::vector<float> y(count);
    loop::Arguments arguments{.buffers = {}, .sizes = {static_cast<int64_t>(count)}, .fuses = fuses};
    for (size_t x = 0; x < operands; ++x) arguments.buffers.emplace_back(std::span<float>(values[x]));
    arguments.buffers.emplace_back(std::span<float>(y));
    auto status = loop::interpret(plain_kernel(task, "map").value(), arguments);
    EXPECT_TRUE(status) << status.error().message;
    for (size_t i = 0; i < count; ++i) {
      Wanted one = wanted(step, values[step.a][i], values[step.b][i]);
      EXPECT_TRUE(fits(y[i], one)) << text_of(loop::Task(task)) << ": the last step of " << values[step.a][i]
                                   << ", " << values[step.b][i] << " is " << y[i] << ", not " << one.value;
    }
    values.push_back(std::move(y));
  }
  return steps.empty() ? values[0] : values.back();
}

}  // namespace fuselane
