// Generated kernels by key and number: batches, what is pending, where they lie, and those that are refused.
#include "engine/kernel_table.h"

#include <gtest/gtest.h>

#include "library/kernels.h"

namespace fuselane {
namespace {

TEST(KernelTable, AKeyHasOneNumber) {
  Crew crew;
  KernelTable table(crew);
  EXPECT_EQ(table.find("a"), std::nullopt);
  EXPECT_EQ(table.add("a"), kLibraryKernels);
  EXPECT_EQ(table.add("b"), kLibraryKernels + 1);
  EXPECT_EQ(table.find("a"), kLibraryKernels);
  EXPECT_EQ(table.find("b"), kLibraryKernels + 1);
  EXPECT_EQ(table.key(kLibraryKernels + 1), "b");
  EXPECT_EQ(table.count(), 2);
}

TEST(KernelTable, BatchesAreInstalledInTheirOrder) {
  Crew crew;
  KernelTable table(crew);
  EXPECT_FALSE(table.batch_is_open());
  const uint32_t a = *table.add("a");
  const uint32_t b = *table.add("b");
  EXPECT_TRUE(table.batch_is_open());
  EXPECT_EQ(table.pending(), nullptr);
  table.close_batch({1, 2, 3});
  EXPECT_FALSE(table.batch_is_open());
  const uint32_t c = *table.add("c");
  table.close_batch({4, 5});
  EXPECT_EQ(table.bytes(), 5);

  ASSERT_NE(table.pending(), nullptr);
  EXPECT_EQ(table.pending()->module, (std::vector<uint8_t>{1, 2, 3}));
  EXPECT_EQ(table.pending()->kernels, 2);
  EXPECT_EQ(table.callee(a).error().code, ErrorCode::InternalError);
  table.installed(100);
  EXPECT_EQ(crew.installs(), 1);
  ASSERT_NE(table.pending(), nullptr);
  EXPECT_EQ(table.pending()->kernels, 1);
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

TEST(KernelTable, ARefusedModuleIsNoInstallAndItsKernelsSayWhy) {
  Crew crew;
  KernelTable table(crew);
  const uint32_t bad = *table.add("bad one");
  table.close_batch({0});
  const uint32_t good = *table.add("good");
  table.close_batch({1});
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
