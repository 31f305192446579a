// Numbers of the wasm binary format that the writer and the reader share.
// https://webassembly.github.io/spec/core/binary/
#pragma once

#include <array>
#include <cstdint>

#include "low/instruction.h"

namespace fuselane::wasm_format {

inline constexpr std::array<uint8_t, 8> kPreamble = {0, 'a', 's', 'm', 1, 0, 0, 0};

// Of sections, in the order in which they stand; the custom section of names is the last.
inline constexpr uint8_t kTypeSection = 1;
inline constexpr uint8_t kImportSection = 2;
inline constexpr uint8_t kFunctionSection = 3;
inline constexpr uint8_t kExportSection = 7;
inline constexpr uint8_t kCodeSection = 10;
inline constexpr uint8_t kCustomSection = 0;

inline constexpr uint8_t kFunctionNames = 1;  // parts of the section of names
inline constexpr uint8_t kLocalNames = 2;

inline constexpr uint8_t kExternFunction = 0;
inline constexpr uint8_t kExternMemory = 2;
inline constexpr uint8_t kFunctionType = 0x60;
inline constexpr uint8_t kEmptyBlock = 0x40;

inline constexpr uint8_t kUnsharedLimits = 0;  // a minimum only
inline constexpr uint8_t kSharedLimits = 3;    // and a maximum
inline constexpr uint32_t kMostPages = 65536;

inline constexpr uint8_t kUnreachable = 0x00;
inline constexpr uint8_t kBlock = 0x02;
inline constexpr uint8_t kLoop = 0x03;
inline constexpr uint8_t kIf = 0x04;
inline constexpr uint8_t kElse = 0x05;
inline constexpr uint8_t kEnd = 0x0b;
inline constexpr uint8_t kBr = 0x0c;
inline constexpr uint8_t kBrIf = 0x0d;
inline constexpr uint8_t kReturn = 0x0f;
inline constexpr uint8_t kDrop = 0x1a;
inline constexpr uint8_t kLocalGet = 0x20;
inline constexpr uint8_t kLocalSet = 0x21;

// Of I32 to V128: 0x7f, 0x7e, …
inline uint8_t code_of(low::Type type) { return static_cast<uint8_t>(0x80 - static_cast<int>(type)); }

// 0 for what has none.
inline uint8_t prefix_of(low::Feature feature) {
  switch (feature) {
    case low::Feature::Mvp:
    case low::Feature::SignExtension:
      return 0;
    case low::Feature::SaturatingFloat:
      return 0xfc;
    case low::Feature::Simd:
    case low::Feature::RelaxedSimd:
      return 0xfd;
  }
}

}  // namespace fuselane::wasm_format
