// A kernel's call from some of its sizes.
#pragma once

#include "engine/workbench.h"
#include "loop/kernel.h"

namespace fuselane::workbench {

// As for a text (workbench.h).
Result<Call> call_of(const loop::Kernel& kernel, std::span<const std::pair<std::string, int64_t>> sizes);

}  // namespace fuselane::workbench
