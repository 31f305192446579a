// From the start of a run to its end nothing is allocated where the shapes were seen before.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "engine/engine.h"
#include "tests/support/counted_allocations.h"

namespace fuselane {
namespace {

std::vector<uint8_t> bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Runs the model as often with feeds of these dims and returns what each run allocated.
std::vector<int64_t> allocations_of_runs(const std::string& file, const std::vector<Dims>& dims, int runs) {
  std::vector<uint8_t> bytes = bytes_of_file("tests/models/" + file);
  Engine engine;
  auto model = engine.load(std::make_unique<MemorySource>(bytes), {});
  EXPECT_TRUE(model) << model.error().message;
  std::vector<Feed> feeds;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Port& port = (*model)->inputs()[i];
    TensorId tensor = *engine.allocate(port.dtype, dims[i]);
    for (int64_t e = 0; e < engine.view(tensor).count; ++e) engine.view(tensor).set_number(e, e % 2);
    feeds.push_back({port.name, tensor});
  }
  std::vector<int64_t> counts;
  for (int run = 0; run < runs; ++run) {
    int64_t before = allocations;
    EXPECT_TRUE((*model)->start(feeds, {}));
    for (bool done = false; !done;) done = (*model)->advance(1e9).value();
    counts.push_back(allocations - before);
  }
  return counts;
}

// `by_references`: what the references that the plan calls allocate for themselves.
void expect_none_but_first(const std::string& file, const std::vector<Dims>& dims,
                           int64_t by_references = 0) {
  std::vector<int64_t> counts = allocations_of_runs(file, dims, 3);
  EXPECT_GT(counts[0], 0) << file;  // the counter counts: a plan was made
  EXPECT_EQ(counts[1], by_references) << file;
  EXPECT_EQ(counts[2], by_references) << file;
}

TEST(Allocations, NoneInARunOfKnownShapes) {
  // Without generated kernels, which are wasm, convolutions are references, and in the second model, which
  // has two segments, all operators.
  expect_none_but_first("unet_11.onnx", {{1, 3, 40, 40}}, 2536);
  expect_none_but_first("branch_16.onnx", {{3, 6}, {}}, 18);
}

}  // namespace
}  // namespace fuselane
