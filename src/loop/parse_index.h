// Indices of the loop IR read from text, for parse.cc.
#pragma once

#include <vector>

#include "base/result.h"
#include "loop/kernel.h"
#include "text/lexer.h"

namespace fuselane::loop {

class IndexParser {
 public:
  IndexParser(Lexer& lexer, Kernel& kernel) : lexer_(lexer), kernel_(kernel) {}

  Result<Index> index();
  Result<std::vector<Index>> list();  // in brackets
  // A word that names no symbol yet.
  Result<Token> new_name();
  // The loop of that name, made where there is none.
  Result<SymbolId> loop_variable();
  // The start of the chunk that an Even split's outer loop is at.
  SymbolId start_of(SymbolId outer);

 private:
  Result<Index> sum(int depth);
  Result<Index> product(int depth);
  Result<Index> factor(int depth);
  Result<Index> parenthesized(int depth);
  SymbolId find(std::string_view name) const;

  Lexer& lexer_;
  Kernel& kernel_;
};

}  // namespace fuselane::loop
