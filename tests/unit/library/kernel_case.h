// What the tests of kernels share: operands in blocks of exactly their size, so that AddressSanitizer sees a
// read past the end; parallel loops cut at random; comparison with results computed in double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "library/activation.h"
#include "library/kernel.h"

namespace fuselane {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

inline std::vector<float> random_floats(Rng& rng, size_t count, double low = -1, double high = 1) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(low + (high - low) * rng.unit());
  return values;
}

inline uint32_t pick(Rng& rng, uint32_t low, uint32_t high) {
  return static_cast<uint32_t>(rng.between(low, high));
}
template <class T>
T pick_from(Rng& rng, std::initializer_list<T> choices) {
  return choices.begin()[rng.below(choices.size())];
}

// What no kernel writes: tells elements that were stored from those that were not.
inline constexpr float kUnwritten = -7.7777e33f;

// Runs the kernel over its whole loop, then over pieces of it in any order, and expects the same bytes. `y`
// is what it writes, `member` the argument that points there.
template <class Args, class Pointer, class T>
void run_kernel(Rng& rng, Kernel kernel, Args args, Pointer Args::* member, uint32_t extent,
                std::vector<T>& y) {
  std::vector<T> pieces = y;
  args.*member = y.data();
  ASSERT_EQ(kernel(&args, 0, extent), kDone);
  std::vector<uint32_t> cuts = {0, extent};
  for (uint64_t i = rng.below(4); i > 0; --i) cuts.push_back(pick(rng, 0, extent));
  std::ranges::sort(cuts);
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  for (size_t i = 1; i < cuts.size(); ++i) ranges.emplace_back(cuts[i - 1], cuts[i]);
  for (size_t i = ranges.size(); i > 1; --i) std::swap(ranges[i - 1], ranges[rng.below(i)]);
  args.*member = pieces.data();
  for (auto [begin, end] : ranges) ASSERT_EQ(kernel(&args, begin, end), kDone);
  if (!y.empty()) {
    ASSERT_EQ(std::memcmp(y.data(), pieces.data(), y.size() * sizeof(T)), 0) << "depends on cuts";
  }
}

// A sum and what it may be off by: float32 rounds each of its `terms` once or twice.
struct Sum {
  double value = 0;
  double magnitude = 0;
  uint32_t terms = 0;

  void add(double term) {
    value += term;
    magnitude += std::fabs(term);
    ++terms;
  }
  double bound() const { return (terms + 2) * 0x1p-24 * magnitude; }
};

inline double exact(const Activation& activation, double x) {
  double a = activation.a;
  double b = activation.b;
  switch (activation.kind) {
    case ActivationKind::None:
      return x;
    case ActivationKind::Clamp:
      return x < a ? a : x > b ? b : x;
    case ActivationKind::HardSigmoid:
      return a * x + b < 0 ? 0 : a * x + b > 1 ? 1 : a * x + b;
    case ActivationKind::HardSwish:
      return x < -3 ? 0 : x > 3 ? x : x * (x / 6 + 0.5);
    case ActivationKind::LeakyRelu:
      return x < 0 ? a * x : x;
    case ActivationKind::Sigmoid:
      return 1 / (1 + std::exp(-x));
    case ActivationKind::Silu:
      return x / (1 + std::exp(-x));
    case ActivationKind::Tanh:
      return std::tanh(x);
    case ActivationKind::Gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case ActivationKind::GeluTanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * std::pow(x, 3))));
  }
  return x;
}

inline Activation random_activation(Rng& rng) {
  switch (rng.below(13)) {
    case 0:
      return {ActivationKind::Clamp, 0, kInfinity};
    case 1:
      return {ActivationKind::Clamp, -0.25f, 0.5f};
    case 2:
      return {ActivationKind::HardSigmoid, 0.2f, 0.5f};
    case 3:
      return {ActivationKind::HardSwish};
    case 4:
      return {ActivationKind::LeakyRelu, 0.1f};
    case 5:
      return {ActivationKind::Sigmoid};
    case 6:
      return {ActivationKind::Silu};
    case 7:
      return {ActivationKind::Tanh};
    case 8:
      return {ActivationKind::Gelu};
    case 9:
      return {ActivationKind::GeluTanh};
    default:
      return {};
  }
}

// No activation is steeper than 1.5 (HardSwish just below 3) nor off by more than 7 units in the last place,
// those that are x times another of that other's.
inline void expect_sum(const Activation& activation, const Sum& sum, float got, const char* what) {
  double want = exact(activation, sum.value);
  double bound = 1.5 * sum.bound() + 4e-7 * std::fabs(want) + 4e-7 * std::fmin(4, std::fabs(sum.value));
  ASSERT_LE(std::fabs(got - want), bound) << what << ": got " << got << ", want " << want;
}

}  // namespace fuselane
