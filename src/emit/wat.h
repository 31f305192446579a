// The text format of wasm from the bytes that emit.h writes: what people look at, and what shows that the
// bytes say what was meant. Folded; other tools read it back to the same bytes. Names come from the section
// of names; where there is none, functions and locals have their numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace fuselane {

// Error: invalid-model, with the offset, for bytes that emit.h does not write.
Result<std::string> wat_of(std::span<const uint8_t> bytes);

}  // namespace fuselane
