// Walks over plans made by hand: budgets, cancellation, failing steps, the same bits on any number of
// threads.
#include "run/walk.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "library/cast.h"
#include "library/gather.h"
#include "library/kernels.h"
#include "tests/unit/run/helpers.h"

namespace fuselane {
namespace {

// Its references count, and do at a step what the test says. Its clock moves 1 ms with every look.
struct TestHost final : Host {
  std::vector<uint8_t> memory;
  std::vector<float> input;
  std::vector<Callee> generated;  // kernels, by number
  bool awaits = false;
  const Segment* next = nullptr;  // whose kernels are awaited
  uint32_t calls = 0;
  uint32_t cancel_in = 0;  // the call of a reference in which the run is cancelled; 0: none
  uint32_t trap_in = 0;
  bool is_cancelled = false;
  double now = 0;

  Status call_reference(uint32_t node, std::span<const TensorView>, std::span<const TensorView>) override {
    ++calls;
    if (calls == cancel_in) is_cancelled = true;
    if (calls == trap_in) throw std::runtime_error("a trap");
    if (node == 99) return std::unexpected(error_at(node, ErrorCode::InvalidData, "no"));
    return {};
  }
  Result<const Segment*> next_segment(const Segment&, std::span<const TensorView>) override {
    if (!next) return fail(ErrorCode::InternalError, "there is none");
    awaits = true;
    return next;
  }
  Result<Callee> generated_kernel(uint32_t node, uint32_t number) override {
    if (number - kLibraryKernels < generated.size()) return generated[number - kLibraryKernels];
    return std::unexpected(error_at(node, ErrorCode::InternalError, "not installed"));
  }
  bool awaits_kernels() override { return awaits; }
  Result<uint8_t*> arena(uint64_t bytes) override {
    memory.resize(bytes);
    return memory.data();
  }
  uint8_t* weight(uint32_t) override { return nullptr; }
  uint8_t* packed(uint32_t) override { return nullptr; }
  uint8_t* feed(uint32_t) override { return reinterpret_cast<uint8_t*>(input.data()); }
  Error error_at(uint32_t node, ErrorCode code, std::string_view sentence) override {
    Error error(code, std::string(sentence));
    error.node = "node" + std::to_string(node);
    return error;
  }
  double now_ms() override { return ++now; }
  bool cancelled() override { return is_cancelled; }
};

Segment references(uint32_t count) {
  Segment segment;
  for (uint32_t i = 0; i < count; ++i) segment.steps.push_back({.node = i, .inputs = {}, .outputs = {}});
  return segment;
}

template <class Args>
Segment one_kernel(KernelId kernel, const Args& args, std::vector<Pointer> pointers,
                   std::vector<PlanBuffer> buffers, uint32_t extent) {
  Segment segment;
  segment.buffers = std::move(buffers);
  segment.pointers = std::move(pointers);
  segment.args.resize((sizeof args + 7) / 8);
  std::memcpy(segment.args.data(), &args, sizeof args);
  segment.steps.push_back({.node = 7,
                           .kernel = static_cast<uint32_t>(kernel),
                           .extent = extent,
                           .inputs = {BufferId(0u)},
                           .outputs = {BufferId(1u)}});
  segment.results = {BufferId(1u)};
  segment.arena_bytes = segment.buffers.back().bytes;
  return segment;
}

TEST(Walk, ABudgetEndsBetweenSteps) {
  TestHost host;
  Crew crew;
  Walk walk(host, crew);
  Segment segment = references(10);
  ASSERT_TRUE(walk.start(segment));
  EXPECT_EQ(walk.advance(3), false);
  EXPECT_EQ(walk.steps_done(), 3);
  EXPECT_EQ(walk.advance(0), false) << "one step at least";
  EXPECT_EQ(walk.steps_done(), 4);
  EXPECT_EQ(walk.advance(1000), true);
  EXPECT_EQ(walk.steps_done(), 10);
  EXPECT_EQ(host.calls, 10u);
}

TEST(Walk, ACancelledRunEndsWithTheStepUnderWay) {
  TestHost host;
  Crew crew;
  Walk walk(host, crew);
  Segment segment = references(10);
  ASSERT_TRUE(walk.start(segment));
  host.cancel_in = 4;
  auto done = walk.advance(1e9);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(walk.steps_done(), 4);
  EXPECT_EQ(host.calls, 4u);
  EXPECT_FALSE(walk.advance(1e9)) << "the run is over";
  host.is_cancelled = false;
  ASSERT_TRUE(walk.start(segment));
  EXPECT_EQ(walk.advance(1e9), true);
}

TEST(Walk, AStepThatFailsEndsTheRun) {
  TestHost host;
  Crew crew;
  Walk walk(host, crew);
  Segment segment = references(3);
  segment.steps[1].node = 99;
  ASSERT_TRUE(walk.start(segment));
  auto done = walk.advance(1e9);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().node, "node99");
  EXPECT_FALSE(walk.advance(1e9));
}

TEST(Walk, ATrapNamesItsNodeAndTheNextRunWorks) {
  TestHost host;
  Crew crew(2);
  Helpers helpers(crew);
  Walk walk(host, crew);
  Segment segment = references(5);
  ASSERT_TRUE(walk.start(segment));
  host.trap_in = 3;
  EXPECT_THROW((void)walk.advance(1e9), std::runtime_error);
  Error error = walk.trapped();
  EXPECT_EQ(error.code, ErrorCode::InternalError);
  EXPECT_EQ(error.node, "node2");
  EXPECT_FALSE(walk.advance(1e9)) << "the run is over";
  ASSERT_TRUE(walk.start(segment));
  EXPECT_EQ(walk.advance(1e9), true);
}

TEST(Walk, AnyNumberOfThreadsGivesTheSameBits) {
  constexpr uint32_t kCount = 80'003;
  TestHost host;
  for (uint32_t i = 0; i < kCount; ++i) host.input.push_back(static_cast<float>(i) / 4096 - 9);
  CastArgs args{.count = kCount, .from = DType::Float32, .to = DType::Int32};
  ASSERT_GT(cast_extent(kCount), 4u);
  Dims dims = {kCount};
  Segment segment = one_kernel(KernelId::Cast, args,
                               {{static_cast<uint32_t>(offsetof(CastArgs, x)), BufferId(0u), 0},
                                {static_cast<uint32_t>(offsetof(CastArgs, y)), BufferId(1u), 0}},
                               {{.storage = Storage::Feed, .dims = dims, .bytes = kCount * 4},
                                {.storage = Storage::Arena, .dims = dims, .bytes = kCount * 4}},
                               cast_extent(kCount));
  std::vector<uint8_t> expected;
  for (uint32_t threads : {1u, 2u, 4u}) {
    Crew crew(threads);
    Helpers helpers(crew);
    Walk walk(host, crew);
    for (int i = 0; i < 20; ++i) {
      host.memory.assign(host.memory.size(), 0);
      ASSERT_TRUE(walk.start(segment));
      ASSERT_EQ(walk.advance(1e9), true);
      if (expected.empty()) expected = host.memory;
      ASSERT_EQ(std::memcmp(host.memory.data(), expected.data(), expected.size()), 0) << threads;
    }
  }
}

TEST(Walk, BadDataInAnyChunkNamesTheNode) {
  constexpr uint32_t kCount = 1000;
  std::vector<int64_t> indices(kCount, 1);
  TestHost host;
  host.input.resize(2 * kCount);
  Crew crew(2);
  Helpers helpers(crew);
  Walk walk(host, crew);
  GatherArgs args{.outer = 1, .axis = 2, .count = kCount, .slice_bytes = 4, .wide = true};
  for (uint32_t bad : {kCount, 0u, kCount - 1}) {
    if (bad < kCount) indices[bad] = 2;
    args.indices = indices.data();
    Segment segment = one_kernel(KernelId::Gather, args,
                                 {{static_cast<uint32_t>(offsetof(GatherArgs, x)), BufferId(0u), 0},
                                  {static_cast<uint32_t>(offsetof(GatherArgs, y)), BufferId(1u), 0}},
                                 {{.storage = Storage::Feed, .dims = {2}, .bytes = 8},
                                  {.storage = Storage::Arena, .dims = {kCount}, .bytes = kCount * 4}},
                                 kCount);
    ASSERT_TRUE(walk.start(segment));
    auto done = walk.advance(1e9);
    EXPECT_EQ(done.has_value(), bad == kCount);
    if (!done) {
      EXPECT_EQ(done.error().code, ErrorCode::InvalidData);
      EXPECT_EQ(done.error().node, "node7");
    }
  }
}

uint32_t count_iterations(const void* args, uint32_t begin, uint32_t end) {
  **static_cast<uint32_t* const*>(args) += end - begin;
  return kDone;
}

// A step that calls a generated kernel which adds its extent to the first input.
Segment generated(uint32_t number) {
  struct Args {
    uint32_t* count;
  };
  return one_kernel(static_cast<KernelId>(kLibraryKernels + number), Args{}, {{0, BufferId(0u), 0}},
                    {{.storage = Storage::Feed, .dims = {1}, .bytes = 4}, {.dims = {1}, .bytes = 4}}, 5);
}

TEST(Walk, GeneratedKernelsAreAwaitedWhereASegmentBegins) {
  TestHost host;
  host.input.resize(1);
  const auto count = [&] {
    uint32_t value;
    std::memcpy(&value, host.input.data(), 4);
    return value;
  };
  Crew crew;
  Walk walk(host, crew);
  Segment first = generated(0);
  first.ending = Ending::Read;
  Segment second = generated(1);
  host.next = &second;
  host.awaits = true;
  ASSERT_TRUE(walk.start(first));
  EXPECT_EQ(walk.advance(1e9), false);
  EXPECT_EQ(walk.steps_done(), 0);
  host.generated = {{count_iterations, 1}};
  host.awaits = false;
  EXPECT_EQ(walk.advance(1e9), false) << "those of the second segment are awaited";
  EXPECT_EQ(walk.steps_done(), 1);
  EXPECT_EQ(count(), 5u);
  EXPECT_EQ(walk.advance(1e9), false);
  host.generated.push_back({count_iterations, 2});
  host.awaits = false;
  EXPECT_EQ(walk.advance(1e9), true);
  EXPECT_EQ(count(), 10u);
}

uint32_t refuse(const void*, uint32_t, uint32_t) { return kBadData; }
uint32_t accept(const void*, uint32_t, uint32_t) { return kDone; }
uint32_t trap(const void*, uint32_t, uint32_t) { throw std::runtime_error("a trap"); }

// Steps of two stages: node 0; then nodes 1, 2 and 3, of which node 2 calls the kernel.
Segment stages(Crew& crew, TestHost& host, Kernel kernel) {
  host.generated = {{accept, 0}, {kernel, 0}};
  Segment segment;
  for (uint32_t i = 0; i < 4; ++i) {
    segment.steps.push_back({.node = i,
                             .kernel = kLibraryKernels + (i == 2 ? 1 : 0),
                             .extent = crew.threads() * 2,
                             .stage = i == 0 ? 0u : 1u,
                             .inputs = {},
                             .outputs = {}});
  }
  return segment;
}

TEST(Walk, AStageIsOneRoundOfTheCrew) {
  for (bool timed : {false, true}) {
    TestHost host;
    Crew crew(2);
    Helpers helpers(crew);
    Walk walk(host, crew);
    const Segment segment = stages(crew, host, accept);
    ASSERT_TRUE(walk.start(segment, timed));
    EXPECT_EQ(walk.advance(0), false);
    EXPECT_EQ(walk.steps_done(), 1);
    ASSERT_TRUE(walk.advance(0));
    EXPECT_EQ(walk.steps_done(), timed ? 2 : 4) << "steps that are timed run by themselves";
    EXPECT_EQ(walk.advance(1e9), true);
  }
}

TEST(Walk, TheStepOfAStageThatFailsIsNamed) {
  for (uint32_t threads : {1u, 2u}) {
    TestHost host;
    Crew crew(threads);
    Helpers helpers(crew);
    Walk walk(host, crew);
    const Segment refused = stages(crew, host, refuse);
    ASSERT_TRUE(walk.start(refused));
    auto done = walk.advance(1e9);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::InvalidData);
    EXPECT_EQ(done.error().node, "node2");

    const Segment trapped = stages(crew, host, trap);
    ASSERT_TRUE(walk.start(trapped));
    try {
      auto result = walk.advance(1e9);
      // A helper took the chunks that trap.
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().node, "node2");
    } catch (const std::runtime_error&) {
      EXPECT_EQ(walk.trapped().node, "node2");
    }
    const Segment works = stages(crew, host, accept);
    ASSERT_TRUE(walk.start(works));
    EXPECT_EQ(walk.advance(1e9), true);
  }
}

TEST(Walk, AKernelThatIsNotInstalledFailsTheRunAtItsNode) {
  TestHost host;
  host.input.resize(1);
  Crew crew;
  Walk walk(host, crew);
  Segment segment = generated(0);
  ASSERT_TRUE(walk.start(segment));
  auto done = walk.advance(1e9);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::InternalError);
  EXPECT_EQ(done.error().node, "node7");
}

}  // namespace
}  // namespace fuselane
