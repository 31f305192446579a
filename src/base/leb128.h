// LEB128, wasm's way to write integers: seven bits a byte, the low ones first, the top bit if more follow.
#pragma once

#include <cstdint>
#include <vector>

namespace fuselane {

inline void append_leb128(std::vector<uint8_t>& out, uint32_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

// Of a signed integer of any width: the last byte's bit 6 is the sign of all that would follow.
inline void append_leb128_signed(std::vector<uint8_t>& out, int64_t value) {
  for (; value < -0x40 || value >= 0x40; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value & 0x7f));
}

}  // namespace fuselane
