// A module of the low IR to the bytes of a wasm module, a transcription. The module must satisfy
// low/verify.h.
//
// Its exports are the exported functions under their names. Locals are numbered with parameters first, then
// by type, as the format wants them. The same module gives the same bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "low/low.h"

namespace fuselane {

struct EmitOptions {
  bool names = false;  // of functions and registers, for profilers and people: a section of its own
};

std::vector<uint8_t> emit(const low::Module& module, EmitOptions options = {});

}  // namespace fuselane
