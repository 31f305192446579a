// Text by appending. Integers in decimal, floats in the fewest digits that read back to the same value
// ("nan", "inf" and "-inf" for the rest), no locale.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace fuselane {

void append(std::string& out, std::string_view text);
void append(std::string& out, char c);
void append(std::string& out, double value);
void append(std::string& out, float value);
void append_signed(std::string& out, int64_t value);
void append_unsigned(std::string& out, uint64_t value);
void append(std::string& out, bool value) = delete;

template <std::integral I>
  requires(!std::same_as<I, bool> && !std::same_as<I, char>)
void append(std::string& out, I value) {
  if constexpr (std::signed_integral<I>) {
    append_signed(out, value);
  } else {
    append_unsigned(out, value);
  }
}
inline void append(std::string& out, const char* text) { append(out, std::string_view(text)); }
inline void append(std::string& out, const std::string& text) { append(out, std::string_view(text)); }

// Appends `text` between double quotes with \" \\ \n \t and \xNN escapes.
void append_quoted(std::string& out, std::string_view text);

// cat("axis ", axis, " is outside rank ", rank): the parts as one string.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

// "a, b, c" from any range whose elements can be appended.
template <class Range>
std::string join(const Range& range, std::string_view separator = ", ") {
  std::string out;
  bool first = true;
  for (const auto& element : range) {
    if (!first) append(out, separator);
    first = false;
    append(out, element);
  }
  return out;
}

}  // namespace fuselane
