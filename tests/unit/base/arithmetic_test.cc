// Checked and wrapping arithmetic at the ends of the range; hashes and random numbers against published
// values.
#include <gtest/gtest.h>

#include <limits>

#include "base/checked.h"
#include "base/hash.h"
#include "base/rng.h"

namespace fuselane {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(CheckedArithmetic, SaysWhenItOverflows) {
  EXPECT_EQ(checked_add(kMost, 0), kMost);
  EXPECT_EQ(checked_add(kMost, 1), std::nullopt);
  EXPECT_EQ(checked_add(kLeast, -1), std::nullopt);
  EXPECT_EQ(checked_add(kLeast, kMost), -1);
  EXPECT_EQ(checked_mul(int64_t{1} << 31, int64_t{1} << 31), int64_t{1} << 62);
  EXPECT_EQ(checked_mul(int64_t{1} << 32, int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(checked_mul(kLeast, -1), std::nullopt);
  EXPECT_EQ(checked_mul(kLeast, 1), kLeast);
  EXPECT_EQ(checked_mul(kMost, 0), 0);
}

TEST(WrappingArithmetic, IsTwosComplement) {
  EXPECT_EQ(wrapping_add(kMost, 1), kLeast);
  EXPECT_EQ(wrapping_sub(kLeast, 1), kMost);
  EXPECT_EQ(wrapping_sub(0, kLeast), kLeast);
  EXPECT_EQ(wrapping_mul(kLeast, -1), kLeast);
  EXPECT_EQ(wrapping_mul(int64_t{1} << 32, int64_t{1} << 32), 0);
}

TEST(Rounding, GoesUp) {
  EXPECT_EQ(ceil_div(0, 4), 0);
  EXPECT_EQ(ceil_div(1, 4), 1);
  EXPECT_EQ(ceil_div(4, 4), 1);
  EXPECT_EQ(ceil_div(5, 4), 2);
  EXPECT_EQ(align_up(0, 64), 0u);
  EXPECT_EQ(align_up(1, 64), 64u);
  EXPECT_EQ(align_up(64, 64), 64u);
  EXPECT_EQ(align_up(65, 64), 128u);
}

TEST(Hash, IsFnv1a) {
  EXPECT_EQ(hash_text(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_text("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(hash_text("bar", hash_text("foo")), hash_text("foobar"));
  constexpr uint8_t kBytes[] = {8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(hash_number(0x0102030405060708u), hash_bytes(kBytes));
}

TEST(Rng, IsSplitMix64) {
  Rng rng(1234567);
  for (uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                            4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(rng.next(), expected);
  }
}

TEST(Rng, StaysInItsRange) {
  Rng rng(1);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    int64_t number = rng.between(-2, 3);
    EXPECT_GE(number, -2);
    EXPECT_LE(number, 3);
    low = low || number == -2;
    high = high || number == 3;
    double unit = rng.unit();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, 1);
  }
  EXPECT_TRUE(low && high);
}

}  // namespace
}  // namespace fuselane
