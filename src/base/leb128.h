// LEB128, wasm's way to write integers: seven bits a byte, the low ones first, the top bit if more follow.
#pragma once

#include <cstdint>
#include <vector>

namespace fuselane {

void append_leb128(std::vector<uint8_t>& out, uint32_t value);
// Of a signed integer of any width: the last byte's bit 6 is the sign of all that would follow.
void append_leb128_signed(std::vector<uint8_t>& out, int64_t value);

}  // namespace fuselane
