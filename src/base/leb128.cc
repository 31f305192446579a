#include "base/leb128.h"

namespace fuselane {

void append_leb128(std::vector<uint8_t>& out, uint32_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

void append_leb128_signed(std::vector<uint8_t>& out, int64_t value) {
  for (; value < -0x40 || value >= 0x40; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value & 0x7f));
}

}  // namespace fuselane
