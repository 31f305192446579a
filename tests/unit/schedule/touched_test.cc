// What kernels touch is what the cases of tests bring, which end with the last element that may be touched,
// under the default schedules and under random ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "loop/evaluate.h"
#include "loop/interpret.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "schedule/schedule.h"
#include "tests/support/kernel_cases/cases.h"
#include "tests/support/kernel_cases/random_move.h"
#include "tests/support/kernel_cases/tasks.h"
#include "tests/support/random_rounds.h"

namespace fuselane {
namespace {

// Up to the last element, when a buffer has these extents.
int64_t elements(const loop::Kernel& kernel, const loop::Buffer& buffer, const std::vector<int64_t>& extents,
                 const std::vector<int64_t>& sizes) {
  if (std::ranges::contains(extents, 0)) return 0;
  std::vector<int64_t> values(kernel.symbols.size());
  size_t next = 0;
  for (loop::SymbolId size : loop::sizes_of(kernel)) values[size.index] = sizes[next++];
  int64_t last = 0;
  for (size_t d = 0; d < extents.size(); ++d)
    last += (extents[d] - 1) * loop::evaluate(kernel, buffer.strides[d], values);
  return last + 1;
}

void expect_touched(const loop::Task& task, const loop::Kernel& kernel, Rng& rng) {
  Case c = random_case(task, Data::Integers, rng);
  if (c.buffers.back().empty()) return;  // operands may then be there that nothing reads
  const std::vector<int64_t> sizes = c.sizes_for(kernel, rng);
  auto found = loop::extents_touched(kernel, sizes);
  ASSERT_TRUE(found) << found.error().message;
  for (size_t b = 0; b < c.buffers.size(); ++b) {
    const loop::Buffer& buffer = kernel.buffers[b];
    // Not where steps drop an operand; one element without dimensions is there anyway.
    bool is_used = buffer.strides.empty() || print(kernel).contains(buffer.name + "[");
    ASSERT_EQ(elements(kernel, buffer, (*found)[b], sizes),
              is_used ? static_cast<int64_t>(c.buffers[b].size()) : 0)
        << loop::text_of(task) << "\n"
        << c.text() << "\n"
        << print(kernel);
  }
}

TEST(Touched, IsWhatTasksBring) {
  Rng rng(random_seed(1));
  for (const loop::Task& task : listed_task_values()) {
    for (const Target& target : all_targets()) {
      loop::Kernel kernel = replay(task, default_schedule(task, target)).value();
      for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(expect_touched(task, kernel, rng));
    }
  }
  for (int i = 0; i < random_rounds(200); ++i) {
    loop::Task task = random_task(rng);
    ASSERT_NO_FATAL_FAILURE(expect_touched(task, random_schedule(task, rng).kernel, rng));
  }
}

}  // namespace
}  // namespace fuselane
