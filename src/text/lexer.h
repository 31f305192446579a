// Tokens of every IR's text. Whitespace and `// comments` separate; the parsers of the levels stand on this.
//
//   word      letters, digits, _ and . , starting with a letter or _      Conv  f32  half_pixel
//   %name     a value; plain characters [A-Za-z0-9_./-] or quoted         %conv1/out  %"odd name:0"
//   number    integer or float, with sign; also inf, nan as words         -1  0.5  1e-05
//   "text"    with the escapes of append_quoted
//   other     one punctuation character
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fuselane {

enum class TokenKind : uint8_t { End, Word, Name, Number, Text, Punctuation };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view spelling;  // as written
  std::string value;          // of a Name or Text, with escapes resolved
  int64_t offset = 0;
};

class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next token without taking it. A malformed token is an error, met again at every call.
  Result<const Token*> peek();
  Result<Token> next();
  // Takes the next token if it is this word or punctuation.
  Result<bool> accept(std::string_view spelling);
  Status expect(std::string_view spelling);
  Result<Token> expect_kind(TokenKind kind, std::string_view what);
  Result<int64_t> expect_integer();
  Result<double> expect_number();  // also the words inf, nan and -inf

  // "line 3, column 7: <message>" as an invalid-text error at `offset`.
  std::unexpected<Error> error_at(int64_t offset, std::string_view message) const;

 private:
  void skip_blank();
  Result<Token> scan();
  Result<std::string> scan_quoted();

  std::string_view text_;
  size_t position_ = 0;
  Token ahead_;
  bool has_ahead_ = false;
};

// Appends %name as the lexer reads it back.
void append_name(std::string& out, std::string_view name);

}  // namespace fuselane
