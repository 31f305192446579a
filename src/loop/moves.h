// Schedule moves: small values that change in which order a kernel computes, and nothing in what it computes,
// but for the order of sums. A schedule is a list of them (schedule.h).
//
// A move that would break what legality.h says, or whose own conditions do not hold, is declined: a sentence,
// and the kernel is as it was.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "loop/kernel.h"

namespace fuselane::loop {

enum class MoveKind : uint8_t {
#define MOVE(id, form, what) id,
#include "loop/moves.def"
#undef MOVE
};

struct Move {
  MoveKind kind = MoveKind::Order;
  // Split: the loop. Order: all loops of one nest, the outermost first. Mark: those that get it.
  std::vector<std::string> loops;
  // Of Split. A factor is a constant, or a size by its name, which becomes an argument behind those there
  // are; it must be at least 1.
  int64_t factor = 0;
  std::string factor_size;
  Tail tail = Tail::Rest;
  std::string outer, inner;
  Mark mark = Mark::Serial;  // of Mark; Vector also makes the loop the innermost
  int64_t count = 0;         // of Share

  bool operator==(const Move&) const = default;
};

// Makes of the values above what their kind needs.
Move split(std::string loop, int64_t factor, Tail tail, std::string outer, std::string inner);
Move split(std::string loop, std::string factor_size, Tail tail, std::string outer, std::string inner);
Move order(std::vector<std::string> loops);
Move mark(Mark mark, std::vector<std::string> loops);
Move share(int64_t count);

// Error: invalid-argument.
Status apply(Kernel& kernel, const Move& move);
// The same without asking whether the loops are legal then (check_loops, legality.h): of several moves only
// what the last one leaves has to be. After an error the kernel is not to be used.
Status apply_unchecked(Kernel& kernel, const Move& move);

// "split i 6 even as i0, i1"
std::string text_of(const Move& move);
// Moves one after another. Error: invalid-text.
Result<std::vector<Move>> parse_moves(std::string_view text);

}  // namespace fuselane::loop
