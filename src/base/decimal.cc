#include "base/decimal.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace fuselane {
namespace {

// An unsigned integer of at most 1,152 bits: a double times 2^1076 and another factor of 20 fits.
class Big {
 public:
  explicit Big(uint64_t value) : words_{static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)} {}

  void multiply(uint32_t factor) {
    uint64_t carry = 0;
    for (uint32_t& word : words_) {
      carry += uint64_t{word} * factor;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  void shift_left(int bits) {
    for (; bits >= 31; bits -= 31) multiply(uint32_t{1} << 31);
    multiply(uint32_t{1} << bits);
  }
  void add(const Big& other) {
    uint64_t carry = 0;
    for (size_t i = 0; i < kWords; ++i) {
      carry += uint64_t{words_[i]} + other.words_[i];
      words_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  void subtract(const Big& smaller) {
    int64_t borrow = 0;
    for (size_t i = 0; i < kWords; ++i) {
      borrow += int64_t{words_[i]} - smaller.words_[i];
      words_[i] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
    }
  }
  std::strong_ordering operator<=>(const Big& other) const {
    for (size_t i = kWords; i-- > 0;) {
      if (words_[i] != other.words_[i]) return words_[i] <=> other.words_[i];
    }
    return std::strong_ordering::equal;
  }

 private:
  static constexpr size_t kWords = 36;
  std::array<uint32_t, kWords> words_;
};

Big sum(Big a, const Big& b) {
  a.add(b);
  return a;
}

template <class Float>
Decimal shortest(Float value) {
  using Limits = std::numeric_limits<Float>;
  int binary = 0;
  Float fraction = std::frexp(value, &binary);
  // value = mantissa x 2^binary, the exponent of subnormal numbers being that of the smallest normal one.
  binary = std::max(binary, Limits::min_exponent) - Limits::digits;
  auto mantissa = static_cast<uint64_t>(std::ldexp(value, -binary));
  bool even = mantissa % 2 == 0;  // then a decimal at the middle between two numbers reads as this one
  bool closer_below =
      fraction == Float(0.5) && value > Limits::min();  // the gap below a power of two is half

  // value = rest / scale; a decimal within above / scale or below / scale of it reads back equal.
  Big rest(mantissa), scale(1), above(1), below(1);
  int twos = closer_below ? 2 : 1;
  rest.shift_left(twos);
  scale.shift_left(twos);
  if (closer_below) above.multiply(2);
  if (binary > 0) {
    for (Big* part : {&rest, &above, &below}) part->shift_left(binary);
  } else {
    scale.shift_left(-binary);
  }
  auto too_large = [&](const Big& number) { return even ? number >= scale : number > scale; };

  Decimal decimal;
  while (too_large(sum(rest, above))) {  // until it is below 1
    scale.multiply(10);
    ++decimal.exponent;
  }
  auto times_ten = [&] {
    for (Big* part : {&rest, &above, &below}) part->multiply(10);
  };
  auto tenfold = [&] {
    Big ten = sum(rest, above);
    ten.multiply(10);
    return ten;
  };
  while (!too_large(tenfold())) {  // and not below 0.1
    times_ten();
    --decimal.exponent;
  }
  for (bool last = false; !last;) {
    times_ten();
    char digit = '0';
    for (; rest >= scale; rest.subtract(scale)) ++digit;
    bool low = even ? rest <= below : rest < below;
    bool high = too_large(sum(rest, above));
    last = low || high;
    if (last && high && (!low || sum(rest, rest) >= scale)) ++digit;
    decimal.digits.push_back(digit);
  }
  return decimal;
}

}  // namespace

Decimal shortest_decimal(float value) { return shortest(value); }
Decimal shortest_decimal(double value) { return shortest(value); }

}  // namespace fuselane
