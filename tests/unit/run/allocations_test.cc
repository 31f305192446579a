// A run of a plan that has been walked before allocates nothing: this program's operator new counts.
#include <gtest/gtest.h>

#include <cstring>

#include "library/cast.h"
#include "library/kernels.h"
#include "run/walk.h"
#include "tests/support/counted_allocations.h"

namespace fuselane {
namespace {

constexpr uint32_t kCount = 40'000;

// The feed is where the arena is not; references do nothing.
struct QuietHost final : Host {
  std::vector<float> memory = std::vector<float>(2 * kCount);
  std::vector<float> input = std::vector<float>(kCount, 4.5);

  Status call_reference(uint32_t, std::span<const TensorView>, std::span<const TensorView>) override {
    return {};
  }
  Result<const Segment*> next_segment(const Segment&, std::span<const TensorView>) override {
    return fail(ErrorCode::InternalError, "there is none");
  }
  Result<Callee> generated_kernel(uint32_t, uint32_t) override { return Callee{cast}; }
  bool awaits_kernels() override { return false; }
  Result<uint8_t*> arena(uint64_t) override { return reinterpret_cast<uint8_t*>(memory.data()); }
  uint8_t* weight(uint32_t) override { return nullptr; }
  uint8_t* packed(uint32_t) override { return nullptr; }
  uint8_t* feed(uint32_t) override { return reinterpret_cast<uint8_t*>(input.data()); }
  Error error_at(uint32_t, ErrorCode code, std::string_view sentence) override {
    return Error(code, std::string(sentence));
  }
  double now_ms() override { return 0; }
  bool cancelled() override { return false; }
};

// To whole numbers by a kernel of the library, back by one that counts as generated, then a reference.
Segment three_steps() {
  Segment segment;
  PlanBuffer feed{.storage = Storage::Feed, .dims = {kCount}, .bytes = kCount * sizeof(float)};
  PlanBuffer first{.dims = {kCount}, .bytes = feed.bytes};
  PlanBuffer second = first;
  second.offset = first.bytes;
  segment.buffers = {feed, first, second};
  for (uint32_t i = 0; i < 2; ++i) {
    CastArgs args{.count = kCount, .from = DType::Float32, .to = DType::Int32};
    if (i == 1) std::swap(args.from, args.to);
    auto at = static_cast<uint32_t>(segment.args.size() * sizeof(uint64_t));
    segment.args.resize(segment.args.size() + (sizeof args + 7) / 8);
    std::memcpy(reinterpret_cast<uint8_t*>(segment.args.data()) + at, &args, sizeof args);
    BufferId from{size_t{i}};
    BufferId to{size_t{i + 1}};
    segment.pointers.push_back({at + static_cast<uint32_t>(offsetof(CastArgs, x)), from});
    segment.pointers.push_back({at + static_cast<uint32_t>(offsetof(CastArgs, y)), to});
    segment.steps.push_back({.node = i,
                             .kernel = i == 0 ? static_cast<uint32_t>(KernelId::Cast) : kLibraryKernels,
                             .args = at,
                             .extent = cast_extent(kCount),
                             .inputs = {from},
                             .outputs = {to}});
  }
  segment.steps.push_back({.node = 2, .inputs = {BufferId(size_t{2})}, .outputs = {BufferId(size_t{1})}});
  segment.results = {BufferId(size_t{2})};
  segment.arena_bytes = 2 * first.bytes;
  return segment;
}

TEST(Allocations, ThereAreNoneInALaterRun) {
  QuietHost host;
  Segment segment = three_steps();
  Crew crew;
  Walk walk(host, crew);
  int64_t before = allocations;
  for (int run = 0; run < 3; ++run) {
    if (run == 1) before = allocations;
    ASSERT_TRUE(walk.start(segment));
    ASSERT_EQ(walk.advance(1e9), true);
  }
  int64_t after = allocations;
  EXPECT_EQ(after, before);
  EXPECT_EQ(host.memory[kCount], 4);
  EXPECT_EQ(host.memory.back(), 4);
}

TEST(Allocations, AreCounted) {
  int64_t before = allocations;
  auto* something = new std::vector<int>(100);
  EXPECT_GE(allocations - before, 2);
  delete something;
}

}  // namespace
}  // namespace fuselane
