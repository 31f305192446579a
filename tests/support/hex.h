// Bytes as text for tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/printer.h"

namespace fuselane {

inline std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes) {
    append(text, "0123456789abcdef"[byte >> 4]);
    append(text, "0123456789abcdef"[byte & 15]);
  }
  return text;
}

}  // namespace fuselane
