// Errors as values: TRY passes them on untouched, and every code has a text of its own.
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace fuselane {
namespace {

Result<int> positive(int number) {
  if (number > 0) return number;
  return fail_about(ErrorCode::InvalidArgument, "number", "must be positive");
}
Result<int> sum(int a, int b) { return TRY(positive(a)) + TRY(positive(b)); }
Status check(int a) {
  TRY(positive(a));
  return {};
}
Result<std::unique_ptr<int>> owned(int a) {
  auto result = TRY(Result<std::unique_ptr<int>>(std::make_unique<int>(TRY(positive(a)))));
  return result;
}

TEST(Result, TryYieldsTheValueOrReturnsTheError) {
  EXPECT_EQ(sum(1, 2), 3);
  auto wrong = sum(1, -2);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(wrong.error().message, "must be positive");
  EXPECT_EQ(wrong.error().subject, "number");
  EXPECT_EQ(wrong.error().offset, -1);
  EXPECT_TRUE(check(1));
  EXPECT_FALSE(check(0));
  EXPECT_EQ(**owned(3), 3);
  EXPECT_FALSE(owned(0));
}

TEST(Result, ErrorsKnowTheirPlace) {
  EXPECT_EQ(fail_at(ErrorCode::InvalidModel, 12, "x").error().offset, 12);
}

TEST(ErrorCode, EachHasItsText) {
  std::set<std::string_view> texts;
#define ERROR_CODE(id, text, when)                \
  EXPECT_EQ(text_of(ErrorCode::id), text);        \
  EXPECT_TRUE(texts.insert(text).second) << text; \
  EXPECT_FALSE(std::string_view(when).empty());
#include "base/errors.def"
#undef ERROR_CODE
  for (std::string_view text : texts) {
    EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), text.npos) << text;
  }
}

}  // namespace
}  // namespace fuselane
