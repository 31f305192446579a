// Copies a run of bytes. Runs are short in transpositions, gathers and resizes, where the call behind
// memory.copy would cost more than the copy.
#pragma once

#include <cstdint>
#include <cstring>

#include "library/simd.h"

namespace fuselane {

inline void copy_run(void* to, const void* from, size_t bytes) {
  auto* target = static_cast<uint8_t*>(to);
  const auto* source = static_cast<const uint8_t*>(from);
  if (bytes > 512) {
    std::memcpy(target, source, bytes);
    return;
  }
  for (; bytes >= 16; bytes -= 16, source += 16, target += 16)
    wasm_v128_store(target, wasm_v128_load(source));
  for (; bytes >= 4; bytes -= 4, source += 4, target += 4) std::memcpy(target, source, 4);
  for (; bytes > 0; --bytes) *target++ = *source++;
}

}  // namespace fuselane
