// What instructions give: known values of each family, from the specification's definitions; and how control,
// calls, memory and traps go. tests/node/emit.test.mjs compares all instructions with an engine.
#include "low/interpret.h"

#include "tests/unit/low/evaluate.h"

namespace fuselane::low {
namespace {

// Each pair of expressions has one value.
void expect_equal(std::string_view type, std::initializer_list<std::array<const char*, 2>> pairs) {
  for (auto [expression, expected] : pairs) {
    Evaluation want = evaluate(type, expected);
    EXPECT_EQ(want.error, "") << expected;
    EXPECT_EQ(evaluate(type, expression), want) << expression << " is not " << expected;
  }
}

TEST(Interpret, Integers) {
  expect_equal("i32", {{"i32.add(2147483647, 1)", "-2147483648"},
                       {"i32.sub(-2147483648, 1)", "2147483647"},
                       {"i32.mul(65537, 65537)", "131073"},
                       {"i32.div_s(-7, 2)", "-3"},
                       {"i32.div_u(-7, 2)", "2147483644"},
                       {"i32.rem_s(-7, 2)", "-1"},
                       {"i32.rem_s(-2147483648, -1)", "0"},
                       {"i32.rem_u(-7, 16)", "9"},
                       {"i32.shl(1, 33)", "2"},
                       {"i32.shr_s(-8, 1)", "-4"},
                       {"i32.shr_u(-8, 1)", "2147483644"},
                       {"i32.rotl(-2147483647, 1)", "3"},
                       {"i32.rotr(3, 33)", "-2147483647"},
                       {"i32.clz(1)", "31"},
                       {"i32.ctz(0)", "32"},
                       {"i32.popcnt(-1)", "32"},
                       {"i32.lt_s(-1, 0)", "1"},
                       {"i32.lt_u(-1, 0)", "0"},
                       {"i32.eqz(0)", "1"},
                       {"i32.extend8_s(255)", "-1"},
                       {"i32.extend16_s(32768)", "-32768"},
                       {"i32.wrap_i64(i64.const(4294967298))", "2"},
                       {"i64.ge_u(i64.const(-1), i64.const(1))", "1"},
                       {"select(5, 6, 0)", "6"}});
  expect_equal("i64", {{"i64.mul(i64.const(4294967297), i64.const(4294967297))", "i64.const(8589934593)"},
                       {"i64.shr_s(i64.const(-8), i64.const(65))", "i64.const(-4)"},
                       {"i64.extend_i32_s(-1)", "i64.const(-1)"},
                       {"i64.extend_i32_u(-1)", "i64.const(4294967295)"},
                       {"i64.extend32_s(i64.const(4294967295))", "i64.const(-1)"},
                       {"i64.clz(i64.const(1))", "i64.const(63)"}});
}

TEST(Interpret, Floats) {
  expect_equal("f32", {{"f32.add(f32.const(16777216), f32.const(1))", "f32.const(16777216)"},
                       {"f32.min(f32.const(0), f32.const(-0))", "f32.const(-0)"},
                       {"f32.max(f32.const(-0), f32.const(0))", "f32.const(0)"},
                       {"f32.nearest(f32.const(2.5))", "f32.const(2)"},
                       {"f32.nearest(f32.const(-0.5))", "f32.const(-0)"},
                       {"f32.trunc(f32.const(-1.5))", "f32.const(-1)"},
                       {"f32.ceil(f32.const(-0.5))", "f32.const(-0)"},
                       {"f32.sqrt(f32.const(2))", "f32.const(1.4142135)"},
                       {"f32.div(f32.const(1), f32.const(-0))", "f32.const(-inf)"},
                       {"f32.copysign(f32.const(1), f32.const(-0))", "f32.const(-1)"},
                       {"f32.neg(f32.const(bits 2141192193))", "f32.const(bits 4288675841)"},
                       {"f32.abs(f32.const(bits 4288675841))", "f32.const(bits 2141192193)"},
                       {"f32.convert_i32_s(16777217)", "f32.const(16777216)"},
                       {"f32.convert_i32_u(-1)", "f32.const(4294967296)"},
                       {"f32.convert_i64_u(i64.const(-1))", "f32.const(18446744073709551616)"},
                       {"f32.demote_f64(f64.const(1e300))", "f32.const(inf)"},
                       {"f32.reinterpret_i32(1)", "f32.const(1e-45)"}});
  expect_equal("f64", {{"f64.add(f64.const(0.1), f64.const(0.2))", "f64.const(0.30000000000000004)"},
                       {"f64.promote_f32(f32.const(0.1))", "f64.const(0.10000000149011612)"},
                       {"f64.convert_i64_s(i64.const(9007199254740993))", "f64.const(9007199254740992)"}});
  expect_equal("i32", {{"i32.trunc_f32_s(f32.const(-1.9))", "-1"},
                       {"i32.trunc_f64_s(f64.const(-2147483648.9))", "-2147483648"},
                       {"i32.trunc_f32_u(f32.const(-0.9))", "0"},
                       {"i32.trunc_sat_f32_s(f32.const(nan))", "0"},
                       {"i32.trunc_sat_f32_s(f32.const(1e20))", "2147483647"},
                       {"i32.trunc_sat_f32_u(f32.const(-5))", "0"},
                       {"i32.trunc_sat_f64_u(f64.const(4294967295.9))", "-1"},
                       {"f32.eq(f32.const(nan), f32.const(nan))", "0"},
                       {"f32.ne(f32.const(nan), f32.const(nan))", "1"},
                       {"f32.lt(f32.const(-0), f32.const(0))", "0"}});
}

constexpr const char* kRamp =
    "v128.const(i32x4, 50462976, 117835012, 185207048, 252579084)";  // bytes 0 to 15

TEST(Interpret, LanesOfIntegers) {
  std::string ramp = kRamp;
  auto of_ramp = [&](std::string_view op) { return cat(op, "(", ramp, ", ", ramp, ")"); };
  EXPECT_EQ(evaluate("v128", of_ramp("i8x16.add")),
            evaluate("v128", "i8x16.shl(" + ramp + ", 9)"));  // the count is taken modulo 8
  expect_equal(
      "v128",
      {{"i8x16.add_sat_s(i8x16.splat(100), i8x16.splat(100))", "i8x16.splat(127)"},
       {"i8x16.sub_sat_u(i8x16.splat(1), i8x16.splat(2))", "i8x16.splat(0)"},
       {"i8x16.abs(i8x16.splat(-128))", "i8x16.splat(-128)"},
       {"i8x16.avgr_u(i8x16.splat(1), i8x16.splat(2))", "i8x16.splat(2)"},
       {"i8x16.min_u(i8x16.splat(-1), i8x16.splat(1))", "i8x16.splat(1)"},
       {"i8x16.max_s(i8x16.splat(-1), i8x16.splat(1))", "i8x16.splat(1)"},
       {"i8x16.lt_u(i8x16.splat(1), i8x16.splat(-1))", "i8x16.splat(-1)"},
       {"i8x16.popcnt(i8x16.splat(15))", "i8x16.splat(4)"},
       {"i8x16.narrow_i16x8_s(i16x8.splat(300), i16x8.splat(-300))",
        "v128.const(i32x4, 2139062143, 2139062143, -2139062144, -2139062144)"},
       {"i8x16.narrow_i16x8_u(i16x8.splat(-1), i16x8.splat(255))", "v128.const(i32x4, 0, 0, -1, -1)"},
       {"i16x8.mul(i16x8.splat(-32768), i16x8.splat(3))", "i16x8.splat(-32768)"},
       {"i16x8.q15mulr_sat_s(i16x8.splat(-32768), i16x8.splat(-32768))", "i16x8.splat(32767)"},
       {"i16x8.extmul_low_i8x16_s(i8x16.splat(-128), i8x16.splat(-128))", "i16x8.splat(16384)"},
       {"i16x8.extmul_high_i8x16_u(i8x16.splat(-1), i8x16.splat(-1))", "i16x8.splat(65025)"},
       {"i16x8.extadd_pairwise_i8x16_u(i8x16.splat(-1))", "i16x8.splat(510)"},
       {"i32x4.dot_i16x8_s(i16x8.splat(-32768), i16x8.splat(-32768))", "i32x4.splat(-2147483648)"},
       {"i32x4.dot_i16x8_s(i16x8.splat(-3), i16x8.splat(5))", "i32x4.splat(-30)"},
       {"i32x4.mul(i32x4.splat(65537), i32x4.splat(65537))", "i32x4.splat(131073)"},
       {"i32x4.shr_s(i32x4.splat(-8), 33)", "i32x4.splat(-4)"},
       {"i32x4.extend_high_i16x8_s(v128.const(i32x4, 1, 2, -65535, 3))", "v128.const(i32x4, 1, -1, 3, 0)"},
       {"i64x2.extmul_low_i32x4_u(i32x4.splat(-1), i32x4.splat(-1))", "i64x2.splat(i64.const(-8589934591))"},
       {"i64x2.gt_s(i64x2.splat(i64.const(1)), i64x2.splat(i64.const(-1)))", "i32x4.splat(-1)"}});
}

TEST(Interpret, LanesOfFloats) {
  expect_equal(
      "v128",
      {{"f32x4.mul(v128.const(f32x4, 1, 2, 3, 4), f32x4.splat(f32.const(0.5)))",
        "v128.const(f32x4, 0.5, 1, 1.5, 2)"},
       {"f32x4.pmin(f32x4.splat(f32.const(0)), f32x4.splat(f32.const(-0)))", "f32x4.splat(f32.const(0))"},
       {"f32x4.min(f32x4.splat(f32.const(0)), f32x4.splat(f32.const(-0)))", "f32x4.splat(f32.const(-0))"},
       {"f32x4.pmax(f32x4.splat(f32.const(1)), f32x4.splat(f32.const(nan)))", "f32x4.splat(f32.const(1))"},
       {"f32x4.nearest(v128.const(f32x4, 0.5, 1.5, 2.5, -3.5))", "v128.const(f32x4, 0, 2, 2, -4)"},
       {"f32x4.lt(v128.const(f32x4, 1, 2, 3, 4), f32x4.splat(f32.const(2.5)))",
        "v128.const(i32x4, -1, -1, 0, 0)"},
       {"f32x4.convert_i32x4_u(i32x4.splat(-1))", "f32x4.splat(f32.const(4294967296))"},
       {"i32x4.trunc_sat_f32x4_u(v128.const(f32x4, -1, 1.9, 1e20, 3))", "v128.const(i32x4, 0, 1, -1, 3)"},
       {"f64x2.promote_low_f32x4(v128.const(f32x4, 1, -2, 3, 4))",
        "f64x2.replace_lane(f64x2.splat(f64.const(1)), f64.const(-2), lane=1)"},
       {"f32x4.demote_f64x2_zero(f64x2.splat(f64.const(1.5)))", "v128.const(f32x4, 1.5, 1.5, 0, 0)"},
       {"i32x4.trunc_sat_f64x2_s_zero(f64x2.splat(f64.const(-1e10)))",
        "v128.const(i32x4, -2147483648, -2147483648, 0, 0)"},
       {"f64x2.convert_low_i32x4_s(i32x4.splat(-3))", "f64x2.splat(f64.const(-3))"}});
}

TEST(Interpret, MovesLanes) {
  std::string ramp = kRamp;
  expect_equal("v128",
               {{"i8x16.shuffle(v128.const(i32x4, 0, 1, 2, 3), v128.const(i32x4, 4, 5, 6, 7), "
                 "bytes=[28, 29, 30, 31, 0, 1, 2, 3, 16, 17, 18, 19, 12, 13, 14, 15])",
                 "v128.const(i32x4, 7, 0, 4, 3)"},
                {"i32x4.replace_lane(i32x4.splat(1), 9, lane=2)", "v128.const(i32x4, 1, 1, 9, 1)"},
                {"v128.bitselect(i32x4.splat(12), i32x4.splat(10), i32x4.splat(6))", "i32x4.splat(12)"},
                {"v128.andnot(i32x4.splat(12), i32x4.splat(10))", "i32x4.splat(4)"},
                {"v128.not(i32x4.splat(0))", "i32x4.splat(-1)"}});
  EXPECT_EQ(evaluate("v128", cat("i8x16.swizzle(", ramp, ", i8x16.splat(16))")),
            evaluate("v128", "i8x16.splat(0)"));
  EXPECT_EQ(evaluate("i32", cat("i8x16.extract_lane_s(", ramp, ", lane=15)")), evaluate("i32", "15"));
  expect_equal("i32", {{"i16x8.extract_lane_s(i16x8.splat(-1), lane=7)", "-1"},
                       {"i16x8.extract_lane_u(i16x8.splat(-1), lane=7)", "65535"},
                       {"i32x4.bitmask(v128.const(i32x4, -1, 0, 0, -5))", "9"},
                       {"i8x16.all_true(i32x4.splat(1))", "0"},
                       {"v128.any_true(i32x4.splat(1))", "1"}});
}

TEST(Interpret, RelaxedAsTheStrictOnes) {
  // (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24 if rounded once, and 0 if the product is rounded first.
  const char* madd =
      "f32x4.relaxed_madd(f32x4.splat(f32.const(1.00024414)), f32x4.splat(f32.const(1.00024414)), "
      "f32x4.splat(f32.const(-1.00048828)))";
  EXPECT_EQ(evaluate("v128", madd, {.memory = {}}), evaluate("v128", "f32x4.splat(f32.const(5.9604645e-8))"));
  EXPECT_EQ(evaluate("v128", madd, {.memory = {}, .fused_madd = false}),
            evaluate("v128", "f32x4.splat(f32.const(0))"));
  expect_equal(
      "v128",
      {{"f64x2.relaxed_nmadd(f64x2.splat(f64.const(2)), f64x2.splat(f64.const(3)), "
        "f64x2.splat(f64.const(10)))",
        "f64x2.splat(f64.const(4))"},
       {"i16x8.relaxed_dot_i8x16_i7x16_s(i8x16.splat(-128), i8x16.splat(127))", "i16x8.splat(-32512)"},
       {"i32x4.relaxed_dot_i8x16_i7x16_add_s(i8x16.splat(-2), i8x16.splat(3), i32x4.splat(1))",
        "i32x4.splat(-23)"}});
}

TEST(Interpret, Memory) {
  std::vector<uint8_t> memory(32);
  for (size_t i = 0; i < 16; ++i) memory[i] = static_cast<uint8_t>(0xf8 + i);
  Interpretation how{.memory = memory};
  auto same = [&](std::string_view type, std::string_view load, std::string_view expected) {
    EXPECT_EQ(evaluate(type, load, how), evaluate(type, expected)) << load;
  };
  same("i32", "i32.load8_s(0)", "-8");
  same("i32", "i32.load8_u(0)", "248");
  same("i32", "i32.load16_s(2, offset=4)", "-2");
  same("i32", "i32.load(4)", "-66052");
  same("i64", "i64.load32_u(4)", "i64.const(4294901244)");
  same("v128", "v128.load8_splat(8)", "i8x16.splat(0)");
  same("v128", "v128.load32_zero(8)", "v128.const(i32x4, 50462976, 0, 0, 0)");
  same("v128", "v128.load8x8_s(8)", "v128.const(i32x4, 65536, 196610, 327684, 458758)");
  same("v128", "v128.load32_lane(8, i32x4.splat(7), lane=2)", "v128.const(i32x4, 7, 7, 50462976, 7)");
  EXPECT_EQ(run_text("func f() { v128.store16_lane(16, v128.load(0), lane=4, offset=2) }", how).error, "");
  EXPECT_EQ(memory[17], 0);
  EXPECT_EQ(memory[19], 1);
  EXPECT_EQ(memory[20], 0);
  EXPECT_EQ(run_text("func f() { i64.store16(30, i64.const(258)) }", how).error, "");
  EXPECT_EQ(memory[30], 2);
  EXPECT_EQ(memory[31], 1);
}

TEST(Interpret, Control) {
  auto value = [](std::string_view text) {
    Evaluation result = run_text(text);
    return result.error.empty() ? cat(result.value.as<int32_t>()) : result.error;
  };
  EXPECT_EQ(value("func f() -> i32 { local %i, %sum: i32 loop $next { %sum = i32.add(%sum, %i) "
                  "%i = i32.add(%i, 1) br_if $next i32.lt_s(%i, 10) } return %sum }"),
            "45");
  EXPECT_EQ(value("func f() -> i32 { local %x: i32 block $out { if 1 { %x = 1 br $out } %x = 5 } "
                  "return %x }"),
            "1");
  EXPECT_EQ(value("func f() -> i32 { if 0 { return 1 } else { return 2 } }"), "2");
  EXPECT_EQ(value("func f() -> i32 { if 1 { drop 7 } else { return 2 } return 3 }"), "3");
  EXPECT_EQ(value("func f() -> i32 { local %x: i32 if $0 1 { br $0 } else { %x = 3 } return %x }"), "0");
  EXPECT_EQ(value("func f() -> i32 { local %x: i32 if $0 1 { %x = 1 } else { if 1 { br $0 } } return %x }"),
            "1");
  EXPECT_EQ(value("func f() -> i32 { local %n: i32 loop $0 { loop $1 { %n = i32.add(%n, 1) br_if $0 "
                  "i32.lt_s(%n, 3) br_if $1 i32.lt_s(%n, 5) } } return %n }"),
            "5");
  EXPECT_EQ(value("func fib(%n: i32) -> i32 { if i32.lt_s(%n, 2) { return %n } return "
                  "i32.add(call fib(i32.sub(%n, 1)), call fib(i32.sub(%n, 2))) } "
                  "func f() -> i32 { return call fib(15) }"),
            "610");
}

TEST(Interpret, Traps) {
  std::vector<uint8_t> memory(16);
  auto error = [&](std::string_view body) {
    return run_text(cat("func f() { ", body, " }"), {.memory = memory, .fuel = 100000}).error;
  };
  EXPECT_EQ(error("i32.store(0, 7) v128.store(1, v128.load(0))"),
            "'f', statement 1: v128.store of 16 bytes at 1, memory has 16");
  EXPECT_EQ(memory[0], 7);
  EXPECT_EQ(error("drop i32.load(-1, offset=4294967295)"),
            "'f', statement 0: i32.load of 4 bytes at 8589934590, memory has 16");
  EXPECT_EQ(error("drop i32.div_u(1, 0)"), "'f', statement 0: a division by zero");
  EXPECT_EQ(error("drop i64.rem_s(i64.const(1), i64.const(0))"), "'f', statement 0: a division by zero");
  EXPECT_EQ(error("drop i32.div_s(-2147483648, -1)"), "'f', statement 0: a quotient that does not fit");
  const char* no_fit = "'f', statement 0: a conversion of a number that does not fit";
  EXPECT_EQ(error("drop i32.trunc_f32_s(f32.const(2147483648))"), no_fit);
  EXPECT_EQ(error("drop i32.trunc_f64_s(f64.const(2147483648))"), no_fit);
  EXPECT_EQ(error("drop i64.trunc_f64_u(f64.const(-1))"), no_fit);
  EXPECT_EQ(error("drop i32.trunc_f32_u(f32.const(nan))"), no_fit);
  EXPECT_EQ(error("unreachable"), "'f', statement 0: unreachable");
  EXPECT_EQ(error("loop $0 { br $0 }"), "'f', statement 1: no fuel is left");
  EXPECT_EQ(error("call f()"), "'f', statement 0: calls are nested too deep");
  // What stands after the trap does not happen, not even within the statement.
  EXPECT_EQ(run_text("func put(%x: i32) -> i32 { i32.store(0, %x) return %x } "
                     "func f() -> i32 { return i32.add(i32.div_s(1, 0), call put(9)) }",
                     {.memory = memory})
                .error,
            "'f', statement 0: a division by zero");
  EXPECT_EQ(memory[0], 7);
}

}  // namespace
}  // namespace fuselane::low
