// Elementwise kernels over random broadcasts against the same operation in double.
#include "library/elementwise.h"

#include "tests/unit/library/nest_case.h"

namespace fuselane {
namespace {

double exact_unary(UnaryKind kind, double x) {
  switch (kind) {
    case UnaryKind::None:
      return x;
    case UnaryKind::Abs:
      return std::fabs(x);
    case UnaryKind::Neg:
      return -x;
    case UnaryKind::Floor:
      return std::floor(x);
    case UnaryKind::Ceil:
      return std::ceil(x);
    case UnaryKind::Sqrt:
      return std::sqrt(x);
    case UnaryKind::Exp:
      return std::exp(x);
    case UnaryKind::Log:
      return std::log(x);
    case UnaryKind::Erf:
      return std::erf(x);
    case UnaryKind::Square:
      return x * x;
    case UnaryKind::Cube:
      return x * x * x;
    case UnaryKind::PowHalf:
      return std::pow(x, 0.5);
    case UnaryKind::PowMinusHalf:
      return std::pow(x, -0.5);
    case UnaryKind::Reciprocal:
      return std::pow(x, -1.0);
  }
  return x;
}

double exact_binary(BinaryKind kind, double a, double b) {
  switch (kind) {
    case BinaryKind::Add:
      return a + b;
    case BinaryKind::Sub:
      return a - b;
    case BinaryKind::Mul:
      return a * b;
    case BinaryKind::Div:
      return a / b;
    case BinaryKind::Pow:
      return std::pow(a, b);
    case BinaryKind::Min:
      return std::isnan(a) || std::isnan(b) ? kNaN : std::fmin(a, b);
    case BinaryKind::Max:
      return std::isnan(a) || std::isnan(b) ? kNaN : std::fmax(a, b);
    case BinaryKind::PRelu:
      return a < 0 ? a * b : a;
  }
  return a;
}

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

constexpr UnaryKind kUnaryKinds[] = {
#define UNARY(id, expression) UnaryKind::id,
#include "library/elementwise.def"
};
constexpr BinaryKind kBinaryKinds[] = {
#define BINARY(id, expression) BinaryKind::id,
#include "library/elementwise.def"
};
constexpr CompareKind kCompareKinds[] = {
#define COMPARE(id, expression) CompareKind::id,
#include "library/elementwise.def"
};

// Equal, or off by at most three units in the last place.
void expect_value(double want, float got, const char* what) {
  auto rounded = static_cast<float>(want);
  if (std::isnan(want)) {
    ASSERT_TRUE(std::isnan(got)) << what << ": got " << got;
  } else if (std::isinf(rounded)) {
    ASSERT_EQ(got, rounded) << what;
  } else {
    ASSERT_LE(std::fabs(got - want), 3 * 0x1p-23 * std::fabs(want) + 0x1p-149) << what << ": got " << got;
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

TEST(Unary, AgreesWithDouble) {
  Rng rng(8);
  for (UnaryKind kind : kUnaryKinds) {
    for (uint32_t count :
         {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 33u, kElementChunk, kElementChunk + 1, 3 * kElementChunk + 6}) {
      std::vector<float> x = operand(rng, count);
      std::vector<float> y(count, kUnwritten);
      UnaryArgs args{.x = x.data(), .y = nullptr, .count = count, .kind = kind, .activation = {}};
      run_kernel(rng, unary, args, &UnaryArgs::y, unary_extent(count), y);
      for (uint32_t i = 0; i < count; ++i) expect_value(exact_unary(kind, x[i]), y[i], "unary");
      // In its own place, and with an activation after it.
      args.x = args.y = x.data();
      args.activation = {ActivationKind::Clamp, -1, 1};
      ASSERT_EQ(unary(&args, 0, unary_extent(count)), kDone);
      for (uint32_t i = 0; i < count; ++i) {
        float want = y[i] < -1 ? -1 : y[i] > 1 ? 1 : y[i];
        ASSERT_TRUE(x[i] == want || (std::isnan(x[i]) && std::isnan(want)));
      }
    }
  }
}

TEST(Unary, PowersOfSpecialValues) {
  std::vector<float> x = {-kInfinity, -0.0f, 0.0f, kInfinity, kNaN, -1};
  std::vector<float> y(x.size());
  for (auto [kind, exponent] :
       {std::pair{UnaryKind::PowHalf, 0.5f}, std::pair{UnaryKind::PowMinusHalf, -0.5f},
        std::pair{UnaryKind::Reciprocal, -1.0f}}) {
    UnaryArgs args{x.data(), y.data(), static_cast<uint32_t>(x.size()), kind, {}};
    unary(&args, 0, 1);
    for (size_t i = 0; i < x.size(); ++i) {
      float want = std::pow(x[i], exponent);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(y[i]));
      } else {
        EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(want)) << x[i] << "^" << exponent;
      }
    }
  }
}

TEST(Unary, EveryActivationOverARow) {
  Rng rng(9);
  for (int round = 0; round < 200; ++round) {
    Activation activation = random_activation(rng);
    std::vector<float> x = random_floats(rng, pick(rng, 1, 21), -9, 9);
    std::vector<float> y(x.size(), kUnwritten);
    UnaryArgs args{x.data(), nullptr, static_cast<uint32_t>(x.size()), UnaryKind::None, activation};
    run_kernel(rng, unary, args, &UnaryArgs::y, 1, y);
    for (size_t i = 0; i < x.size(); ++i) expect_sum(activation, Sum{.value = x[i]}, y[i], "activation");
  }
}

TEST(Binary, AgreesWithDouble) {
  Rng rng(10);
  for (int round = 0; round < 150; ++round) {
    for (BinaryKind kind : kBinaryKinds) {
      Broadcast shape = random_broadcast(rng, 2);
      ASSERT_TRUE(has_plain_rows(shape.nest, 3));
      std::vector<float> a = operand(rng, shape.operand_size(0));
      std::vector<float> b = operand(rng, shape.operand_size(1));
      std::vector<float> y(shape.result_size, kUnwritten);
      std::vector<float> expected = y;
      BinaryArgs args{a.data(), b.data(), nullptr, shape.nest, kind, {}};
      run_kernel(rng, binary, args, &BinaryArgs::y, nest_extent(shape.nest), y);
      shape.each_element([&](const std::vector<size_t>& at) {
        double want = exact_binary(kind, a[at[1]], b[at[2]]);
        expect_value(want, y[at[0]], "binary");
        expected[at[0]] = y[at[0]];
      });
      ASSERT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0) << "wrote a gap";
    }
    if (HasFatalFailure()) return;
  }
}

TEST(Binary, ActivationFollows) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    Broadcast shape = random_broadcast(rng, 2);
    std::vector<float> a = random_floats(rng, shape.operand_size(0));
    std::vector<float> b = random_floats(rng, shape.operand_size(1));
    std::vector<float> y(shape.result_size, kUnwritten);
    BinaryArgs args{a.data(), b.data(), nullptr, shape.nest, BinaryKind::Add, random_activation(rng)};
    run_kernel(rng, binary, args, &BinaryArgs::y, nest_extent(shape.nest), y);
    shape.each_element([&](const std::vector<size_t>& at) {
      Sum sum;
      sum.add(a[at[1]]);
      sum.add(b[at[2]]);
      expect_sum(args.activation, sum, y[at[0]], "add");
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
