// Putting generated kernels into the table of functions of the calling thread.
#pragma once

#include <emscripten/val.h>

#include "engine/engine.h"

namespace fuselane {

// The place of the first of the `count` functions that an instance exports, in their order; none when the
// table cannot grow.
std::optional<uint32_t> put_kernels(const emscripten::val& exports, uint32_t count);

// What an engine's helpers call (run/install.h).
bool install_here(const Install& install);

}  // namespace fuselane
