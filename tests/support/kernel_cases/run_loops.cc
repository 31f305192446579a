#include "tests/support/kernel_cases/run_loops.h"

#include <gtest/gtest.h>

#include "loop/evaluate.h"
#include "loop/interpret.h"

namespace fuselane {

std::vector<float> run_loops(const loop::Kernel& kernel, Case& c, Rng& rng) {
  std::vector<std::vector<float>> buffers = c.buffers;
  loop::Arguments arguments{.buffers = {}, .sizes = c.sizes_for(kernel, rng)};
  for (std::vector<float>& buffer : buffers) arguments.buffers.emplace_back(std::span<float>(buffer));
  std::vector<int32_t> cuts = random_cuts(loop::parallel_extent(kernel, arguments.sizes), rng);
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    auto status = loop::interpret(kernel, arguments, cuts[i], cuts[i + 1]);
    EXPECT_TRUE(status) << status.error().message;
  }
  return buffers.back();
}

std::vector<int32_t> random_cuts(int64_t extent, Rng& rng) {
  std::vector<int32_t> cuts = {0};
  while (cuts.back() < extent) cuts.push_back(static_cast<int32_t>(rng.between(cuts.back() + 1, extent)));
  return cuts;
}

}  // namespace fuselane
