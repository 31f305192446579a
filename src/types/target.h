// What code is generated for: a value, found out when an engine starts, so that one core makes different code
// on different machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fuselane {

// In the order of the table: a level has all that lower ones have.
enum class SimdLevel : uint8_t {
#define SIMD_LEVEL(id, text, what) id,
#include "types/simd_level.def"
#undef SIMD_LEVEL
};

struct Target {
  SimdLevel simd = SimdLevel::None;
  bool shared_memory = false;  // generated modules must import memory as the core has it
  bool tiling = true;          // false: default schedules of products have tiles of one row

  bool operator==(const Target&) const = default;
};

std::string_view text_of(SimdLevel level);  // "relaxed"
std::optional<SimdLevel> simd_level_of_text(std::string_view text);

// "wasm relaxed shared", for keys and texts.
std::string text_of(const Target& target);

}  // namespace fuselane
