// A schedule: which algorithm computes a task, and the moves that order its loops. The default, a tuned
// record and one written by hand are the same thing. As text, a line each:
//
//   algorithm matmul
//   split j 8 padded as jp, j1
//   ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loop/moves.h"

namespace fuselane::loop {

struct Schedule {
  std::string algorithm;
  std::vector<Move> moves;
  bool operator==(const Schedule&) const = default;
};

std::string text_of(const Schedule& schedule);
// Error: invalid-text.
Result<Schedule> parse_schedule(std::string_view text);

}  // namespace fuselane::loop
