// What the builder folds, and that what it builds is right.
#include "low/build.h"

#include <gtest/gtest.h>

#include "low/print.h"
#include "low/verify.h"

namespace fuselane::low {
namespace {

// The text of the last set of a function of one i32, %x, that `build` gives the value of.
template <class Build>
std::string text_of(Build build) {
  Module module;
  module.functions.resize(1);
  module.functions[0].name = "f";
  Builder b(module.functions[0]);
  RegisterId x = b.parameter(Type::I32, "x");
  b.set(x, build(b, x));
  auto status = verify(module);
  EXPECT_TRUE(status) << status.error().message;
  std::string text = print(module);
  size_t start = text.find(" = ") + 3;
  return text.substr(start, text.find('\n', start) - start);
}

TEST(LowBuild, FoldsConstants) {
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.add(x, b.i32(0)); }), "%x");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.add(b.i32(0), x); }), "%x");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.add(b.i32(3), x); }), "i32.add(%x, 3)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId) { return b.add(b.i32(3), b.i32(4)); }), "7");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.add(b.add(x, b.i32(3)), b.i32(4)); }),
            "i32.add(%x, 7)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.add(x, x); }), "i32.add(%x, %x)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.sub(x, b.i32(3)); }), "i32.add(%x, -3)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.sub(b.i32(3), x); }), "i32.sub(3, %x)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId) { return b.sub(b.i32(3), b.i32(4)); }), "-1");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.sub(x, b.i32(INT32_MIN)); }),
            "i32.add(%x, -2147483648)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.mul(x, b.i32(1)); }), "%x");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.mul(b.i32(0), x); }), "0");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.mul(x, b.i32(16)); }), "i32.shl(%x, 4)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.mul(x, b.i32(12)); }), "i32.mul(%x, 12)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId) { return b.mul(b.i32(-3), b.i32(4)); }), "-12");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.mul(x, b.i32(INT32_MIN)); }), "i32.shl(%x, 31)");
  EXPECT_EQ(text_of([](Builder& b, RegisterId) { return b.shl(b.i32(3), 4); }), "48");
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.shl(x, 0); }), "%x");
}

TEST(LowBuild, KeepsLoadsOfProductsWithZero) {
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) { return b.mul(b.load(Op::I32Load, x), b.i32(0)); }),
            "i32.mul(i32.load(%x), 0)");
}

TEST(LowBuild, LeavesAlignmentAtFourBytes) {
  EXPECT_EQ(text_of([](Builder& b, RegisterId x) {
              b.store(Op::V128Store, x, b.load(Op::V128Load, x, 16), 4);
              EXPECT_EQ(b.function().exprs.back().alignment, 2);
              return b.load(Op::I32Load8U, x);
            }),
            "i32.load8_u(%x)");
}

TEST(LowBuild, ShufflesBytesAndLanes) {
  Function function;
  Builder b(function);
  RegisterId v = b.reg(Type::V128);
  b.set(v, b.shuffle_32({1, 0, 7, 2}, v, v));
  EXPECT_EQ(function.wide[0], (V128{4, 5, 6, 7, 0, 1, 2, 3, 28, 29, 30, 31, 8, 9, 10, 11}));
}

}  // namespace
}  // namespace fuselane::low
