#include "loop/moves.h"

#include "loop/legality.h"
#include "loop/move_kinds.h"

namespace fuselane::loop {

Move split(std::string loop, int64_t factor, Tail tail, std::string outer, std::string inner) {
  Move move = split(std::move(loop), std::string(), tail, std::move(outer), std::move(inner));
  move.factor = factor;
  return move;
}

Move split(std::string loop, std::string factor_size, Tail tail, std::string outer, std::string inner) {
  Move move;
  move.kind = MoveKind::Split;
  move.loops.push_back(std::move(loop));
  move.factor_size = std::move(factor_size);
  move.tail = tail;
  move.outer = std::move(outer);
  move.inner = std::move(inner);
  return move;
}

Move order(std::vector<std::string> loops) {
  Move move;
  move.loops = std::move(loops);
  return move;
}

Move mark(Mark mark, std::vector<std::string> loops) {
  Move move;
  move.kind = MoveKind::Mark;
  move.loops = std::move(loops);
  move.mark = mark;
  return move;
}

Move share(int64_t count) {
  Move move;
  move.kind = MoveKind::Share;
  move.count = count;
  return move;
}

Status apply_unchecked(Kernel& kernel, const Move& move) {
  switch (move.kind) {
    case MoveKind::Split:
      return apply_split(kernel, move);
    case MoveKind::Order:
      return apply_order(kernel, move);
    case MoveKind::Mark:
      return apply_mark(kernel, move);
    case MoveKind::Share:
      return apply_share(kernel, move);
  }
}

Status apply(Kernel& kernel, const Move& move) {
  Kernel moved = kernel;
  TRY(apply_unchecked(moved, move));
  TRY(check_loops(moved));
  kernel = std::move(moved);
  return {};
}

}  // namespace fuselane::loop
