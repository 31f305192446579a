// Schedules change nothing in what is computed: by default for each target, and by random legal moves.
#include <gtest/gtest.h>

#include "base/printer.h"
#include "loop/legality.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "loop/verify.h"
#include "schedule/schedule.h"
#include "tests/unit/schedule/cases.h"

namespace fuselane {
namespace {

using loop::Kernel;
using loop::Move;

TEST(Algorithms, ComputeTheFormula) {
  Rng rng(1);
  for (const std::string& text : exact_tasks()) {
    auto task = loop::parse_task(text);
    ASSERT_TRUE(task) << text << ": " << task.error().message;
    std::string algorithm = text.substr(0, text.find(' '));
    Kernel kernel = *plain_kernel(*task, algorithm);
    for (int i = 0; i < 12; ++i) {
      Case c = random_case(*task, rng);
      c.sizes_for(kernel, rng);
      EXPECT_EQ(c.run(kernel, rng, 1), expected(*task, c)) << text;
    }
  }
}

TEST(Defaults, ComputeTheFormulaInPieces) {
  Rng rng(2);
  for (const std::string& text : exact_tasks()) {
    loop::Task task = *loop::parse_task(text);
    for (SimdLevel level : {SimdLevel::None, SimdLevel::Baseline, SimdLevel::Relaxed}) {
      Kernel kernel = *replay(task, default_schedule(task, {.simd = level}));
      for (int i = 0; i < 12; ++i) {
        Case c = random_case(task, rng);
        c.sizes_for(kernel, rng);
        EXPECT_EQ(c.run(kernel, rng, 3), expected(task, c)) << text;
      }
    }
  }
}

std::vector<std::string> loops_of(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const loop::Loop& loop : loop::path_of(kernel, kernel.nests[0]))
    names.push_back(kernel[loop.symbol].name);
  return names;
}

Move random_move(const Kernel& kernel, Rng& rng, int number) {
  std::vector<std::string> loops = loops_of(kernel);
  std::string any = loops[rng.below(loops.size())];
  switch (rng.below(4)) {
    case 0: {
      auto tail = static_cast<loop::Tail>(rng.below(4));
      std::string outer = cat("x", number, "o");
      std::string inner = cat("x", number, "i");
      if (rng.below(4) == 0) return loop::split(any, cat("s", number), tail, outer, inner);
      constexpr int64_t kFactors[] = {1, 2, 3, 4, 4, 6, 8, 8, 16};
      return loop::split(any, kFactors[rng.below(std::size(kFactors))], tail, outer, inner);
    }
    case 1: {
      for (size_t i = loops.size(); i-- > 1;) std::swap(loops[i], loops[rng.below(i + 1)]);
      return loop::order(loops);
    }
    default: {
      // Often a loop that a vector could be made of.
      for (const loop::Loop& loop : kernel.nests[0].loops) {
        if (loop.extent == loop::Index(loop::kLanes) && rng.below(2) == 0) any = kernel[loop.symbol].name;
      }
      return loop::mark(static_cast<loop::Mark>(rng.below(6)), {any});
    }
  }
}

TEST(Moves, ChangeNothingInWhatIsComputed) {
  Rng rng(3);
  std::map<std::string, int> applied;
  for (int round = 0; round < 20; ++round) {
    for (const std::string& text : exact_tasks()) {
      loop::Task task = *loop::parse_task(text);
      Kernel kernel = *plain_kernel(task, text.substr(0, text.find(' ')));
      std::string schedule;
      for (int i = 0; i < 40; ++i) {
        Move move = random_move(kernel, rng, i);
        if (!apply(kernel, move)) continue;
        append(schedule, cat(text_of(move), "\n"));
        ++applied[move.kind == loop::MoveKind::Mark    ? std::string(text_of(move.mark))
                  : move.kind == loop::MoveKind::Split ? std::string(text_of(move.tail))
                                                       : "order"];
      }
      auto verified = loop::verify(kernel);
      ASSERT_TRUE(verified) << verified.error().message << "\n" << schedule << print(kernel);
      // Its text says the same.
      std::string printed = print(kernel);
      auto parsed = loop::parse_kernel(printed);
      ASSERT_TRUE(parsed) << parsed.error().message << "\n" << printed;
      ASSERT_EQ(print(*parsed), printed);
      ASSERT_TRUE(loop::verify(*parsed)) << printed;
      Case c = random_case(task, rng);
      c.sizes_for(kernel, rng);
      ASSERT_EQ(c.run(kernel, rng, 2), expected(task, c)) << text << "\n" << schedule;
      c.sizes_for(*parsed, rng);
      ASSERT_EQ(c.run(*parsed, rng, 1), expected(task, c)) << printed;
    }
  }
  // Every kind was met often enough to mean something.
  for (const char* kind : {"serial", "parallel", "call", "unroll", "vector", "partial", "exact", "rest",
                           "even", "padded", "order"}) {
    EXPECT_GT(applied[kind], 10) << kind;
  }
}

}  // namespace
}  // namespace fuselane
