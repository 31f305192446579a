// Default schedules are legal for every family, target and form of a task, and their texts replay.
#include <gtest/gtest.h>

#include "loop/legality.h"
#include "schedule/schedule.h"
#include "tests/support/kernel_cases/tasks.h"

namespace fuselane {
namespace {

// As a list of tasks that are tested must, and whose modules' bytes are kept.
TEST(Defaults, ListHasEveryWord) {
  std::string all;
  for (const std::string& text : listed_tasks()) all += text + " ";
  auto expect_word = [&](std::string_view word) {
    EXPECT_NE(all.find(" " + std::string(word) + " "), all.npos) << word << " is in none of the listed tasks";
  };
#define FUNCTION(id, text, operands) expect_word(text);
#include "loop/functions.def"
#undef FUNCTION
#define ACTIVATION(id, text, meaning) \
  if (ActivationKind::id != ActivationKind::None) expect_word(text);
#include "types/activation.def"
#undef ACTIVATION
#define COMBINE(id, text) expect_word("reduce " text);
#include "loop/words.def"
  for (char tail = '0'; tail <= '7'; ++tail) expect_word(std::string("tail ") + tail);
}

TEST(Defaults, AreLegalAndReplayFromText) {
  for (const std::string& text : listed_tasks()) {
    auto task = loop::parse_task(text);
    ASSERT_TRUE(task) << text << ": " << task.error().message;
    EXPECT_EQ(loop::text_of(*task), text);
    for (const Target& target : all_targets()) {
      loop::Schedule schedule = default_schedule(*task, target);
      auto kernel = replay(*task, schedule);
      ASSERT_TRUE(kernel) << text << ": " << kernel.error().message;
      EXPECT_LE(loop::live_vectors(*kernel), 15) << text;
      auto parsed = loop::parse_schedule(loop::text_of(schedule));
      ASSERT_TRUE(parsed) << parsed.error().message;
      EXPECT_EQ(*parsed, schedule);
    }
  }
}

TEST(Defaults, OfProductsFillTheRegisters) {
  auto live = [](SimdLevel level, const char* text) {
    loop::Task task = *loop::parse_task(text);
    return loop::live_vectors(*replay(task, default_schedule(task, {.simd = level})));
  };
  EXPECT_EQ(live(SimdLevel::Relaxed, "matmul tail 0"), 15);  // 6 by 2, a row of weights, one element
  EXPECT_EQ(live(SimdLevel::Baseline, "matmul tail 0"), 11);
}

TEST(Replay, DeclinesWithTheMove) {
  loop::Task task = *loop::parse_task("reduce add contiguous");
  auto kernel = replay(task, {"reduce", {loop::mark(loop::Mark::Parallel, {"k"})}});
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message,
            "move 'parallel k' is declined: loop k sums up, and so cannot be parallel");
  EXPECT_FALSE(replay(task, {"matmul", {}}));
}

}  // namespace
}  // namespace fuselane
