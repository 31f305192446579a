// The words of words.def and operations.def read back, for parsers.
#pragma once

#include <optional>
#include <string_view>

#include "loop/kernel.h"

namespace fuselane::loop {

std::optional<Mark> mark_of_text(std::string_view text);
std::optional<Tail> tail_of_text(std::string_view text);
std::optional<Combine> combine_of_text(std::string_view text);
std::optional<Operation> operation_of_text(std::string_view text);

}  // namespace fuselane::loop
