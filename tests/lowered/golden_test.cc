// The bytes of the listed tasks' modules, by their default schedules at every SIMD level, are those of
// tests/golden/kernels.txt: a change that is meant to leave generated code as it is shows that it does.
// Kernels that were printed and read again give the same.
#include <gtest/gtest.h>

#include "base/printer.h"
#include "emit/emit.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "schedule/schedule.h"
#include "tests/lowered/lowered.h"
#include "tests/support/golden.h"
#include "tests/support/kernel_cases/tasks.h"

namespace fuselane {
namespace {

TEST(Golden, BytesOfKernels) {
  std::string lines;
  for (const loop::Task& task : listed_task_values()) {
    for (const Target& target : all_targets()) {
      auto made = lowered(replay(task, default_schedule(task, target)).value(), target);
      ASSERT_TRUE(made) << made.error().message;
      const auto bytes = emit(made->module);
      append(lines, golden_line(cat(text_of(task), ": ", text_of(target.simd)), bytes));
      auto read = lowered(loop::parse_kernel(print(made->kernel)).value(), target);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(emit(read->module), bytes) << print(made->kernel);
    }
  }
  expect_golden("tests/golden/kernels.txt", lines);
}

}  // namespace
}  // namespace fuselane
