// The inverse of print(). Errors: invalid-text with line and column. Names are known and operands have the
// types their operations want; call verify() for the rest.
#pragma once

#include <string_view>

#include "base/result.h"
#include "loop/kernel.h"

namespace fuselane::loop {

Result<Kernel> parse_kernel(std::string_view text);

}  // namespace fuselane::loop
