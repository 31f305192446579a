// Elementwise kernels over random broadcasts against the same operation in double.
#include "library/elementwise.h"

#include "tests/unit/library/nest_case.h"

namespace fuselane {
namespace {

bool exact_compare(CompareKind kind, float a, float b) {
  switch (kind) {
    case CompareKind::Equal:
      return a == b;
    case CompareKind::Greater:
      return a > b;
    case CompareKind::GreaterOrEqual:
      return a >= b;
    case CompareKind::Less:
      return a < b;
    case CompareKind::LessOrEqual:
      return a <= b;
  }
  return false;
}

constexpr CompareKind kCompareKinds[] = {
#define COMPARE(id, expression) CompareKind::id,
#include "library/elementwise.def"
};

// Equal, or off by at most three units in the last place.
void expect_value(double want, float got) {
  auto rounded = static_cast<float>(want);
  if (std::isnan(want)) {
    ASSERT_TRUE(std::isnan(got)) << "got " << got;
  } else if (std::isinf(rounded)) {
    ASSERT_EQ(got, rounded);
  } else {
    ASSERT_LE(std::fabs(got - want), 3 * 0x1p-23 * std::fabs(want) + 0x1p-149) << "got " << got;
  }
}

// Ordinary numbers and, among them, special ones; equal ones are common.
std::vector<float> operand(Rng& rng, size_t count) {
  std::vector<float> values = random_floats(rng, count, -4, 4);
  for (float& value : values) {
    if (rng.below(8) == 0)
      value = pick_from(rng, {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, kInfinity, -kInfinity, kNaN});
  }
  return values;
}

TEST(Power, AgreesWithDouble) {
  Rng rng(10);
  for (int round = 0; round < 600; ++round) {
    Broadcast shape = random_broadcast(rng, 2);
    ASSERT_TRUE(has_plain_rows(shape.nest, 3));
    std::vector<float> a = operand(rng, shape.operand_size(0));
    std::vector<float> b = operand(rng, shape.operand_size(1));
    std::vector<float> y(shape.result_size, kUnwritten);
    std::vector<float> expected = y;
    PowerArgs args{a.data(), b.data(), nullptr, shape.nest, {}};
    run_kernel(rng, power, args, &PowerArgs::y, nest_extent(shape.nest), y);
    shape.each_element([&](const std::vector<size_t>& at) {
      expect_value(std::pow(double{a[at[1]]}, double{b[at[2]]}), y[at[0]]);
      expected[at[0]] = y[at[0]];
    });
    ASSERT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0) << "wrote a gap";
    if (HasFatalFailure()) return;
  }
}

TEST(Power, ActivationFollows) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    Broadcast shape = random_broadcast(rng, 2);
    std::vector<float> a = random_floats(rng, shape.operand_size(0));
    std::vector<float> b = {2};
    std::ranges::fill(shape.nest.stride[2], 0);
    std::vector<float> y(shape.result_size, kUnwritten);
    PowerArgs args{a.data(), b.data(), nullptr, shape.nest, random_activation(rng)};
    run_kernel(rng, power, args, &PowerArgs::y, nest_extent(shape.nest), y);
    shape.each_element([&](const std::vector<size_t>& at) {
      Sum sum;
      sum.add(double{a[at[1]]} * a[at[1]]);
      expect_sum(args.activation, sum, y[at[0]], "power");
    });
  }
}

TEST(Compare, AgreesWithTheOperators) {
  Rng rng(12);
  for (int round = 0; round < 100; ++round) {
    for (CompareKind kind : kCompareKinds) {
      Broadcast shape = random_broadcast(rng, 2);
      std::vector<float> a = operand(rng, shape.operand_size(0));
      std::vector<float> b = operand(rng, shape.operand_size(1));
      std::vector<uint8_t> y(shape.result_size, 7);
      std::vector<uint8_t> expected = y;
      CompareArgs args{a.data(), b.data(), nullptr, shape.nest, kind};
      run_kernel(rng, compare, args, &CompareArgs::y, nest_extent(shape.nest), y);
      shape.each_element([&](const std::vector<size_t>& at) {
        expected[at[0]] = exact_compare(kind, a[at[1]], b[at[2]]) ? 1 : 0;
      });
      ASSERT_EQ(y, expected);
    }
  }
}

TEST(Where, TakesTheChosenBits) {
  Rng rng(13);
  for (int round = 0; round < 600; ++round) {
    Broadcast shape = random_broadcast(rng, 3);
    std::vector<uint8_t> condition(shape.operand_size(0));
    std::vector<uint32_t> a(shape.operand_size(1));
    std::vector<uint32_t> b(shape.operand_size(2));
    for (uint8_t& value : condition) value = pick_from<uint8_t>(rng, {0, 0, 1, 128});
    for (uint32_t& value : a) value = static_cast<uint32_t>(rng.next());
    for (uint32_t& value : b) value = static_cast<uint32_t>(rng.next());
    std::vector<uint32_t> y(shape.result_size, 7);
    std::vector<uint32_t> expected = y;
    WhereArgs args{condition.data(), a.data(), b.data(), nullptr, shape.nest};
    run_kernel(rng, where, args, &WhereArgs::y, nest_extent(shape.nest), y);
    shape.each_element([&](const std::vector<size_t>& at) {
      expected[at[0]] = condition[at[1]] != 0 ? a[at[2]] : b[at[3]];
    });
    ASSERT_EQ(y, expected);
  }
}

}  // namespace
}  // namespace fuselane
