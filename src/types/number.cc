#include "types/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace fuselane {
namespace {

template <class T>
T load(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const uint8_t*>(data) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <class T>
void store(void* data, int64_t index, T value) {
  std::memcpy(static_cast<uint8_t*>(data) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

uint32_t load_half_byte(const void* data, int64_t index) {
  uint8_t pair = load<uint8_t>(data, index / 2);
  return index % 2 == 0 ? pair & 15u : pair >> 4;
}
void store_half_byte(void* data, int64_t index, uint32_t value) {
  uint8_t pair = load<uint8_t>(data, index / 2);
  uint32_t merged = index % 2 == 0 ? (pair & 0xf0u) | (value & 15u) : (pair & 15u) | (value & 15u) << 4;
  store<uint8_t>(data, index / 2, static_cast<uint8_t>(merged));
}

using Top = SmallFloat::Top;
constexpr SmallFloat kFloat16{5, 10, 15, Top::Ieee};
constexpr SmallFloat kBFloat16{8, 7, 127, Top::Ieee};
constexpr SmallFloat kE4M3FN{4, 3, 7, Top::NanOnly};
constexpr SmallFloat kE4M3FNUZ{4, 3, 8, Top::UnsignedZero};
constexpr SmallFloat kE5M2{5, 2, 15, Top::Ieee};
constexpr SmallFloat kE5M2FNUZ{5, 2, 16, Top::UnsignedZero};
constexpr SmallFloat kE2M1{2, 1, 1, Top::Finite};

int64_t int_of_double(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p64) return -1;  // the bits of UINT64_MAX
  if (value >= 0x1p63) return static_cast<int64_t>(static_cast<uint64_t>(value));
  if (value < -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

// The integer in 52 bits, the last of which is set where bits are lost: a second rounding to fewer bits then
// sees on which side of a midpoint it lies, and gives what one rounding would.
double rounded_to_odd(int64_t value) {
  constexpr int64_t kLost = (int64_t{1} << 11) - 1;
  if (value >= -(int64_t{1} << 53) && value <= int64_t{1} << 53) return static_cast<double>(value);
  return static_cast<double>((value & ~kLost) | ((value & kLost) != 0 ? kLost + 1 : 0));
}

// The finite codes of a format are 0 .. largest_code (without the sign).
uint32_t largest_code(const SmallFloat& f) {
  uint32_t all = (1u << (f.exponent_bits + f.mantissa_bits)) - 1;
  switch (f.top) {
    case Top::Ieee:
      return all - (1u << f.mantissa_bits);
    case Top::NanOnly:
      return all - 1;
    case Top::UnsignedZero:
    case Top::Finite:
      return all;
  }
  return all;
}

}  // namespace

const SmallFloat* small_float_of(DType dtype) {
  switch (dtype) {
    case DType::Float16:
      return &kFloat16;
    case DType::BFloat16:
      return &kBFloat16;
    case DType::Float8E4M3FN:
      return &kE4M3FN;
    case DType::Float8E4M3FNUZ:
      return &kE4M3FNUZ;
    case DType::Float8E5M2:
      return &kE5M2;
    case DType::Float8E5M2FNUZ:
      return &kE5M2FNUZ;
    case DType::Float4E2M1:
      return &kE2M1;
    case DType::Float32:
    case DType::Float64:
    case DType::UInt8:
    case DType::Int8:
    case DType::UInt16:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
    case DType::UInt32:
    case DType::UInt64:
    case DType::String:
    case DType::Bool:
    case DType::Complex64:
    case DType::Complex128:
    case DType::UInt4:
    case DType::Int4:
      return nullptr;
  }
  return nullptr;
}

double decode_small_float(const SmallFloat& f, uint32_t bits) {
  uint32_t sign = bits >> (f.exponent_bits + f.mantissa_bits) & 1u;
  uint32_t code = bits & ((1u << (f.exponent_bits + f.mantissa_bits)) - 1);
  double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.top == Top::UnsignedZero && sign != 0 && code == 0) return nan;
  if (code > largest_code(f)) {
    bool infinite = f.top == Top::Ieee && code == largest_code(f) + 1;
    return infinite ? (sign ? -1 : 1) * std::numeric_limits<double>::infinity() : nan;
  }
  int exponent = static_cast<int>(code >> f.mantissa_bits);
  double mantissa = static_cast<double>(code & ((1u << f.mantissa_bits) - 1));
  double magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits)
                    : std::ldexp(mantissa + (1u << f.mantissa_bits), exponent - f.bias - f.mantissa_bits);
  return sign ? -magnitude : magnitude;
}

uint32_t encode_small_float(const SmallFloat& f, double value) {
  uint32_t sign = (std::signbit(value) ? 1u : 0u) << (f.exponent_bits + f.mantissa_bits);
  uint32_t largest = largest_code(f);
  uint32_t beyond = f.top == Top::Finite ? largest : largest + 1;  // infinity, or NaN where there is none
  if (f.top == Top::UnsignedZero)
    beyond = 1u << (f.exponent_bits + f.mantissa_bits), sign = std::isfinite(value) ? sign : 0;
  if (std::isnan(value))
    return f.top == Top::Ieee     ? sign | (largest + 1 + (1u << (f.mantissa_bits - 1)))
           : f.top == Top::Finite ? largest
                                  : beyond | sign;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return f.top == Top::UnsignedZero ? beyond : sign | beyond;
  // In units of the last place at this magnitude, rounded to even; a carry into the next exponent is just
  // code + 1.
  int exponent = magnitude == 0 ? 1 - f.bias : std::max(std::ilogb(magnitude), 1 - f.bias);
  double units = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
  double code = std::ldexp(static_cast<double>(exponent + f.bias - 1), f.mantissa_bits) + units;
  if (code > largest) return f.top == Top::UnsignedZero ? beyond : sign | beyond;
  if (f.top == Top::UnsignedZero && code == 0) return 0;
  return sign | static_cast<uint32_t>(code);
}

double load_double(DType dtype, const void* data, int64_t index) {
  if (const SmallFloat* format = small_float_of(dtype)) {
    uint32_t bits = bits_of(dtype) == 16  ? load<uint16_t>(data, index)
                    : bits_of(dtype) == 8 ? load<uint8_t>(data, index)
                                          : load_half_byte(data, index);
    return decode_small_float(*format, bits);
  }
  if (dtype == DType::Float32) return load<float>(data, index);
  if (dtype == DType::Float64) return load<double>(data, index);
  if (dtype == DType::UInt64) return static_cast<double>(load<uint64_t>(data, index));
  return static_cast<double>(load_int(dtype, data, index));
}

int64_t load_int(DType dtype, const void* data, int64_t index) {
  switch (dtype) {
    case DType::UInt8:
      return load<uint8_t>(data, index);
    case DType::Int8:
      return load<int8_t>(data, index);
    case DType::UInt16:
      return load<uint16_t>(data, index);
    case DType::Int16:
      return load<int16_t>(data, index);
    case DType::Int32:
      return load<int32_t>(data, index);
    case DType::UInt32:
      return load<uint32_t>(data, index);
    case DType::Int64:
    case DType::UInt64:
      return load<int64_t>(data, index);
    case DType::Bool:
      return load<uint8_t>(data, index) != 0;
    case DType::UInt4:
      return load_half_byte(data, index);
    case DType::Int4:
      return static_cast<int32_t>(load_half_byte(data, index) ^ 8u) - 8;
    case DType::Float32:
    case DType::Float64:
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ:
    case DType::Float4E2M1:
      return int_of_double(load_double(dtype, data, index));
    case DType::String:
    case DType::Complex64:
    case DType::Complex128:
      return 0;
  }
  return 0;
}

void store_double(DType dtype, void* data, int64_t index, double value) {
  if (const SmallFloat* format = small_float_of(dtype)) {
    uint32_t bits = encode_small_float(*format, value);
    if (bits_of(dtype) == 16) return store(data, index, static_cast<uint16_t>(bits));
    if (bits_of(dtype) == 8) return store(data, index, static_cast<uint8_t>(bits));
    return store_half_byte(data, index, bits);
  }
  if (dtype == DType::Float32) return store(data, index, static_cast<float>(value));
  if (dtype == DType::Float64) return store(data, index, value);
  if (dtype == DType::Bool) return store<uint8_t>(data, index, value != 0 ? 1 : 0);
  store_int(dtype, data, index, int_of_double(value));
}

void store_int(DType dtype, void* data, int64_t index, int64_t value) {
  switch (dtype) {
    case DType::UInt8:
    case DType::Int8:
      return store(data, index, static_cast<uint8_t>(value));
    case DType::UInt16:
    case DType::Int16:
      return store(data, index, static_cast<uint16_t>(value));
    case DType::Int32:
    case DType::UInt32:
      return store(data, index, static_cast<uint32_t>(value));
    case DType::Int64:
    case DType::UInt64:
      return store(data, index, value);
    case DType::Bool:
      return store<uint8_t>(data, index, value != 0 ? 1 : 0);
    case DType::UInt4:
    case DType::Int4:
      return store_half_byte(data, index, static_cast<uint32_t>(value & 15));
    case DType::Float32:
      return store(data, index, static_cast<float>(value));  // one rounding, unlike through double
    case DType::Float64:
      return store(data, index, static_cast<double>(value));
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ:
    case DType::Float4E2M1:
      return store_double(dtype, data, index, rounded_to_odd(value));
    case DType::String:
    case DType::Complex64:
    case DType::Complex128:
      return;
  }
}

}  // namespace fuselane
