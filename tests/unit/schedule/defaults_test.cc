// Default schedules are legal for every family, target and form of a task, and their texts replay.
#include <gtest/gtest.h>

#include "loop/legality.h"
#include "schedule/schedule.h"

namespace fuselane {
namespace {

const char* const kTasks[] = {
    "matmul tail 0",
    "matmul tail 3 then clamp 0 6",
    "matmul tail 7 one_row then gelu 0 0",
    "map outer 0 strides 1 steps activate 0 clamp 0 inf",
    "map outer 2 strides 1 0 steps add 0 1",
    "map outer 1 strides 1 1 steps exp 0, mul 2 1",
    "reduce add contiguous prologue square 0 finish sqrt 0",
    "reduce max strided",
};

TEST(Defaults, AreLegalAndReplayFromText) {
  for (const char* text : kTasks) {
    auto task = loop::parse_task(text);
    ASSERT_TRUE(task) << text << ": " << task.error().message;
    EXPECT_EQ(loop::text_of(*task), text);
    for (SimdLevel level : {SimdLevel::None, SimdLevel::Baseline, SimdLevel::Relaxed}) {
      loop::Schedule schedule = default_schedule(*task, {.simd = level});
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
