// Numbers and quoted text: the fewest digits that read back, at the ends of the ranges and for random bits.
#include "base/printer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace fuselane {
namespace {

TEST(Printer, WritesIntegers) {
  EXPECT_EQ(cat(0, ' ', -7, ' ', uint8_t{200}, ' ', int8_t{-1}), "0 -7 200 -1");
  EXPECT_EQ(cat(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(cat(std::numeric_limits<int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(cat(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
}

TEST(Printer, WritesFloatsInFewDigits) {
  EXPECT_EQ(cat(0.1f), "0.1");
  EXPECT_EQ(cat(0.1), "0.1");
  EXPECT_EQ(cat(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(cat(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(cat(1e-5f), "1e-05");
  EXPECT_EQ(cat(1e22), "1e+22");
  EXPECT_EQ(cat(1.0), "1");
  EXPECT_EQ(cat(-0.0), "-0");
  EXPECT_EQ(cat(16777216.0f), "16777216");
  EXPECT_EQ(cat(std::numeric_limits<float>::max()), "3.4028235e+38");
  EXPECT_EQ(cat(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(cat(std::numeric_limits<double>::infinity(), ' ', -std::numeric_limits<float>::infinity()),
            "inf -inf");
  EXPECT_EQ(cat(std::numeric_limits<double>::quiet_NaN(), ' ', -std::numeric_limits<float>::quiet_NaN()),
            "nan nan");
}

// How many digits `%.*g` may take before the exponent.
int digits_of(const std::string& text) {
  int digits = 0;
  for (char c : text.substr(0, text.find('e'))) digits += c >= '0' && c <= '9' && (digits > 0 || c != '0');
  return digits;
}

// Reads back equal, and would not with a digit less.
template <class Float, class Bits>
void expect_shortest(Bits bits) {
  auto value = std::bit_cast<Float>(bits);
  if (!std::isfinite(value)) return;
  std::string text = cat(value);
  ASSERT_EQ(static_cast<Float>(std::strtod(text.c_str(), nullptr)), value) << text;
  int digits = digits_of(text);
  if (digits <= 6) return;
  char shorter[40];
  std::snprintf(shorter, sizeof shorter, "%.*g", digits - 1, static_cast<double>(value));
  ASSERT_NE(static_cast<Float>(std::strtod(shorter, nullptr)), value) << text << " and " << shorter;
}

TEST(Printer, WritesRandomFloatsShortest) {
  Rng rng(7);
  for (int i = 0; i < 5000; ++i) {
    expect_shortest<float>(static_cast<uint32_t>(rng.next()));
    expect_shortest<double>(rng.next());
  }
}

TEST(Printer, QuotesText) {
  std::string out;
  append_quoted(out, std::string_view("a\"b\\c\n\t\x01\x7f\0é", 12));
  EXPECT_EQ(out, "\"a\\\"b\\\\c\\n\\t\\x01\\x7f\\x00é\"");
}

TEST(Printer, JoinsRanges) {
  EXPECT_EQ(join(std::vector<int>{}), "");
  EXPECT_EQ(join(std::vector<int>{1}), "1");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, "-"), "a-b");
}

}  // namespace
}  // namespace fuselane
