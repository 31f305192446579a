// Moves and schedules as text, for what is stored, printed and written by hand.
#include <algorithm>

#include "base/printer.h"
#include "loop/moves.h"
#include "loop/schedule.h"
#include "loop/words.h"
#include "text/lexer.h"

namespace fuselane::loop {
namespace {

Result<std::string> name(Lexer& lexer) {
  return std::string(TRY(lexer.expect_kind(TokenKind::Word, "the name of a loop")).spelling);
}

Result<std::vector<std::string>> names(Lexer& lexer) {
  std::vector<std::string> list;
  do {
    list.push_back(TRY(name(lexer)));
  } while (TRY(lexer.accept(",")));
  return list;
}

Result<Move> parse_split(Lexer& lexer) {
  Move move;
  move.kind = MoveKind::Split;
  move.loops.push_back(TRY(name(lexer)));
  if (TRY(lexer.peek())->kind == TokenKind::Word) {
    move.factor_size = TRY(lexer.next()).spelling;
  } else {
    move.factor = TRY(lexer.expect_integer());
  }
  move.tail = TRY(expect_tail(lexer));
  TRY(lexer.expect("as"));
  move.outer = TRY(name(lexer));
  TRY(lexer.expect(","));
  move.inner = TRY(name(lexer));
  return move;
}

Result<Move> parse_move(Lexer& lexer) {
  Token word = TRY(lexer.expect_kind(TokenKind::Word, "a move"));
  if (word.spelling == "split") return parse_split(lexer);
  if (word.spelling == "order") return order(TRY(names(lexer)));
  if (word.spelling == "share") return share(TRY(lexer.expect_integer()));
  auto known = mark_of_text(word.spelling);
  if (!known) return lexer.error_at(word.offset, cat("'", word.spelling, "' is not a move"));
  return mark(*known, TRY(names(lexer)));
}

Result<std::vector<Move>> moves_until_end(Lexer& lexer) {
  std::vector<Move> moves;
  while (TRY(lexer.peek())->kind != TokenKind::End) moves.push_back(TRY(parse_move(lexer)));
  return moves;
}

}  // namespace

std::string text_of(const Move& move) {
  switch (move.kind) {
    case MoveKind::Split: {
      std::string factor = move.factor_size.empty() ? cat(move.factor) : move.factor_size;
      return cat("split ", move.loops[0], " ", factor, " ", text_of(move.tail), " as ", move.outer, ", ",
                 move.inner);
    }
    case MoveKind::Order:
      return cat("order ", join(move.loops));
    case MoveKind::Mark:
      return cat(text_of(move.mark), " ", join(move.loops));
    case MoveKind::Share:
      return cat("share ", move.count);
  }
}

Result<std::vector<Move>> parse_moves(std::string_view text) {
  Lexer lexer(text);
  return moves_until_end(lexer);
}

std::string text_of(const Schedule& schedule) {
  std::string out = cat("algorithm ", schedule.algorithm, "\n");
  for (const Move& move : schedule.moves) append(out, cat(text_of(move), "\n"));
  return out;
}

Result<Schedule> parse_schedule(std::string_view text) {
  Lexer lexer(text);
  Schedule schedule;
  TRY(lexer.expect("algorithm"));
  schedule.algorithm = TRY(lexer.expect_kind(TokenKind::Word, "an algorithm")).spelling;
  schedule.moves = TRY(moves_until_end(lexer));
  return schedule;
}

}  // namespace fuselane::loop
