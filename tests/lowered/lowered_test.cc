// Default schedules of all kinds of tasks, lowered for every SIMD level: the instructions, interpreted, give
// what the task's formula says, in any pieces of the range, and write nothing else.
#include <gtest/gtest.h>

#include <cstring>

#include "base/printer.h"
#include "loop/evaluate.h"
#include "low/interpret.h"
#include "low/verify.h"
#include "lower/lower.h"
#include "schedule/schedule.h"
#include "tests/unit/schedule/cases.h"

namespace fuselane {
namespace {

constexpr uint32_t kArguments = 64;

// Memory with the arguments, then the buffers, with room between them that must stay as it is.
struct Memory {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> addresses;

  Memory(const Case& c, const std::vector<int64_t>& sizes) {
    size_t end = kArguments + 4 * (c.buffers.size() + sizes.size());
    for (const auto& buffer : c.buffers) {
      end = (end + 79) / 64 * 64;
      addresses.push_back(static_cast<uint32_t>(end));
      end += buffer.size() * sizeof(float);
    }
    bytes.assign(end + 16, 0x5a);
    std::vector<uint32_t> arguments = addresses;
    for (int64_t size : sizes) arguments.push_back(static_cast<uint32_t>(size));
    std::memcpy(bytes.data() + kArguments, arguments.data(), arguments.size() * sizeof(uint32_t));
    for (size_t i = 0; i < c.buffers.size(); ++i) write(i, c.buffers[i]);
  }
  // The zeros of the last buffer without their sign: sums may come to either.
  void drop_signs_of_zeros(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      float element;
      std::memcpy(&element, bytes.data() + addresses.back() + i * sizeof(float), sizeof(float));
      if (element == 0) std::memset(bytes.data() + addresses.back() + i * sizeof(float), 0, sizeof(float));
    }
  }
  void write(size_t i, const std::vector<float>& elements) {
    if (!elements.empty())
      std::memcpy(bytes.data() + addresses[i], elements.data(), elements.size() * sizeof(float));
  }
};

void run_case(const loop::Task& task, const loop::Kernel& kernel, const low::Module& module, Rng& rng) {
  Case c = random_case(task, rng);
  std::vector<int64_t> sizes = c.sizes_for(kernel, rng);
  Memory memory(c, sizes);
  auto extent = static_cast<int32_t>(loop::parallel_extent(kernel, sizes));
  for (int32_t begin = 0; begin < extent;) {
    int32_t end = begin + 1 + static_cast<int32_t>(rng.below(static_cast<uint32_t>(extent - begin)));
    const low::Value arguments[] = {low::Value::of(kArguments), low::Value::of(begin), low::Value::of(end)};
    auto result = low::interpret(module, low::FunctionId(size_t{0}), arguments, {.memory = memory.bytes});
    ASSERT_TRUE(result) << result.error().message;
    begin = end;
  }
  Memory wanted(c, sizes);
  wanted.write(c.buffers.size() - 1, expected(task, c));
  memory.drop_signs_of_zeros(c.buffers.back().size());
  wanted.drop_signs_of_zeros(c.buffers.back().size());
  ASSERT_EQ(memory.bytes, wanted.bytes);
}

class Lowered : public testing::TestWithParam<SimdLevel> {};

TEST_P(Lowered, DefaultSchedulesGiveWhatTheFormulaSays) {
  Target target{.simd = GetParam()};
  Rng rng(7);
  for (const std::string& text : exact_tasks()) {
    SCOPED_TRACE(text);
    auto task = loop::parse_task(text);
    ASSERT_TRUE(task);
    auto kernel = replay(*task, default_schedule(*task, target));
    ASSERT_TRUE(kernel) << kernel.error().message;
    auto module = lower({&*kernel, 1}, target);
    ASSERT_TRUE(module) << module.error().message;
    auto status = low::verify(*module);
    ASSERT_TRUE(status) << status.error().message;
    for (int i = 0; i < 12; ++i) run_case(*task, *kernel, *module, rng);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Lowered,
                         testing::Values(SimdLevel::None, SimdLevel::Baseline, SimdLevel::Relaxed),
                         [](const auto& level) { return std::string(text_of(level.param)); });

}  // namespace
}  // namespace fuselane
