// Elements as numbers: every code of every small float, midpoints and overflow, packed integers, wrapping
// stores.
#include "types/number.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/rng.h"

namespace fuselane {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct FormatCase {
  DType dtype;
  uint32_t largest;   // code of the largest finite number
  double most;        // that number
  double least;       // the smallest positive number
  uint32_t overflow;  // what a larger number becomes
};
// From the definitions of IEEE 754, the OCP FP8 and MX specifications, and ONNX's "Float stored in 8 bits".
constexpr FormatCase kFormats[] = {
    {DType::Float16, 0x7bff, 65504, 0x1p-24, 0x7c00},
    {DType::BFloat16, 0x7f7f, 0x1.fep127, 0x1p-133, 0x7f80},
    {DType::Float8E4M3FN, 0x7e, 448, 0x1p-9, 0x7f},
    {DType::Float8E4M3FNUZ, 0x7f, 240, 0x1p-10, 0x80},
    {DType::Float8E5M2, 0x7b, 57344, 0x1p-16, 0x7c},
    {DType::Float8E5M2FNUZ, 0x7f, 57344, 0x1p-17, 0x80},
    {DType::Float4E2M1, 0x7, 6, 0.5, 0x7},
};

class SmallFloats : public testing::TestWithParam<FormatCase> {
 protected:
  const FormatCase& c = GetParam();
  const SmallFloat& format = *small_float_of(c.dtype);
  uint32_t sign = 1u << (bits_of(c.dtype) - 1);
  double decode(uint32_t code) const { return decode_small_float(format, code); }
  uint32_t encode(double value) const { return encode_small_float(format, value); }
};

TEST_P(SmallFloats, EveryCodeReadsBack) {
  for (uint32_t code = 0; code < 2 * sign; ++code) {
    double value = decode(code);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(decode(encode(value)))) << code;
    } else {
      EXPECT_EQ(encode(value), code) << value;
    }
  }
}

TEST_P(SmallFloats, FiniteCodesAreOrdered) {
  EXPECT_EQ(decode(0), 0);
  EXPECT_EQ(decode(1), c.least);
  EXPECT_EQ(decode(c.largest), c.most);
  for (uint32_t code = 0; code < c.largest; ++code) {
    EXPECT_LT(decode(code), decode(code + 1)) << code;
    EXPECT_EQ(decode(sign | (code + 1)), -decode(code + 1)) << code;
  }
  for (uint32_t code = c.largest + 1; code < sign; ++code) EXPECT_FALSE(std::isfinite(decode(code))) << code;
}

TEST_P(SmallFloats, RoundsToNearestEven) {
  for (uint32_t code = 0; code < c.largest; ++code) {
    double low = decode(code);
    double high = decode(code + 1);
    double middle = (low + high) / 2;  // exact: formats have at most 11 bits
    EXPECT_EQ(encode(middle), code % 2 == 0 ? code : code + 1) << middle;
    EXPECT_EQ(encode(std::nextafter(middle, 0)), code) << middle;
    EXPECT_EQ(encode(std::nextafter(middle, kInfinity)), code + 1) << middle;
    if (code == 0) continue;  // -0 has a code in some formats only
    EXPECT_EQ(encode(-middle), sign | (code % 2 == 0 ? code : code + 1)) << middle;
    EXPECT_EQ(encode(-std::nextafter(middle, 0)), sign | code) << middle;
  }
}

TEST_P(SmallFloats, OverflowsAtHalfAStepBeyondTheLargest) {
  double step = c.most - decode(c.largest - 1);
  double edge = c.most + step / 2;
  EXPECT_EQ(encode(std::nextafter(edge, 0)), c.largest);
  EXPECT_EQ(encode(edge), c.largest % 2 == 0 ? c.largest : c.overflow);
  EXPECT_EQ(encode(std::nextafter(edge, kInfinity)), c.overflow);
  EXPECT_EQ(encode(std::numeric_limits<double>::max()), c.overflow);
  EXPECT_EQ(encode(kInfinity), c.overflow);
  uint32_t negative = format.top == SmallFloat::Top::UnsignedZero ? c.overflow : sign | c.overflow;
  EXPECT_EQ(encode(-2 * c.most - step), negative);
  EXPECT_EQ(encode(-kInfinity), negative);
}

TEST_P(SmallFloats, KeepsTheSignOfZeroWhereThereIsOne) {
  bool is_signed = format.top != SmallFloat::Top::UnsignedZero;
  EXPECT_EQ(encode(-0.0), is_signed ? sign : 0u);
  EXPECT_EQ(encode(-c.least / 4), is_signed ? sign : 0u);
  EXPECT_EQ(encode(std::numeric_limits<double>::denorm_min()), 0u);
}

TEST_P(SmallFloats, LoadsWhatItStores) {
  std::array<uint8_t, 8> bytes = {};
  for (int64_t i = 0; i < 3; ++i) store_double(c.dtype, bytes.data(), i, static_cast<double>(i) - 1);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(load_double(c.dtype, bytes.data(), i), static_cast<double>(i) - 1);
    EXPECT_EQ(load_int(c.dtype, bytes.data(), i), i - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallFloats, testing::ValuesIn(kFormats),
                         [](const auto& info) { return std::string(name_of(info.param.dtype)); });

TEST(Float16, AgreesWithTheCompilers) {
#ifdef __FLT16_MANT_DIG__
  const SmallFloat& format = *small_float_of(DType::Float16);
  for (uint32_t code = 0; code < 0x10000; ++code) {
    auto native = static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(code)));
    double ours = decode_small_float(format, code);
    if (std::isnan(native)) {
      EXPECT_TRUE(std::isnan(ours)) << code;
    } else {
      EXPECT_EQ(ours, native) << code;
      EXPECT_EQ(std::signbit(ours), std::signbit(native)) << code;
    }
  }
  Rng rng(3);
  for (int i = 0; i < 200000; ++i) {
    // Random bits below an exponent around the range of the format.
    double value = std::ldexp(rng.unit() - 0.5, static_cast<int>(rng.between(-30, 20)));
    ASSERT_EQ(encode_small_float(format, value), std::bit_cast<uint16_t>(static_cast<_Float16>(value)))
        << value;
  }
#else
  GTEST_SKIP() << "this compiler has no _Float16 here";
#endif
}

TEST(BFloat16, IsTheUpperHalfOfFloat32) {
  const SmallFloat& format = *small_float_of(DType::BFloat16);
  for (uint32_t code = 0; code < 0x10000; ++code) {
    auto native = static_cast<double>(std::bit_cast<float>(code << 16));
    double ours = decode_small_float(format, code);
    EXPECT_TRUE(ours == native || (std::isnan(ours) && std::isnan(native))) << code;
  }
}

TEST(Float8E5M2, IsTheUpperHalfOfFloat16) {
  for (uint32_t code = 0; code < 0x100; ++code) {
    double wide = decode_small_float(*small_float_of(DType::Float16), code << 8);
    double ours = decode_small_float(*small_float_of(DType::Float8E5M2), code);
    EXPECT_TRUE(ours == wide || (std::isnan(ours) && std::isnan(wide))) << code;
  }
}

TEST(Float4E2M1, HasEightMagnitudes) {
  constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint32_t code = 0; code < 8; ++code) {
    EXPECT_EQ(decode_small_float(*small_float_of(DType::Float4E2M1), code), kValues[code]);
  }
}

TEST(HalfBytes, PackTheFirstElementLow) {
  std::array<uint8_t, 2> bytes = {0xff, 0xff};
  store_int(DType::UInt4, bytes.data(), 0, 1);
  store_int(DType::UInt4, bytes.data(), 1, 2);
  store_int(DType::UInt4, bytes.data(), 2, 3);
  EXPECT_EQ(bytes, (std::array<uint8_t, 2>{0x21, 0xf3}));
}

TEST(HalfBytes, HoldEveryValueBesideEveryNeighbour) {
  for (int64_t left = -8; left < 8; ++left) {
    for (int64_t right = -8; right < 8; ++right) {
      std::array<uint8_t, 1> byte = {0};
      store_int(DType::Int4, byte.data(), 0, left);
      store_int(DType::Int4, byte.data(), 1, right);
      EXPECT_EQ(load_int(DType::Int4, byte.data(), 0), left);
      EXPECT_EQ(load_int(DType::Int4, byte.data(), 1), right);
      EXPECT_EQ(load_int(DType::UInt4, byte.data(), 0), left & 15);
      EXPECT_EQ(load_double(DType::Int4, byte.data(), 1), static_cast<double>(right));
    }
  }
}

int64_t stored_int(DType dtype, int64_t value) {
  std::array<uint8_t, 8> bytes = {};
  store_int(dtype, bytes.data(), 0, value);
  return load_int(dtype, bytes.data(), 0);
}
int64_t stored_double(DType dtype, double value) {
  std::array<uint8_t, 8> bytes = {};
  store_double(dtype, bytes.data(), 0, value);
  return load_int(dtype, bytes.data(), 0);
}

TEST(Integers, Wrap) {
  EXPECT_EQ(stored_int(DType::UInt8, 256 + 7), 7);
  EXPECT_EQ(stored_int(DType::UInt8, -1), 255);
  EXPECT_EQ(stored_int(DType::Int8, 128), -128);
  EXPECT_EQ(stored_int(DType::UInt16, -1), 65535);
  EXPECT_EQ(stored_int(DType::Int16, 32768), -32768);
  EXPECT_EQ(stored_int(DType::Int32, int64_t{1} << 31), -(int64_t{1} << 31));
  EXPECT_EQ(stored_int(DType::UInt32, -1), 0xffffffff);
  EXPECT_EQ(stored_int(DType::UInt64, -1), -1);
  EXPECT_EQ(stored_int(DType::UInt4, 16 + 3), 3);
  EXPECT_EQ(stored_int(DType::Int4, 8), -8);
  EXPECT_EQ(stored_int(DType::Bool, 256), 1);
  EXPECT_EQ(stored_int(DType::Bool, 0), 0);
}

TEST(Integers, TruncateNumbers) {
  EXPECT_EQ(stored_double(DType::Int32, 2.9), 2);
  EXPECT_EQ(stored_double(DType::Int32, -2.9), -2);
  EXPECT_EQ(stored_double(DType::UInt8, 257.5), 1);
  EXPECT_EQ(stored_double(DType::Int64, kNan), 0);
  EXPECT_EQ(stored_double(DType::Int64, -kInfinity), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(stored_double(DType::Int64, -0x1p63), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(stored_double(DType::Bool, 0.25), 1);
  EXPECT_EQ(stored_double(DType::Bool, kNan), 1);
  EXPECT_EQ(stored_double(DType::Bool, -0.0), 0);
}

TEST(Integers, Unsigned64UsesAllBits) {
  std::array<uint8_t, 8> bytes = {};
  for (double value : {0x1p63, 0x1p63 + 2048, 0x1.fffffffffffffp63}) {
    store_double(DType::UInt64, bytes.data(), 0, value);
    EXPECT_EQ(load_double(DType::UInt64, bytes.data(), 0), value);
  }
  store_double(DType::UInt64, bytes.data(), 0, kInfinity);
  EXPECT_EQ(load_int(DType::UInt64, bytes.data(), 0), -1);
}

// A number that rounds twice goes down, to even, at the second rounding; rounded once it goes up.
TEST(Floats, RoundIntegersOnce) {
  std::array<uint8_t, 8> bytes = {};
  int64_t above_middle = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  store_int(DType::Float32, bytes.data(), 0, above_middle);
  EXPECT_EQ(load_double(DType::Float32, bytes.data(), 0), 0x1p60 + 0x1p37);
  above_middle = (int64_t{1} << 60) + (int64_t{1} << 52) + 1;
  store_int(DType::BFloat16, bytes.data(), 0, above_middle);
  EXPECT_EQ(load_double(DType::BFloat16, bytes.data(), 0), 0x1p60 + 0x1p53);
  store_int(DType::BFloat16, bytes.data(), 0, -above_middle);
  EXPECT_EQ(load_double(DType::BFloat16, bytes.data(), 0), -0x1p60 - 0x1p53);
  store_int(DType::BFloat16, bytes.data(), 0, above_middle - 1);
  EXPECT_EQ(load_double(DType::BFloat16, bytes.data(), 0), 0x1p60);
  store_int(DType::BFloat16, bytes.data(), 0, above_middle - 2);
  EXPECT_EQ(load_double(DType::BFloat16, bytes.data(), 0), 0x1p60);
}

TEST(Floats, StoreAndLoad) {
  std::array<uint8_t, 16> bytes = {};
  store_double(DType::Float32, bytes.data(), 1, 0.1);
  EXPECT_EQ(load_double(DType::Float32, bytes.data(), 1), static_cast<double>(0.1f));
  EXPECT_EQ(load_double(DType::Float32, bytes.data(), 0), 0);
  store_double(DType::Float64, bytes.data(), 1, 0.1);
  EXPECT_EQ(load_double(DType::Float64, bytes.data(), 1), 0.1);
  store_double(DType::Float32, bytes.data(), 0, -2.7);
  EXPECT_EQ(load_int(DType::Float32, bytes.data(), 0), -2);
}

}  // namespace
}  // namespace fuselane
