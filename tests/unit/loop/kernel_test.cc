// Indices simplified by what is known of their symbols; the interpreter's errors; tasks as text.
#include "loop/kernel.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "loop/evaluate.h"
#include "loop/interpret.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "loop/task.h"

namespace fuselane::loop {
namespace {

TEST(Index, QuotientsAreSimplifiedByBounds) {
  Kernel kernel;
  SymbolId n = kernel.size("n");
  SymbolId j = kernel.variable("j");
  SymbolId i = kernel.variable("i", 8);
  Index place = Index(8) * j + i;
  EXPECT_EQ(kernel.quotient(place, 8), Index(j));
  EXPECT_EQ(kernel.remainder(place, 8), Index(i));
  EXPECT_EQ(kernel.quotient(Index(8) * n + 7, 8), Index(n));
  EXPECT_EQ(kernel.quotient(Index(8) * n + 10, 8), Index(n) + 1);
  EXPECT_EQ(kernel.remainder(Index(8) * n - 3, 8), Index(5));
  EXPECT_EQ(kernel.quotient(Index(n) * j, n), Index(j));
  EXPECT_EQ(kernel.minimum(i, 7), Index(i));
  EXPECT_EQ(kernel.minimum(Index(n) + 3, n), Index(n));
  EXPECT_EQ(print(kernel, kernel.quotient(place, 16)), "((8*j + i) / 16)");
  EXPECT_EQ(print(kernel, kernel.minimum(i, n)), "min(i, n)");
  // Made once.
  size_t symbols = kernel.symbols.size();
  EXPECT_EQ(kernel.quotient(place, 16), kernel.quotient(place, 16));
  EXPECT_EQ(kernel.symbols.size(), symbols);
}

TEST(Index, SubstitutionReachesDefinitions) {
  Kernel kernel;
  SymbolId j = kernel.variable("j");
  SymbolId outer = kernel.variable("outer");
  SymbolId inner = kernel.variable("inner", 8);
  Index quotient = kernel.quotient(j, 8);
  EXPECT_TRUE(kernel.depends(quotient, j));
  EXPECT_EQ(kernel.substitute(quotient * 3 + 1, j, Index(8) * outer + inner), Index(3) * outer + 1);
}

// Whatever is simplified has the value of what it was.
TEST(Index, SimplifiedIsEqual) {
  Rng rng(4);
  for (int round = 0; round < 2000; ++round) {
    Kernel kernel;
    SymbolId x = kernel.size("x");
    SymbolId y = kernel.variable("y", 6);
    std::vector<int64_t> values = {rng.between(0, 40), rng.between(0, 5)};
    auto coefficient = [&] { return rng.between(0, 9); };
    Index a = Index(coefficient()) * x + Index(coefficient()) * y + Index(coefficient());
    Index b = rng.between(1, 9);
    if (rng.below(4) == 0) a = a - Index(rng.between(0, 3)) * y;
    int64_t number = evaluate(kernel, a, values);
    int64_t divisor = b.constant();
    if (number < 0) continue;
    Index quotient = kernel.quotient(a, b);
    Index remainder = kernel.remainder(a, b);
    Index minimum = kernel.minimum(a, Index(x) * 2 + 5);
    values.resize(kernel.symbols.size());
    EXPECT_EQ(evaluate(kernel, quotient, values), number / divisor);
    EXPECT_EQ(evaluate(kernel, remainder, values), number % divisor);
    EXPECT_EQ(evaluate(kernel, minimum, values), std::min(number, values[0] * 2 + 5));
  }
}

constexpr const char* kRows = R"(kernel "rows" {
  size rows, columns
  memory x f32 strides [columns, 1]
  memory y i32 written strides [1]
  nest "bits" {
    for i in rows parallel
    store y[i] = xor(as_int(x[i, 1]), i32 -1)
  }
}
)";

TEST(Interpret, RunsARangeOnly) {
  Kernel kernel = *parse_kernel(kRows);
  EXPECT_EQ(print(kernel), kRows);
  std::vector<float> x = {0, 1, 0, 2, 0, 3};
  std::vector<int32_t> y(3);
  Arguments arguments{{std::span<float>(x), std::span<int32_t>(y)}, {3, 2}};
  EXPECT_EQ(parallel_extent(kernel, arguments.sizes), 3);
  ASSERT_TRUE(interpret(kernel, arguments, 1, 2));
  EXPECT_EQ(y, (std::vector<int32_t>{0, ~0x40000000, 0}));
}

TEST(Interpret, SaysWhatIsWrong) {
  Kernel kernel = *parse_kernel(kRows);
  std::vector<float> x = {0, 1};
  std::vector<int32_t> y(3);
  auto message = [&](const Arguments& arguments, int64_t end) {
    auto status = interpret(kernel, arguments, 0, end);
    return status ? "" : status.error().message;
  };
  std::span<float> xs(x);
  std::span<int32_t> ys(y);
  EXPECT_EQ(message({{xs, ys}, {3, 2}}, 3), "element 3 of buffer x, which has 2");
  EXPECT_EQ(message({{xs, ys}, {1, 2}}, 2), "the range 0 to 2 is not within the kernel's 1 iterations");
  EXPECT_EQ(message({{xs, ys}, {1}}, 1), "kernel rows has 2 sizes, not 1");
  EXPECT_EQ(message({{xs, xs}, {1, 2}}, 1), "there is no argument for buffer y");
  EXPECT_EQ(message({{xs, ys, ys}, {1, 2}}, 1), "there are more arguments than buffers");
}

// What a register holds goes from one nest to the next.
TEST(Interpret, RegistersLastAnIteration) {
  Kernel kernel = *parse_kernel(R"(kernel "mean" {
    size rows, columns
    memory x f32 strides [columns, 1]
    register m f32 written
    memory y f32 written strides [columns, 1]
    outer for i in rows parallel
    nest "most" {
      for k sums columns
      reduce max from -inf
      term x[i, k]
      store m = result
    }
    nest "less" {
      for j in columns
      store y[i, j] = sub(x[i, j], m)
    }
  })");
  std::vector<float> x = {1, 5, 2, 9, 7, 8};
  std::vector<float> y(6);
  ASSERT_TRUE(interpret(kernel, {{std::span<float>(x), std::span<float>(y)}, {2, 3}}));
  EXPECT_EQ(y, (std::vector<float>{-4, 0, -3, 0, -2, -1}));
}

TEST(Task, TextsThatAreNone) {
  for (const char* text :
       {"", "matmul", "matmul tail 8", "matmul tail 0 finish activate 0 gelu", "map outer 0 strides steps",
        "map outer 0 strides 2 steps", "map outer 0 strides 1 steps add 0 1", "map outer 9 strides 1 steps",
        "reduce sum contiguous", "reduce add", "reduce add strided finish wish 0",
        "matmul tail 0 one_row one_row"}) {
    auto task = parse_task(text);
    ASSERT_FALSE(task) << text;
    EXPECT_EQ(task.error().code, ErrorCode::InvalidText) << text;
  }
}

}  // namespace
}  // namespace fuselane::loop
