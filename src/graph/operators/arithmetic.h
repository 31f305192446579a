// Arithmetic on single elements where C++ leaves a choice: NaN in comparisons, division by zero, 64-bit
// integers without a sign. Floats are doubles; integers are int64, whose bits stand for uint64 too.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace fuselane {

// Of a NaN and a number: NaN.
inline double least(double a, double b) { return a < b || std::isnan(a) ? a : b; }
inline double greatest(double a, double b) { return a > b || std::isnan(a) ? a : b; }
inline int64_t least_signed(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t greatest_signed(int64_t a, int64_t b) { return a > b ? a : b; }

inline uint64_t bits(int64_t a) { return static_cast<uint64_t>(a); }
inline int64_t least_unsigned(int64_t a, int64_t b) { return bits(a) < bits(b) ? a : b; }
inline int64_t greatest_unsigned(int64_t a, int64_t b) { return bits(a) > bits(b) ? a : b; }

// Integers divide toward zero. Division by zero, which ONNX leaves undefined, gives 0; the quotient that
// overflows wraps.
inline int64_t divide_signed(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - bits(a));
  return a / b;
}
inline int64_t divide_unsigned(int64_t a, int64_t b) {
  return b == 0 ? 0 : static_cast<int64_t>(bits(a) / bits(b));
}

// Wrapping power. A negative power of an integer is the quotient 1 / base^-exponent as divided above.
inline int64_t power_unsigned(int64_t base, int64_t exponent) {
  uint64_t result = 1;
  uint64_t square = bits(base);
  for (uint64_t left = bits(exponent); left != 0; left >>= 1) {
    if (left & 1) result *= square;
    square *= square;
  }
  return static_cast<int64_t>(result);
}
inline int64_t power_signed(int64_t base, int64_t exponent) {
  if (exponent >= 0) return power_unsigned(base, exponent);
  if (base == 1) return 1;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  return 0;
}

}  // namespace fuselane
