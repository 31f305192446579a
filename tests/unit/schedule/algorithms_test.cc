// The plain loops of every family's algorithm compute the formula.
#include <gtest/gtest.h>

#include "base/printer.h"
#include "schedule/schedule.h"
#include "tests/support/kernel_cases/formula.h"
#include "tests/support/kernel_cases/run_loops.h"
#include "tests/support/kernel_cases/tasks.h"
#include "tests/support/random_rounds.h"

namespace fuselane {
namespace {

using loop::Task;

void expect_plain(const Task& task, Data data, Rng& rng) {
  SCOPED_TRACE(text_of(task));
  std::string text = text_of(task);
  std::string algorithm = text.substr(0, text.find(' '));
  Case c = random_case(task, data, rng);
  expect_right(task, c,
               [&](const Task& one) { return run_loops(plain_kernel(one, algorithm).value(), c, rng); });
  if (testing::Test::HasFailure()) FAIL() << c.text();
}

TEST(Algorithms, ComputeTheFormula) {
  Rng rng(random_seed(1));
  for (const Task& task : listed_task_values()) {
    ASSERT_NO_FATAL_FAILURE(expect_plain(task, Data::Integers, rng));
    ASSERT_NO_FATAL_FAILURE(expect_plain(task, Data::Specials, rng));
  }
  for (int i = 0; i < random_rounds(200); ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_plain(random_task(rng), Data::Specials, rng));
  }
}

}  // namespace
}  // namespace fuselane
