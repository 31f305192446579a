// What the printer and the parser of the low IR's text must agree on.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "base/printer.h"
#include "low/instruction.h"

namespace fuselane::low {

// Of an access whose text names none: log2 of 4 bytes, or of its width.
inline uint8_t default_alignment(const Instruction& row) {
  return static_cast<uint8_t>(std::min(2, std::countr_zero(row.width)));
}

// A function's name: plain where the lexer takes it for a word.
inline void append_word_or_text(std::string& out, std::string_view name) {
  bool plain = !name.empty() && (name[0] < '0' || name[0] > '9') && name[0] != '.';
  for (char c : name) {
    plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.');
  }
  if (plain) {
    append(out, name);
  } else {
    append_quoted(out, name);
  }
}

}  // namespace fuselane::low
