#include "text/lexer.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/printer.h"

namespace fuselane {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c) || c == '.'; }
bool is_plain_name(char c) { return is_word(c) || c == '/' || c == '-'; }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::unexpected<Error> Lexer::error_at(int64_t offset, std::string_view message) const {
  int64_t line = 1;
  int64_t column = 1;
  for (int64_t i = 0; i < offset && static_cast<size_t>(i) < text_.size(); ++i) {
    if (text_[static_cast<size_t>(i)] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return fail_at(ErrorCode::InvalidText, offset, cat("line ", line, ", column ", column, ": ", message));
}

void Lexer::skip_blank() {
  while (position_ < text_.size()) {
    char c = text_[position_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++position_;
    } else if (text_.substr(position_, 2) == "//") {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      return;
    }
  }
}

Result<std::string> Lexer::scan_quoted() {
  auto start = static_cast<int64_t>(position_++);
  std::string value;
  while (position_ < text_.size() && text_[position_] != '"') {
    char c = text_[position_++];
    if (c != '\\') {
      value.push_back(c);
      continue;
    }
    char escape = position_ < text_.size() ? text_[position_++] : '\0';
    if (escape == 'n') {
      value.push_back('\n');
    } else if (escape == 't') {
      value.push_back('\t');
    } else if (escape == '"' || escape == '\\') {
      value.push_back(escape);
    } else if (escape == 'x' && position_ + 1 < text_.size() && hex_value(text_[position_]) >= 0 &&
               hex_value(text_[position_ + 1]) >= 0) {
      value.push_back(static_cast<char>(hex_value(text_[position_]) * 16 + hex_value(text_[position_ + 1])));
      position_ += 2;
    } else {
      return error_at(static_cast<int64_t>(position_) - 1,
                      "this escape is not one of \\n \\t \\\" \\\\ \\xNN");
    }
  }
  if (position_ >= text_.size()) return error_at(start, "this text has no closing quote");
  ++position_;
  return value;
}

Result<Token> Lexer::scan() {
  skip_blank();
  Token token;
  token.offset = static_cast<int64_t>(position_);
  size_t start = position_;
  if (position_ >= text_.size()) return token;
  char c = text_[position_];
  char after = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
  if (c == '"') {
    token.kind = TokenKind::Text;
    token.value = TRY(scan_quoted());
  } else if (c == '%') {
    token.kind = TokenKind::Name;
    ++position_;
    if (after == '"') {
      token.value = TRY(scan_quoted());
    } else {
      while (position_ < text_.size() && is_plain_name(text_[position_]))
        token.value.push_back(text_[position_++]);
    }
    if (token.value.empty()) return error_at(token.offset, "a value's name is missing after %");
  } else if (is_word_start(c)) {
    token.kind = TokenKind::Word;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
  } else if (is_digit(c) || ((c == '-' || c == '+') && (is_digit(after) || after == '.'))) {
    token.kind = TokenKind::Number;
    ++position_;
    while (position_ < text_.size()) {
      char d = text_[position_];
      char previous = text_[position_ - 1];
      bool exponent_sign = (d == '-' || d == '+') && (previous == 'e' || previous == 'E');
      if (!is_digit(d) && d != '.' && d != 'e' && d != 'E' && !exponent_sign) break;
      ++position_;
    }
  } else {
    token.kind = TokenKind::Punctuation;
    ++position_;
  }
  token.spelling = text_.substr(start, position_ - start);
  return token;
}

Result<const Token*> Lexer::peek() {
  if (!has_ahead_) {
    size_t before = position_;
    auto token = scan();
    if (!token) {
      position_ = before;
      return std::unexpected(std::move(token.error()));
    }
    ahead_ = *std::move(token);
    has_ahead_ = true;
  }
  return &ahead_;
}

Result<Token> Lexer::next() {
  TRY(peek());
  has_ahead_ = false;
  return std::move(ahead_);
}

Result<bool> Lexer::accept(std::string_view spelling) {
  const Token* token = TRY(peek());
  bool same = (token->kind == TokenKind::Word || token->kind == TokenKind::Punctuation) &&
              token->spelling == spelling;
  if (same) has_ahead_ = false;
  return same;
}

Status Lexer::expect(std::string_view spelling) {
  if (TRY(accept(spelling))) return {};
  const Token* token = TRY(peek());
  return error_at(token->offset,
                  cat("expected '", spelling, "', found ",
                      token->kind == TokenKind::End ? cat("the end") : cat("'", token->spelling, "'")));
}

Result<Token> Lexer::expect_kind(TokenKind kind, std::string_view what) {
  Token token = TRY(next());
  if (token.kind == kind) return token;
  return error_at(token.offset,
                  cat("expected ", what, ", found ",
                      token.kind == TokenKind::End ? cat("the end") : cat("'", token.spelling, "'")));
}

Result<int64_t> Lexer::expect_integer() {
  Token token = TRY(expect_kind(TokenKind::Number, "an integer"));
  bool negative = token.spelling.front() == '-';
  std::string_view digits = token.spelling;
  if (negative || digits.front() == '+') digits.remove_prefix(1);
  uint64_t magnitude = 0;
  uint64_t most = negative ? uint64_t{1} << 63 : static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  for (char c : digits) {
    auto digit = static_cast<uint64_t>(c - '0');
    if (!is_digit(c)) return error_at(token.offset, cat("expected an integer, found '", token.spelling, "'"));
    if (magnitude > (most - digit) / 10)
      return error_at(token.offset, cat(token.spelling, " does not fit 64 bits"));
    magnitude = magnitude * 10 + digit;
  }
  return static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
}

Result<double> Lexer::expect_number() {
  bool negative = TRY(accept("-"));
  double sign = negative ? -1 : 1;
  if (TRY(accept("inf"))) return sign * std::numeric_limits<double>::infinity();
  if (TRY(accept("nan"))) return std::numeric_limits<double>::quiet_NaN();
  Token token = TRY(expect_kind(TokenKind::Number, "a number"));
  std::string digits(token.spelling);
  char* end = nullptr;
  double value = std::strtod(digits.c_str(), &end);
  if (*end != '\0') return error_at(token.offset, cat("'", token.spelling, "' is not a number"));
  return sign * value;
}

void append_name(std::string& out, std::string_view name) {
  bool plain = !name.empty();
  for (char c : name) plain = plain && is_plain_name(c);
  append(out, '%');
  if (plain) {
    append(out, name);
  } else {
    append_quoted(out, name);
  }
}

}  // namespace fuselane
