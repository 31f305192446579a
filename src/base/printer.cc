#include "base/printer.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace fuselane {
namespace {

// The shortest of the precisions that reads back equal. snprintf rather than to_chars: libc++'s to_chars for
// doubles carries about 100 kB of tables.
template <class Float>
void append_float(std::string& out, Float value, int least, int most) {
  if (std::isnan(value)) return append(out, "nan");
  if (std::isinf(value)) return append(out, value < 0 ? "-inf" : "inf");
  char text[40];
  for (int digits = least; digits <= most; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    if (static_cast<Float>(std::strtod(text, nullptr)) == value) break;
  }
  append(out, std::string_view(text));
}

}  // namespace

void append(std::string& out, std::string_view text) { out.append(text); }
void append(std::string& out, char c) { out.push_back(c); }
void append(std::string& out, float value) { append_float(out, value, 6, 9); }
void append(std::string& out, double value) { append_float(out, value, 6, 17); }

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
