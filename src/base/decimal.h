// Decimal digits of binary floating-point numbers. Small instead of quick: the C library's ways there and
// back are 20 kB of the core, and only people's texts hold such numbers.
#pragma once

#include <cstdint>
#include <string>

namespace fuselane {

// A finite value above zero as 0.d1d2d3… x 10^exponent.
struct Decimal {
  std::string digits;  // '0' to '9', the first and the last not '0'
  int exponent = 0;
};

// The fewest digits that read back as the same number of this type, and of those the nearest to it (Steele
// and White 1990, with big integers).
Decimal shortest_decimal(float value);
Decimal shortest_decimal(double value);

}  // namespace fuselane
