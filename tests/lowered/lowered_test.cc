// Default schedules of all kinds of tasks, as loops and lowered for every SIMD level: what comes out is what
// the task's formula says, in any pieces of the range, and nothing else is read or written.
#include <gtest/gtest.h>

#include <map>

#include "base/printer.h"
#include "schedule/schedule.h"
#include "tests/lowered/lowered.h"
#include "tests/support/kernel_cases/formula.h"
#include "tests/support/kernel_cases/run_loops.h"
#include "tests/support/kernel_cases/tasks.h"
#include "tests/support/random_rounds.h"

namespace fuselane {
namespace {

using loop::Kernel;
using loop::Task;

// Default schedules for a target, each lowered once.
class Defaults {
 public:
  explicit Defaults(const Target& target) : target_(target) {}

  const Lowered& of(const Task& task) {
    auto at = made_.find(text_of(task));
    if (at == made_.end()) {
      Kernel kernel = replay(task, default_schedule(task, target_)).value();
      at = made_.emplace(text_of(task), lowered(std::move(kernel), target_).value()).first;
    }
    return at->second;
  }

 private:
  Target target_;
  std::map<std::string, Lowered> made_;
};

void expect_task(const Task& task, int cases, Rng& rng) {
  SCOPED_TRACE(text_of(task));
  std::vector<Defaults> defaults(all_targets().begin(), all_targets().end());
  for (int i = 0; i < cases; ++i) {
    Case c = random_case(task, i == 0 ? Data::Integers : Data::Specials, rng);
    for (size_t t = 0; t < defaults.size(); ++t) {
      const Target& target = all_targets()[t];
      SCOPED_TRACE(text_of(target));
      auto loops = [&](const Task& one) { return run_loops(defaults[t].of(one).kernel, c, rng); };
      bool is_new = t == 0 || default_schedule(task, target) != default_schedule(task, all_targets()[t - 1]);
      if (is_new) expect_right(task, c, loops);
      for (bool fused : {true, false}) {
        if (!fused && target.simd != SimdLevel::Relaxed) continue;
        auto instructions = [&](const Task& one) { return run_lowered(defaults[t].of(one), c, fused, rng); };
        expect_right(task, c, instructions, fused && target.simd == SimdLevel::Relaxed);
      }
      if (testing::Test::HasFailure()) FAIL() << c.text();
    }
  }
}

TEST(Lowered, ListedTasksAreRight) {
  Rng rng(random_seed(7));
  for (const Task& task : listed_task_values()) {
    ASSERT_NO_FATAL_FAILURE(expect_task(task, random_rounds(3), rng));
  }
}

TEST(Lowered, RandomTasksAreRight) {
  Rng rng(random_seed(8));
  for (int i = 0; i < random_rounds(80); ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_task(random_task(rng), 2, rng));
  }
}

}  // namespace
}  // namespace fuselane
