#include "base/printer.h"

#include <cmath>
#include <cstdlib>

#include "base/decimal.h"

namespace fuselane {
namespace {

// As "%g" writes the shortest digits that read back equal: 0.1, 1e-05, 3.4e+38.
template <class Float>
void append_float(std::string& out, Float value) {
  if (std::isnan(value)) return append(out, "nan");
  if (std::signbit(value)) out.push_back('-');
  if (std::isinf(value)) return append(out, "inf");
  if (value == 0) return out.push_back('0');
  Decimal decimal = shortest_decimal(std::fabs(value));
  std::string& digits = decimal.digits;
  int exponent = decimal.exponent - 1;  // of the first digit
  int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= std::max(count, 6)) {
    if (count > 1) digits.insert(1, ".");
    append(digits, exponent < 0 ? "e-" : "e+");
    if (std::abs(exponent) < 10) digits.push_back('0');
    append_unsigned(digits, static_cast<uint64_t>(std::abs(exponent)));
  } else if (exponent < 0) {
    digits.insert(0, "0." + std::string(static_cast<size_t>(-exponent - 1), '0'));
  } else if (exponent + 1 < count) {
    digits.insert(static_cast<size_t>(exponent + 1), ".");
  } else {
    digits.append(static_cast<size_t>(exponent + 1 - count), '0');
  }
  append(out, digits);
}

}  // namespace

void append(std::string& out, std::string_view text) { out.append(text); }
void append(std::string& out, char c) { out.push_back(c); }
void append(std::string& out, float value) { append_float(out, value); }
void append(std::string& out, double value) { append_float(out, value); }

void append_unsigned(std::string& out, uint64_t value) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count > 0) out.push_back(digits[--count]);
}

void append_signed(std::string& out, int64_t value) {
  if (value < 0) {
    out.push_back('-');
    append_unsigned(out, uint64_t{0} - static_cast<uint64_t>(value));
  } else {
    append_unsigned(out, static_cast<uint64_t>(value));
  }
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      append(out, "\\n");
    } else if (c == '\t') {
      append(out, "\\t");
    } else if (byte < 0x20 || byte == 0x7f) {
      append(out, "\\x");
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

}  // namespace fuselane
