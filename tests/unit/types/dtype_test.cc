// The table of element types agrees with ONNX and with itself.
#include "types/dtype.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "types/number.h"

namespace fuselane {
namespace {

constexpr DType kAll[] = {
#define DTYPE(id, text, name, onnx, bits, kind) DType::id,
#include "types/dtype.def"
#undef DTYPE
};

TEST(DType, FindsEveryRowAgain) {
  std::set<std::string_view> texts;
  std::set<int> numbers;
  for (DType dtype : kAll) {
    EXPECT_EQ(dtype_of_text(text_of(dtype)), dtype);
    EXPECT_EQ(dtype_of_name(name_of(dtype)), dtype);
    EXPECT_EQ(dtype_of_onnx(onnx_number_of(dtype)), dtype);
    EXPECT_TRUE(texts.insert(text_of(dtype)).second) << text_of(dtype);
    EXPECT_TRUE(numbers.insert(onnx_number_of(dtype)).second) << onnx_number_of(dtype);
  }
}

TEST(DType, FindsNothingElse) {
  EXPECT_EQ(dtype_of_text("float32"), std::nullopt);
  EXPECT_EQ(dtype_of_text(""), std::nullopt);
  EXPECT_EQ(dtype_of_name("f32"), std::nullopt);
  EXPECT_EQ(dtype_of_onnx(0), std::nullopt);
  EXPECT_EQ(dtype_of_onnx(-1), std::nullopt);
  EXPECT_EQ(dtype_of_onnx((int64_t{1} << 32) + 1), std::nullopt);
}

// TensorProto.DataType of onnx.proto, from 1 on.
TEST(DType, HasTheNumbersOfOnnx) {
  constexpr std::string_view kNames[] = {
      "float32",    "uint8",          "int8",       "uint16",   "int16",        "int32",
      "int64",      "string",         "bool",       "float16",  "float64",      "uint32",
      "uint64",     "complex64",      "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz",
      "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",     "float4e2m1"};
  EXPECT_EQ(std::size(kNames), std::size(kAll));
  for (size_t i = 0; i < std::size(kNames); ++i) {
    auto dtype = dtype_of_onnx(static_cast<int64_t>(i) + 1);
    ASSERT_TRUE(dtype) << kNames[i];
    EXPECT_EQ(name_of(*dtype), kNames[i]);
  }
}

TEST(DType, HasTheBitsThatItsNameSays) {
  for (DType dtype : kAll) {
    std::string digits;
    for (char c : name_of(dtype)) {
      if (c >= '0' && c <= '9') {
        digits.push_back(c);
      } else if (!digits.empty()) {
        break;
      }
    }
    int bits = dtype == DType::Bool ? 8 : dtype == DType::String ? 0 : std::stoi(digits);
    EXPECT_EQ(bits_of(dtype), bits) << name_of(dtype);
  }
}

TEST(DType, KindsFollowTheName) {
  for (DType dtype : kAll) {
    std::string_view name = name_of(dtype);
    DTypeKind kind = kind_of(dtype);
    EXPECT_EQ(kind == DTypeKind::Float, name.starts_with("float") || name == "bfloat16") << name;
    EXPECT_EQ(kind == DTypeKind::Signed, name.starts_with("int")) << name;
    EXPECT_EQ(kind == DTypeKind::Unsigned, name.starts_with("uint")) << name;
    EXPECT_EQ(kind == DTypeKind::Complex, name.starts_with("complex")) << name;
    EXPECT_EQ(is_number(dtype), kind != DTypeKind::Complex && kind != DTypeKind::String) << name;
  }
}

// Whoever adds a float type must say how its bits are read.
TEST(DType, EverySmallFloatHasAFormatOfItsWidth) {
  for (DType dtype : kAll) {
    const SmallFloat* format = small_float_of(dtype);
    EXPECT_EQ(format != nullptr, is_float(dtype) && bits_of(dtype) <= 16) << name_of(dtype);
    if (format)
      EXPECT_EQ(1 + format->exponent_bits + format->mantissa_bits, bits_of(dtype)) << name_of(dtype);
  }
}

TEST(DType, CountsBytes) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(bytes_of(DType::Float32, 3), 12);
  EXPECT_EQ(bytes_of(DType::Complex128, 3), 48);
  EXPECT_EQ(bytes_of(DType::Bool, 3), 3);
  EXPECT_EQ(bytes_of(DType::String, kMost), 0);
  EXPECT_EQ(bytes_of(DType::Int4, 0), 0);
  EXPECT_EQ(bytes_of(DType::Int4, 1), 1);
  EXPECT_EQ(bytes_of(DType::Int4, 2), 1);
  EXPECT_EQ(bytes_of(DType::Int4, 3), 2);
}

TEST(DType, SaysWhenBytesOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(bytes_of(DType::Float32, -1), std::nullopt);
  EXPECT_EQ(bytes_of(DType::Float64, kMost), std::nullopt);
  EXPECT_EQ(bytes_of(DType::Float64, kMost / 8), std::nullopt);
  EXPECT_EQ(bytes_of(DType::Int4, kMost), std::nullopt);
  // The bits are counted in int64, so that every size up to 2^60 bytes less one has an answer.
  for (DType dtype : kAll) {
    if (dtype == DType::String) continue;
    int64_t most = (int64_t{1} << 60) / (bits_of(dtype) > 8 ? bits_of(dtype) / 8 : 1) - 1;
    EXPECT_TRUE(bytes_of(dtype, most)) << name_of(dtype);
  }
}

}  // namespace
}  // namespace fuselane
