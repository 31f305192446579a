// FNV-1a, 64 bits: stable across machines, for keys of caches and interning, not against an adversary.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fuselane {

inline constexpr uint64_t kHashStart = 0xcbf29ce484222325u;

inline uint64_t hash_bytes(std::span<const uint8_t> bytes, uint64_t hash = kHashStart) {
  for (uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}
inline uint64_t hash_text(std::string_view text, uint64_t hash = kHashStart) {
  return hash_bytes({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, hash);
}
inline uint64_t hash_number(uint64_t number, uint64_t hash = kHashStart) {
  for (int i = 0; i < 8; ++i) hash = (hash ^ (number >> (8 * i) & 0xff)) * 0x100000001b3u;
  return hash;
}

}  // namespace fuselane
