// The text of modules: what is read is printed again, and what is wrong is said with its place.
#include <gtest/gtest.h>

#include "low/build.h"
#include "low/parse.h"
#include "low/print.h"
#include "low/verify.h"

namespace fuselane::low {
namespace {

std::string read_back(std::string_view text) {
  auto module = parse(text);
  if (!module) return module.error().message;
  if (auto status = verify(*module); !status) return status.error().message;
  return print(*module);
}

TEST(LowText, PrintsWhatItReads) {
  std::string text = R"(memory shared

func tile(%args: i32, %k: i32) -> i32 export {
  local %acc, %row: v128
  local %n: i32
  block $0 {
    br_if $0 i32.eqz(%k)
    loop $1 {
      %acc = f32x4.relaxed_madd(v128.load32_splat(%args, offset=4), v128.load(%args, offset=16, align=16), %acc)
      %row = v128.load32_lane(%args, %row, lane=3)
      v128.store64_lane(%args, i8x16.shuffle(%row, %acc, bytes=[0, 1, 2, 3, 4, 5, 6, 7, 31, 30, 29, 28, 27, 26, 25, 24]), offset=8, align=1, lane=1)
      if $2 i32.lt_u(%n, 10) {
        %n = i32.add(%n, -1)
        br $2
      } else {
        call "odd name"(%n, f32x4.extract_lane(%acc, lane=0))
      }
      if %n {
        br $1
      }
    }
  }
  drop call tile(%args, 0)
  return select(%n, i32.trunc_sat_f32_s(f32.const(1.5)), i64.eqz(i64.const(-9000000000)))
}

func "odd name"(%0: i32, %1: f32) {
  local %2: f64
  %2 = f64.const(nan)
  v128.store(%0, v128.const(f32x4, 1, -0, 0.1, 1e-08))
  v128.store(%0, v128.const(i32x4, 1, -1, 2147483647, -2147483648))
  v128.store(%0, v128.const(i32x4, 0, 0, 0, 0))
  f32.store(%0, f32.const(-inf))
  f32.store(%0, f32.const(bits 2143289345))
  f64.store(%0, f64.const(bits 9221120237041090561))
  return
}

func last() {
  unreachable
}
)";
  EXPECT_EQ(read_back(text), text);
}

TEST(LowText, GivesRegistersNamesOfTheirOwn) {
  Module module;
  module.functions.resize(1);
  module.functions[0].name = "f";
  Builder b(module.functions[0]);
  RegisterId x = b.reg(Type::I32, "x");
  RegisterId unnamed = b.reg(Type::I32);
  RegisterId again = b.reg(Type::I32, "x");
  RegisterId tricky = b.reg(Type::I32, "1");
  b.set(x, unnamed);
  b.set(again, tricky);
  std::string text = print(module);
  EXPECT_EQ(text, "func f() {\n  local %x, %1, %x.2, %1.3: i32\n  %x = %1\n  %x.2 = %1.3\n}\n");
  EXPECT_EQ(read_back(text), text);
  EXPECT_EQ(parse(text)->functions[0].registers[1].name, "");
}

TEST(LowText, FloatsReadBackExactly) {
  for (uint32_t bits : {0x00000001u, 0x007fffffu, 0x00800000u, 0x3f800001u, 0x7f7fffffu, 0x7fc00000u,
                        0x7f800001u, 0xffc00000u, 0x80000000u, 0x15ae43fdu}) {
    Module module;
    module.functions.resize(1);
    Builder b(module.functions[0]);
    b.drop(b.f32(0));
    b.drop(b.v128_splat(bits));
    module.functions[0].exprs[0].immediate = bits;
    auto again = parse(print(module));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->functions[0].exprs[0].immediate, bits);
    EXPECT_EQ(again->functions[0].wide, module.functions[0].wide);
  }
}

TEST(LowText, RefusesWithAPlace) {
  auto error_of = [](std::string_view body) {
    auto module = parse(body);
    return module ? "no error" : module.error().message;
  };
  EXPECT_EQ(error_of("fun f() {}"), "line 1, column 1: expected 'func', found 'fun'");
  EXPECT_EQ(error_of("func f() {"), "line 1, column 11: a } is missing");
  EXPECT_EQ(error_of("func f(%x: i31) {}"), "line 1, column 12: 'i31' is no type of a register");
  EXPECT_EQ(error_of("func f(%x: i32, %x: i32) {}"), "line 1, column 17: there are two registers %x");
  EXPECT_EQ(error_of("func f() {}\nfunc f() {}"), "line 2, column 1: there are two functions f");
  EXPECT_EQ(error_of("func f() { %x = 1 }"), "line 1, column 12: there is no register %x");
  EXPECT_EQ(error_of("func f() { drop %x }"), "line 1, column 17: there is no register %x");
  EXPECT_EQ(error_of("func f() { drop f32.ad(1, 2) }"), "line 1, column 17: 'f32.ad' is no instruction");
  EXPECT_EQ(error_of("func f() { drop local.get(1) }"), "line 1, column 17: 'local.get' is no instruction");
  EXPECT_EQ(error_of("func f() { drop i32.add(1) }"), "line 1, column 26: expected ',', found ')'");
  EXPECT_EQ(error_of("func f() { drop 4294967296 }"),
            "line 1, column 17: 4294967296 is not from -2147483648 to 2147483647");
  EXPECT_EQ(error_of("func f() { drop f32.const(1.2.3) }"), "line 1, column 27: '1.2.3' is not a number");
  EXPECT_EQ(error_of("func f() { drop f32.const(bits 4294967296) }"),
            "line 1, column 32: '4294967296' are no 32 bits");
  EXPECT_EQ(error_of("func f() { br $x }"), "line 1, column 15: no label $x is around this branch");
  EXPECT_EQ(error_of("func f() { block $x { } br $x }"),
            "line 1, column 28: no label $x is around this branch");
  EXPECT_EQ(error_of("func f() { block $% { } }"), "line 1, column 19: a value's name is missing after %");
  EXPECT_EQ(error_of("func f() { call g() }"), "line 1, column 12: there is no function g");
  EXPECT_EQ(error_of("func f() { drop i32.load(0, align=3) }"),
            "line 1, column 29: an alignment is a power of two");
  EXPECT_EQ(error_of("func f() { drop i32.load(0, align=8) }"), "line 1, column 35: 8 is not from 1 to 4");
  EXPECT_EQ(error_of("func f() { drop i32.load(0, offset=-1) }"),
            "line 1, column 36: -1 is not from 0 to 4294967295");
  EXPECT_EQ(error_of("func f() { drop i32.load(0, lane=1) }"),
            "line 1, column 29: i32.load has no option 'lane'");
  EXPECT_EQ(error_of("func f(%v: v128) { drop f32x4.extract_lane(%v) }"),
            "line 1, column 25: f32x4.extract_lane needs lane=");
  EXPECT_EQ(error_of("func f(%v: v128) { drop f32x4.extract_lane(%v, lane=4) }"),
            "line 1, column 53: 4 is not from 0 to 3");
  EXPECT_EQ(error_of("func f(%v: v128) { drop i8x16.shuffle(%v, %v) }"),
            "line 1, column 25: i8x16.shuffle needs bytes=");
  std::string deep = "func f() { drop ";
  for (int i = 0; i < 2000; ++i) deep += "i32.eqz(";
  EXPECT_NE(error_of(deep).find("nested more than 256 deep"), std::string::npos);
}

TEST(LowInstructions, NamesReadBack) {
  for (size_t i = 0; i < kOpCount; ++i) {
    auto op = static_cast<Op>(i);
    EXPECT_EQ(op_of_name(name_of(op)), op) << name_of(op);
  }
  EXPECT_EQ(op_of_name("f32x4"), std::nullopt);
  EXPECT_EQ(op_of_name("zzz"), std::nullopt);
}

}  // namespace
}  // namespace fuselane::low
