#include "loop/words.h"

namespace fuselane::loop {

std::optional<Mark> mark_of_text(std::string_view text) {
#define MARK(id, word) \
  if (text == word) return Mark::id;
#include "loop/words.def"
  return std::nullopt;
}

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

std::optional<Operation> operation_of_text(std::string_view text) {
#define OPERATION(id, word, operands, operand_type, result_type) \
  if (text == word) return Operation::id;
#include "loop/operations.def"
#undef OPERATION
  return std::nullopt;
}

}  // namespace fuselane::loop
