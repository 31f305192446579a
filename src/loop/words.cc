#include "loop/words.h"

#include "base/printer.h"

namespace fuselane::loop {
namespace {

std::optional<Tail> tail_of_text(std::string_view text) {
#define TAIL(id, word) \
  if (text == word) return Tail::id;
#include "loop/words.def"
  return std::nullopt;
}

std::optional<Combine> combine_of_text(std::string_view text) {
#define COMBINE(id, word) \
  if (text == word) return Combine::id;
#include "loop/words.def"
  return std::nullopt;
}

}  // namespace

std::optional<Mark> mark_of_text(std::string_view text) {
#define MARK(id, word) \
  if (text == word) return Mark::id;
#include "loop/words.def"
  return std::nullopt;
}

std::optional<Operation> operation_of_text(std::string_view text) {
#define OPERATION(id, word, operands, operand_type, result_type) \
  if (text == word) return Operation::id;
#include "loop/operations.def"
#undef OPERATION
  return std::nullopt;
}

Result<Tail> expect_tail(Lexer& lexer) {
  Token word = TRY(lexer.expect_kind(TokenKind::Word, "exact, rest, even or padded"));
  auto tail = tail_of_text(word.spelling);
  if (!tail)
    return lexer.error_at(word.offset, cat("'", word.spelling, "' is not exact, rest, even or padded"));
  return *tail;
}

Result<Combine> expect_combine(Lexer& lexer) {
  Token word = TRY(lexer.expect_kind(TokenKind::Word, "add, mul, max or min"));
  auto combine = combine_of_text(word.spelling);
  if (!combine) return lexer.error_at(word.offset, cat("'", word.spelling, "' combines nothing"));
  return *combine;
}

}  // namespace fuselane::loop
