// Each thing that must hold of a module, broken once.
#include "low/verify.h"

#include <gtest/gtest.h>

#include "base/printer.h"
#include "low/build.h"
#include "low/parse.h"

namespace fuselane::low {
namespace {

std::string said(const Status& status) { return status ? "nothing" : status.error().message; }

std::string said_of_text(std::string_view text, Feature most = Feature::RelaxedSimd) {
  auto module = parse(text);
  return module ? said(verify(*module, most)) : module.error().message;
}

// After `change` of a function that is right: f(x: i32, v: v128) -> i32 with a loop, an access, a call of
// itself.
template <class Change>
std::string said_after(Change change) {
  Module module = *parse(R"(
    func f(%x: i32, %v: v128) -> i32 {
      loop $0 {
        v128.store32_lane(%x, %v, lane=3)
        %v = i8x16.shuffle(%v, %v, bytes=[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15])
        br_if $0 i32.eqz(call f(%x, %v))
      }
      return i32.add(%x, 1)
    })");
  EXPECT_EQ(said(verify(module)), "nothing");
  change(module.functions[0]);
  return said(verify(module));
}

Expr& first(Function& function, Op op) {
  for (Expr& expr : function.exprs) {
    if (expr.op == op) return expr;
  }
  ADD_FAILURE() << "no such instruction";
  return function.exprs[0];
}

TEST(LowVerify, Registers) {
  EXPECT_EQ(said_after([](Function& f) { f.parameters = 9; }),
            "low function 'f', statement 0: more parameters than registers");
  EXPECT_EQ(said_after([](Function& f) { f.registers[1] = {Type::None, "y"}; }),
            "low function 'f', statement 0: register 'y' has no type");
  EXPECT_EQ(said_after([](Function& f) { f.registers.resize(50001); }),
            "low function 'f', statement 0: 50001 registers");
  EXPECT_EQ(said_after([](Function& f) { f.body[2].reg = RegisterId(7); }),
            "low function 'f', statement 2: there is no register 7");
  EXPECT_EQ(said_after([](Function& f) { f.body[2].reg = {}; }),
            "low function 'f', statement 2: a register is missing or not wanted");
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::LocalGet).immediate = 2; }),
            "low function 'f', statement 1: local.get of register 2, which there is not");
}

TEST(LowVerify, Functions) {
  Module twice;
  twice.functions.resize(2);
  EXPECT_EQ(said(verify(twice)), "two low functions are named ''");
  EXPECT_EQ(said_after([](Function& f) { f.calls[0].callee = FunctionId(1); }),
            "low function 'f', statement 3: a call of a function that there is not");
  EXPECT_EQ(said_after([](Function& f) { f.calls[0].arguments.pop_back(); }),
            "low function 'f', statement 3: 'f' is called with 1 arguments, not 2");
  EXPECT_EQ(said_after([](Function& f) { std::swap(f.calls[0].arguments[0], f.calls[0].arguments[1]); }),
            "low function 'f', statement 3: argument 0 of 'f' is v128, not i32");
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::Call).immediate = 1; }),
            "low function 'f', statement 3: call of call site 1, which there is not");
}

TEST(LowVerify, Types) {
  EXPECT_EQ(said_of_text("func f() { drop f32.add(f32.const(1), 2) }"),
            "low function 'f', statement 0: operand 1 of f32.add is i32, not f32");
  EXPECT_EQ(said_of_text("func f() { drop select(f32.const(1), 2, 3) }"),
            "low function 'f', statement 0: operand 1 of select is i32, not f32");
  EXPECT_EQ(said_of_text("func f() { drop select(2, 3, f32.const(1)) }"),
            "low function 'f', statement 0: operand 2 of select is f32, not i32");
  EXPECT_EQ(said_of_text("func f(%x: f32) { %x = 1 }"),
            "low function 'f', statement 0: the expression is i32, not f32");
  EXPECT_EQ(said_of_text("func f() -> f32 { return 1 }"),
            "low function 'f', statement 0: the expression is i32, not f32");
  EXPECT_EQ(said_of_text("func f() { i32.add(1, 2) }"),
            "low function 'f', statement 0: the expression is i32, not none");
  EXPECT_EQ(said_of_text("func f() { drop call f() }"),
            "low function 'f', statement 0: the expression is none, not any");
  EXPECT_EQ(said_of_text("func f() { if f32.const(1) { } }"),
            "low function 'f', statement 0: the expression is f32, not i32");
}

TEST(LowVerify, Expressions) {
  EXPECT_EQ(said_after([](Function& f) { f.body[3].expr = f.body[2].expr; }),
            cat("low function 'f', statement 3: expression ", 5, " has two users"));
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::I32Eqz).operands[0] = ExprId(99); }),
            "low function 'f', statement 3: there is no expression 99");
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::I32Eqz).operands[0] = f.body[3].expr; }),
            "low function 'f', statement 3: expression 9 has two users");
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::I32Eqz).operands[0] = {}; }),
            "low function 'f', statement 3: i32.eqz has a wrong number of operands");
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::I32Eqz).operands[1] = ExprId(0); }),
            "low function 'f', statement 3: i32.eqz has a wrong number of operands");
  EXPECT_EQ(said_after([](Function& f) { f.body[2].expr = {}; }),
            "low function 'f', statement 2: an expression is missing or not wanted");
  EXPECT_EQ(said_after([](Function& f) { f.body[4].expr = ExprId(0); }),
            "low function 'f', statement 4: an expression is missing or not wanted");
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::I32Eqz).op = static_cast<Op>(kOpCount); }),
            "low function 'f', statement 3: there is no such instruction");
  EXPECT_EQ(said_after([](Function& f) {
              Builder b(f);
              ExprId deep = b.i32(1);
              for (int i = 0; i < 257; ++i) deep = b.op(Op::I32Eqz, deep);
              f.body[5].expr = deep;
            }),
            "low function 'f', statement 5: expressions are nested more than 256 deep");
}

TEST(LowVerify, Immediates) {
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::V128Store32Lane).lane = 4; }),
            "low function 'f', statement 1: v128.store32_lane with lane 4, which there is not");
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::V128Store32Lane).alignment = 3; }),
            "low function 'f', statement 1: v128.store32_lane with an alignment above its width");
  EXPECT_EQ(said_after([](Function& f) { f.wide[0][3] = 32; }),
            "low function 'f', statement 2: a shuffle with byte 32, of 32");
  EXPECT_EQ(said_after([](Function& f) { first(f, Op::I8x16Shuffle).immediate = 1; }),
            "low function 'f', statement 2: i8x16.shuffle of bytes 1, which there is not");
}

TEST(LowVerify, Nesting) {
  EXPECT_EQ(said_after([](Function& f) { f.body.erase(f.body.begin() + 4); }),
            "low function 'f', statement 5: a block, loop or if has no end");
  EXPECT_EQ(said_after([](Function& f) { f.body.push_back({.kind = StatementKind::End}); }),
            "low function 'f', statement 6: an end of nothing");
  EXPECT_EQ(said_after([](Function& f) { f.body[4].kind = StatementKind::Else; }),
            "low function 'f', statement 4: an else without its if");
  EXPECT_EQ(said_after([](Function& f) { f.body[3].label = {}; }),
            "low function 'f', statement 3: a branch to a label that is not around it");
  EXPECT_EQ(said_after([](Function& f) { f.labels = 0; }),
            "low function 'f', statement 0: there is no label 0");
  EXPECT_EQ(said_after([](Function& f) {
              f.body.insert(f.body.begin(), {.kind = StatementKind::Block, .label = LabelId(0)});
            }),
            "low function 'f', statement 1: label 0 stands twice");
}

TEST(LowVerify, Features) {
  std::string_view relaxed = "func f(%v: v128) { %v = f32x4.relaxed_madd(%v, %v, %v) }";
  EXPECT_EQ(said_of_text(relaxed), "nothing");
  EXPECT_EQ(said_of_text(relaxed, Feature::Simd),
            "low function 'f', statement 0: f32x4.relaxed_madd is not in the features that may be used");
  EXPECT_EQ(said_of_text("func f() { drop i32.extend8_s(1) }", Feature::Mvp),
            "low function 'f', statement 0: i32.extend8_s is not in the features that may be used");
  EXPECT_EQ(said_of_text("func f() { drop i32.extend8_s(1) }", Feature::SignExtension), "nothing");
}

TEST(LowVerify, ResultsOnAllPaths) {
  constexpr std::string_view kReached = "the end is reached without a result";
  auto result = [](std::string_view body) {
    std::string text = said_of_text(cat("func f(%x: i32) -> i32 { ", body, " }"));
    return text.substr(text.find(": ") + (text == "nothing" ? 1 : 2));
  };
  EXPECT_EQ(result(""), kReached);
  EXPECT_EQ(result("if %x { return 1 }"), kReached);
  EXPECT_EQ(result("if %x { return 1 } else { }"), kReached);
  EXPECT_EQ(result("if %x { return 1 } else { return 2 }"), "nothing");
  EXPECT_EQ(result("if %x { return 1 } else { unreachable }"), "nothing");
  EXPECT_EQ(result("loop $0 { br $0 }"), "nothing");
  EXPECT_EQ(result("loop $0 { br_if $0 %x }"), kReached);
  EXPECT_EQ(result("block $0 { loop $1 { br_if $0 %x br $1 } }"), kReached);
  EXPECT_EQ(result("block $0 { return 1 br $0 }"), "nothing");
  EXPECT_EQ(result("if $0 %x { br $0 } else { return 1 }"), kReached);
}

}  // namespace
}  // namespace fuselane::low
