// A function without some of its effects: what was for these alone goes too, and nothing else.
#include "low/without.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "low/parse.h"
#include "low/print.h"
#include "low/verify.h"

namespace fuselane::low {
namespace {

// The text without the effects of the first function that have these numbers, counted from 0 among its
// effects.
std::string cut(std::string_view text, const std::vector<size_t>& numbers) {
  auto module = parse(text);
  if (!module) return module.error().message;
  Function& function = module->functions[0];
  std::vector<bool> dropped(function.exprs.size());
  size_t effects = 0;
  for (const Statement& statement : function.body) {
    if (statement.kind != StatementKind::Effect) continue;
    if (std::ranges::contains(numbers, effects++)) dropped[statement.expr.index] = true;
  }
  function = without(function, dropped);
  if (auto status = verify(*module); !status) return status.error().message;
  return print(*module);
}

constexpr std::string_view kTwoRows = R"(func rows(%a: i32, %b: i32, %c: i32, %n: i32) {
  local %i, %first, %second, %step: i32
  local %sum, %other, %shared: v128
  %step = 16
  %first = %a
  %second = i32.add(%a, i32.mul(%n, 16))
  loop $0 {
    %shared = v128.load(%b)
    %sum = f32x4.add(%sum, f32x4.mul(v128.load(%first), %shared))
    %other = f32x4.add(%other, f32x4.mul(v128.load(%second), call twice(%shared)))
    %first = i32.add(%first, %step)
    %second = i32.add(%second, 16)
    %i = i32.add(%i, 1)
    br_if $0 i32.lt_s(%i, %n)
  }
  v128.store(%c, %sum)
  if i32.gt_s(%n, 1) {
    v128.store(%c, f32x4.add(%other, v128.const(i32x4, 1, 0, 0, 0)), offset=16)
  }
}

func twice(%x: v128) -> v128 {
  return f32x4.add(%x, %x)
}
)";

TEST(Without, TheSecondRow) {
  const std::string first = cut(kTwoRows, {1});
  // Its sum and its address go, and the call for it; what both rows read, and the loop's count, stay.
  for (const char* gone : {"%other", "%second", "twice(%shared)"})
    EXPECT_EQ(first.find(gone), std::string::npos) << gone << first;
  for (const char* stays : {"%shared = v128.load(%b)", "%first = i32.add(%first, %step)", "br_if $0",
                            "v128.store(%c, %sum)", "%step = 16", "func twice"})
    EXPECT_NE(first.find(stays), std::string::npos) << stays << first;
}

TEST(Without, TheFirstRow) {
  const std::string second = cut(kTwoRows, {0});
  for (const char* gone : {"%sum", "%first", "%step"})
    EXPECT_EQ(second.find(gone), std::string::npos) << gone << second;
  for (const char* stays : {"v128.const", "call twice(%shared)", "%second = i32.add(%second, 16)"})
    EXPECT_NE(second.find(stays), std::string::npos) << stays << second;
}

TEST(Without, NothingLeavesAllAsItWas) {
  auto all = parse(kTwoRows);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(cut(kTwoRows, {}), print(*all));
}

}  // namespace
}  // namespace fuselane::low
