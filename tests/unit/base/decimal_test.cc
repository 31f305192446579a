#include "base/decimal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "base/printer.h"
#include "base/rng.h"

namespace fuselane {
namespace {

// Reads back equal, and is no longer than the first precision of "%g" that does.
template <class Float>
void expect_short(Float value) {
  auto read = [](const char* text) {
    return sizeof(Float) == 4 ? std::strtof(text, nullptr) : static_cast<Float>(std::strtod(text, nullptr));
  };
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits - 1, static_cast<double>(value));
    if (read(text) != value) continue;
    EXPECT_LE(shortest_decimal(std::fabs(value)).digits.size(), static_cast<size_t>(digits)) << text;
    break;
  }
  EXPECT_EQ(read(cat(value).c_str()), value) << text;
}

TEST(Decimal, HasTheFewestDigits) {
  Decimal third = shortest_decimal(1.0f / 3);
  EXPECT_EQ(third.digits, "33333334");
  EXPECT_EQ(third.exponent, 0);
  EXPECT_EQ(shortest_decimal(0.1).digits, "1");
  EXPECT_EQ(shortest_decimal(0.1).exponent, 0);
  EXPECT_EQ(shortest_decimal(5e-324).digits, "5");
  EXPECT_EQ(shortest_decimal(5e-324).exponent, -323);
  EXPECT_EQ(shortest_decimal(std::numeric_limits<double>::max()).digits, "17976931348623157");
  EXPECT_EQ(shortest_decimal(std::numeric_limits<float>::min()).digits, "11754944");
  EXPECT_EQ(shortest_decimal(9007199254740992.0).digits, "9007199254740992");
}

TEST(Decimal, RandomNumbersReadBack) {
  Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    auto narrow = std::bit_cast<float>(static_cast<uint32_t>(rng.next()));
    auto wide = std::bit_cast<double>(rng.next());
    if (std::isfinite(narrow)) expect_short(narrow);
    if (std::isfinite(wide)) expect_short(wide);
  }
}

TEST(Decimal, PowersReadBack) {
  for (int e = -1074; e < 1024; ++e) expect_short(std::ldexp(1.0, e));
  for (int e = -149; e < 128; ++e) expect_short(std::ldexp(1.0f, e));
  for (int e = -30; e < 30; ++e) expect_short(std::pow(10.0, e));
}

TEST(Decimal, PrintsAsPeopleWriteNumbers) {
  EXPECT_EQ(cat(0.0), "0");
  EXPECT_EQ(cat(-0.0), "-0");
  EXPECT_EQ(cat(-2.5f), "-2.5");
  EXPECT_EQ(cat(123456.0), "123456");
  EXPECT_EQ(cat(1234567.0), "1234567");
  EXPECT_EQ(cat(100000.0), "100000");
  EXPECT_EQ(cat(1e6), "1e+06");
  EXPECT_EQ(cat(1.5e300), "1.5e+300");
  EXPECT_EQ(cat(0.0001), "0.0001");
  EXPECT_EQ(cat(0.00012), "0.00012");
  EXPECT_EQ(cat(1e-5), "1e-05");
  EXPECT_EQ(cat(0.1f), "0.1");
  EXPECT_EQ(cat(std::numeric_limits<float>::max()), "3.4028235e+38");
}

}  // namespace
}  // namespace fuselane
