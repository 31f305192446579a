// Reads the text that print.h writes. Names and labels are looked up and immediates are of their kinds; what
// else must hold, such as types, verify.h tells.
#pragma once

#include <string_view>

#include "base/result.h"
#include "low/low.h"

namespace fuselane::low {

// Errors: invalid-text, with line and column.
Result<Module> parse(std::string_view text);

}  // namespace fuselane::low
