// Generated kernels by key and number: made once, in batches that become modules; where they lie, which are
// refused and which declined.
#include "engine/kernel_table.h"

#include <gtest/gtest.h>

#include "library/kernels.h"

namespace fuselane {
namespace {

constexpr Target kTarget = {.simd = SimdLevel::Baseline, .shared_memory = true};

// y[i] = operation(x[i]), for each i of n in parallel.
Result<loop::Kernel> elementwise(loop::Operation operation) {
  loop::Kernel kernel;
  kernel.name = "elementwise";
  const loop::SymbolId n = kernel.size("n");
  const loop::SymbolId i = kernel.variable("i");
  const loop::BufferId x = kernel.buffer({.name = "x", .strides = {1}});
  const loop::BufferId y = kernel.buffer({.name = "y", .written = true, .strides = {1}});
  kernel.outer = {{.symbol = i, .mark = loop::Mark::Parallel, .extent = n}};
  const loop::ValueId value = kernel.apply(operation, kernel.load(x, {i}));
  kernel.nests.emplace_back().stores = {{y, {i}, value}};
  return kernel;
}

struct Counted {
  int made = 0;
  KernelTable::Make abs = [this](const Target&) {
    ++made;
    return elementwise(loop::Operation::Abs);
  };
};

// How often the bytes hold the text.
size_t count_of(const std::vector<uint8_t>& bytes, std::string_view text) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  size_t count = 0;
  for (size_t at = all.find(text); at != all.npos; at = all.find(text, at + 1)) ++count;
  return count;
}

TEST(KernelTable, AKeyHasOneKernel) {
  Crew crew;
  KernelTable table(crew, kTarget, false);
  Counted counted;
  EXPECT_EQ(table.get("a", counted.abs)->number, kLibraryKernels);
  EXPECT_EQ(table.get("b", counted.abs)->number, kLibraryKernels + 1);
  EXPECT_EQ(table.get("a", counted.abs)->number, kLibraryKernels);
  EXPECT_EQ(counted.made, 2);
  EXPECT_EQ(table.count(), 2);
  EXPECT_EQ(table.key(kLibraryKernels + 1), "b");
  table.close_batch();
  ASSERT_NE(table.pending(), nullptr);
  EXPECT_EQ(table.pending()->kernels, 2);
  table.close_batch();
  table.installed(1);
  EXPECT_EQ(table.pending(), nullptr) << "an empty batch is no module";
  EXPECT_EQ(table.get("b", counted.abs)->number, kLibraryKernels + 1);
  EXPECT_EQ(counted.made, 2);
}

TEST(KernelTable, KernelsAreMadeForTheTarget) {
  Crew crew;
  KernelTable none(crew, std::nullopt, false);
  Counted counted;
  EXPECT_FALSE(none.get("a", counted.abs));
  EXPECT_EQ(counted.made, 0);
  none.close_batch();
  EXPECT_EQ(none.pending(), nullptr);

  KernelTable table(crew, kTarget, false);
  EXPECT_TRUE(table.get("a", [](const Target& target) {
    EXPECT_EQ(target, kTarget);
    return elementwise(loop::Operation::Abs);
  }));
}

TEST(KernelTable, TasksHaveKernelsWithTheirLoops) {
  Crew crew;
  KernelTable table(crew, kTarget, false);
  const loop::Task relu = *loop::parse_task("map outer 0 strides 1 steps activate 0 clamp 0 6");
  const auto kernel = table.kernel(relu, {});
  ASSERT_TRUE(kernel);
  EXPECT_EQ(table.key(kernel->number), loop::text_of(relu));
  EXPECT_EQ(kernel->loops->buffers.size(), 2);
  EXPECT_EQ(table.kernel(relu, {})->loops, kernel->loops);
  const loop::Task other = *loop::parse_task("map outer 0 strides 1 steps abs 0");
  EXPECT_NE(table.kernel(other, {})->number, kernel->number);
  EXPECT_EQ(table.count(), 2);
}

TEST(KernelTable, ThereAreKernelsWithoutRelaxedSimd) {
  const loop::Task product = *loop::parse_task("matmul tail 0");
  constexpr std::string_view kMultiplyAdd = "\xfd\x85\x02";  // f32x4.relaxed_madd
  for (bool relaxed : {false, true}) {
    Crew crew;
    KernelTable table(crew, Target{.simd = SimdLevel::Relaxed, .shared_memory = true}, false);
    ASSERT_TRUE(table.kernel(product, {.relaxed = relaxed}));
    table.close_batch();
    EXPECT_EQ(count_of(table.pending()->module, kMultiplyAdd) > 0, relaxed);
  }
  // Where relaxed SIMD is not the engine's level there is one kernel for both.
  for (auto [level, kernels] : {std::pair(SimdLevel::Relaxed, 2), {SimdLevel::Baseline, 1}}) {
    Crew crew;
    KernelTable table(crew, Target{.simd = level, .shared_memory = true}, false);
    EXPECT_TRUE(table.kernel(product, {}) && table.kernel(product, {.relaxed = false}));
    EXPECT_EQ(table.count(), kernels);
  }
}

TEST(KernelTable, BatchesAreInstalledInTheirOrder) {
  Crew crew;
  KernelTable table(crew, kTarget, false);
  Counted counted;
  const uint32_t a = table.get("kernel a", counted.abs)->number;
  const uint32_t b = table.get("kernel b", counted.abs)->number;
  EXPECT_EQ(table.pending(), nullptr);
  table.close_batch();
  const uint32_t c = table.get("kernel c", counted.abs)->number;
  table.close_batch();

  ASSERT_NE(table.pending(), nullptr);
  const std::vector<uint8_t> first = table.pending()->module;
  EXPECT_EQ(table.pending()->kernels, 2);
  EXPECT_EQ(count_of(first, "kernel a"), 1);
  EXPECT_EQ(count_of(first, "kernel b"), 1);
  EXPECT_EQ(table.callee(a).error().code, ErrorCode::InternalError);
  table.installed(100);
  EXPECT_EQ(crew.installs(), 1);
  ASSERT_NE(table.pending(), nullptr);
  EXPECT_EQ(table.pending()->kernels, 1);
  EXPECT_EQ(count_of(table.pending()->module, "kernel"), 1);
  EXPECT_EQ(table.bytes(), static_cast<int64_t>(first.size() + table.pending()->module.size()));
  table.installed(102);
  EXPECT_EQ(table.pending(), nullptr);

  const auto place = [&](uint32_t number) {
    return reinterpret_cast<uintptr_t>(table.callee(number)->function);
  };
  EXPECT_EQ(place(a), 100);
  EXPECT_EQ(place(b), 101);
  EXPECT_EQ(place(c), 102);
  EXPECT_EQ(table.callee(a)->installs, 1);
  EXPECT_EQ(table.callee(b)->installs, 1);
  EXPECT_EQ(table.callee(c)->installs, 2);
}

TEST(KernelTable, NamesAreForProfilers) {
  Crew crew;
  KernelTable with(crew, kTarget, true);
  KernelTable without(crew, kTarget, false);
  Counted counted;
  for (KernelTable* table : {&with, &without}) {
    table->get("kernel a", counted.abs);
    table->close_batch();
  }
  EXPECT_EQ(count_of(with.pending()->module, "kernel a"), 2) << "as an export, and as a name";
  EXPECT_EQ(count_of(without.pending()->module, "kernel a"), 1);
}

TEST(KernelTable, WhatIsDeclinedIsRememberedAndLeavesNoTrace) {
  Crew crew;
  KernelTable table(crew, kTarget, false);
  int asked = 0;
  const KernelTable::Make decline = [&](const Target&) -> Result<loop::Kernel> {
    ++asked;
    return fail(ErrorCode::UnsupportedModel, "no schedule");
  };
  EXPECT_FALSE(table.get("a", decline));
  EXPECT_FALSE(table.get("a", decline));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(table.count(), 0);
  table.close_batch();
  EXPECT_EQ(table.pending(), nullptr);
}

TEST(KernelTable, ARefusedModuleIsNoInstallAndItsKernelsSayWhy) {
  Crew crew;
  KernelTable table(crew, kTarget, false);
  Counted counted;
  const uint32_t bad = table.get("bad one", counted.abs)->number;
  table.close_batch();
  const uint32_t good = table.get("good", counted.abs)->number;
  table.close_batch();
  table.refused("expected magic word");
  table.installed(7);
  EXPECT_EQ(crew.installs(), 1);
  EXPECT_EQ(table.callee(good)->installs, 1);
  const auto callee = table.callee(bad);
  ASSERT_FALSE(callee);
  EXPECT_EQ(callee.error().code, ErrorCode::InternalError);
  EXPECT_EQ(
      callee.error().message,
      "the generated kernel bad one cannot run (expected magic word), which is a mistake of the engine: "
      "please report it");
}

}  // namespace
}  // namespace fuselane
