// The words of words.def and operations.def read back, for parsers.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "loop/kernel.h"
#include "text/lexer.h"

namespace fuselane::loop {

std::optional<Mark> mark_of_text(std::string_view text);
std::optional<Operation> operation_of_text(std::string_view text);

// The next word. Errors: invalid-text, which lists what it can be.
Result<Tail> expect_tail(Lexer& lexer);
Result<Combine> expect_combine(Lexer& lexer);

}  // namespace fuselane::loop
