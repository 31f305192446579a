// Tokens, their places, and what is said of text that has none.
#include "text/lexer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/printer.h"

namespace fuselane {
namespace {

char letter_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::End:
      return 'e';
    case TokenKind::Word:
      return 'w';
    case TokenKind::Name:
      return 'n';
    case TokenKind::Number:
      return '1';
    case TokenKind::Text:
      return 't';
    case TokenKind::Punctuation:
      return 'p';
  }
  return '?';
}

// "w:Conv p:( n:%x" for "Conv(%x"; a failure ends it with its message.
std::string tokens_of(std::string_view text) {
  Lexer lexer(text);
  std::string out;
  while (true) {
    auto token = lexer.next();
    if (!token) return cat(out, "! ", token.error().message);
    if (token->kind == TokenKind::End) return out;
    append(out, cat(letter_of(token->kind), ":", token->spelling, " "));
  }
}

TEST(Lexer, Splits) {
  EXPECT_EQ(tokens_of(""), "");
  EXPECT_EQ(tokens_of(" \t\r\n// only a comment"), "");
  EXPECT_EQ(
      tokens_of("%y: f32[1,n] = Conv(%x/a-b.1, _) {alpha = -0.5}"),
      "n:%y p:: w:f32 p:[ 1:1 p:, w:n p:] p:= w:Conv p:( n:%x/a-b.1 p:, w:_ p:) p:{ w:alpha p:= 1:-0.5 p:} ");
  EXPECT_EQ(tokens_of("a//b\nc / d"), "w:a w:c p:/ w:d ");
  EXPECT_EQ(tokens_of("1 -2 +3 .5 -.5 1e-05 1E+5 2.e3"),
            "1:1 1:-2 1:+3 p:. 1:5 1:-.5 1:1e-05 1:1E+5 1:2.e3 ");
  EXPECT_EQ(tokens_of("1-2 a-b"), "1:1 1:-2 w:a p:- w:b ");
  EXPECT_EQ(tokens_of("\"a b\"\"c\""), "t:\"a b\" t:\"c\" ");
  EXPECT_EQ(tokens_of("half_pixel a.b _x x1"), "w:half_pixel w:a.b w:_x w:x1 ");
}

TEST(Lexer, ResolvesEscapes) {
  Lexer lexer(R"("\"\\\n\t\x00\xfF" %"odd name:0" %plain)");
  EXPECT_EQ(lexer.next()->value, std::string_view("\"\\\n\t\0\xff", 6));
  EXPECT_EQ(lexer.next()->value, "odd name:0");
  EXPECT_EQ(lexer.next()->value, "plain");
}

TEST(Lexer, NamesReadBack) {
  for (std::string_view name : {"x", "conv1/out", "a.b-c_d", "", "odd name:0", "\"", "é", "a\nb", "0"}) {
    std::string text;
    append_name(text, name);
    Lexer lexer(text);
    auto token = lexer.next();
    if (name.empty()) {
      ASSERT_FALSE(token);  // no value has an empty name
      EXPECT_EQ(token.error().message, "line 1, column 1: a value's name is missing after %");
      continue;
    }
    ASSERT_TRUE(token) << token.error().message;
    EXPECT_EQ(token->kind, TokenKind::Name);
    EXPECT_EQ(token->value, name);
    EXPECT_EQ(lexer.next()->kind, TokenKind::End);
  }
}

TEST(Lexer, RefusesMalformedTokens) {
  EXPECT_EQ(tokens_of("a\n \"open"), "w:a ! line 2, column 2: this text has no closing quote");
  EXPECT_EQ(tokens_of("\"open\\"), "! line 1, column 6: this escape is not one of \\n \\t \\\" \\\\ \\xNN");
  EXPECT_EQ(tokens_of("\"\\q\""), "! line 1, column 3: this escape is not one of \\n \\t \\\" \\\\ \\xNN");
  EXPECT_EQ(tokens_of("\"\\x1\""), "! line 1, column 3: this escape is not one of \\n \\t \\\" \\\\ \\xNN");
  EXPECT_EQ(tokens_of("\"\\x1"), "! line 1, column 3: this escape is not one of \\n \\t \\\" \\\\ \\xNN");
  EXPECT_EQ(tokens_of("% x"), "! line 1, column 1: a value's name is missing after %");
}

TEST(Lexer, MeetsAnErrorAgain) {
  Lexer lexer("\"open");
  for (int i = 0; i < 3; ++i) {
    auto token = lexer.peek();
    ASSERT_FALSE(token);
    EXPECT_EQ(token.error().code, ErrorCode::InvalidText);
    EXPECT_EQ(token.error().offset, 0);
  }
  EXPECT_FALSE(lexer.accept("x"));
}

TEST(Lexer, AcceptsAndExpects) {
  Lexer lexer("a ( \"a\" %a");
  EXPECT_EQ(lexer.accept("b"), false);
  EXPECT_EQ(lexer.accept("a"), true);
  EXPECT_EQ((*lexer.peek())->spelling, "(");
  auto wrong = lexer.expect(")");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "line 1, column 3: expected ')', found '('");
  EXPECT_TRUE(lexer.expect("("));
  EXPECT_EQ(lexer.accept("\"a\""), false);  // a text is neither a word nor punctuation
  EXPECT_EQ(lexer.expect_kind(TokenKind::Text, "a text")->value, "a");
  EXPECT_EQ(lexer.expect_kind(TokenKind::Word, "a word").error().message,
            "line 1, column 9: expected a word, found '%a'");
  EXPECT_EQ(lexer.expect("x").error().message, "line 1, column 11: expected 'x', found the end");
}

TEST(Lexer, ReadsIntegers) {
  auto integer = [](std::string_view text) { return Lexer(text).expect_integer(); };
  EXPECT_EQ(integer("0"), 0);
  EXPECT_EQ(integer("+12"), 12);
  EXPECT_EQ(integer("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(integer("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(integer("9223372036854775808").error().message,
            "line 1, column 1: 9223372036854775808 does not fit 64 bits");
  EXPECT_EQ(integer("-9223372036854775809").error().message,
            "line 1, column 1: -9223372036854775809 does not fit 64 bits");
  EXPECT_EQ(integer("1.5").error().message, "line 1, column 1: expected an integer, found '1.5'");
  EXPECT_EQ(integer("1e5").error().message, "line 1, column 1: expected an integer, found '1e5'");
  EXPECT_EQ(integer("x").error().message, "line 1, column 1: expected an integer, found 'x'");
}

TEST(Lexer, ReadsNumbers) {
  auto number = [](std::string_view text) { return Lexer(text).expect_number(); };
  EXPECT_EQ(number("-0.5"), -0.5);
  EXPECT_EQ(number("1e-05"), 1e-5);
  EXPECT_EQ(number("7"), 7);
  EXPECT_TRUE(std::signbit(*number("-0")));
  EXPECT_EQ(number("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*number("nan")));
  EXPECT_EQ(number("1.2.3").error().message, "line 1, column 1: '1.2.3' is not a number");
  EXPECT_EQ(number("1e").error().message, "line 1, column 1: '1e' is not a number");
  EXPECT_EQ(number("infinite").error().message, "line 1, column 1: expected a number, found 'infinite'");
}

TEST(Lexer, DoublesReadBack) {
  for (double value : {0.1, 1e22, -4.9406564584124654e-324, 1.7976931348623157e308, 123456789.0}) {
    std::string text = cat(value);
    EXPECT_EQ(Lexer(text).expect_number(), value) << text;
  }
}

}  // namespace
}  // namespace fuselane
