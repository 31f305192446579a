// Generated kernels in every thread: a thread calls none that it has not installed, installs all in order,
// and leaves where it cannot.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "tests/unit/run/helpers.h"

namespace fuselane {
namespace {

using namespace std::chrono_literals;

// What a thread's table of functions would hold: the modules installed, by `first`.
thread_local std::vector<uint32_t> the_table;

std::unique_ptr<Install> install_of(uint32_t first) {
  auto install = std::make_unique<Install>();
  install->first = first;
  return install;
}

// A module's kernels begin where those before it end, as tables grow.
bool put(const Install& install) {
  std::this_thread::sleep_for(1ms);
  the_table.push_back(install.first);
  return the_table.size() == install.first;
}
bool refuse(const Install&) { return false; }
bool trap(const Install&) { throw std::runtime_error("a trap"); }

struct Calls {
  std::thread::id leader = std::this_thread::get_id();
  uint32_t installs = 0;  // that the kernel asks for
  std::atomic<uint32_t> done = 0;
  std::atomic<uint32_t> too_early = 0;
  std::atomic<bool> helped = false;
};

uint32_t visit(const void* args, uint32_t begin, uint32_t end) {
  auto& calls = **static_cast<Calls* const*>(args);
  if (std::this_thread::get_id() != calls.leader) {
    calls.helped = true;
    if (the_table.size() < calls.installs) ++calls.too_early;
  }
  std::this_thread::sleep_for(200us);
  calls.done += end - begin;
  return kDone;
}

uint32_t run(Crew& crew, Calls& calls, uint32_t installs) {
  calls.installs = installs;
  Calls* args = &calls;
  return crew.run({{visit, installs}, &args, 32, 1});
}

TEST(Install, ThreadsCallNoKernelBeforeTheyHaveIt) {
  Crew crew(3, put);
  Helpers helpers(crew);
  Calls calls;
  crew.begin();
  constexpr uint32_t kRounds = 20;
  for (uint32_t round = 1; round <= kRounds; ++round) {
    crew.add(install_of(round));
    EXPECT_EQ(run(crew, calls, round), kDone);
    EXPECT_EQ(run(crew, calls, 0), kDone);  // of the library
  }
  crew.end();
  EXPECT_EQ(crew.installs(), kRounds);
  EXPECT_EQ(calls.done, kRounds * 2 * 32);
  EXPECT_EQ(calls.too_early, 0);
  EXPECT_TRUE(calls.helped);
}

bool put_at_once(const Install& install) {
  the_table.push_back(install.first);
  return true;
}

uint32_t visit_at_once(const void* args, uint32_t begin, uint32_t end) {
  auto& calls = **static_cast<Calls* const*>(args);
  if (std::this_thread::get_id() != calls.leader && the_table.size() < calls.installs) ++calls.too_early;
  calls.done += end - begin;
  return kDone;
}

// Calls open between a thread's look at what there is to install and its claim.
TEST(Install, ACallThatOpensMeanwhileIsNotClaimed) {
  Crew crew(4, put_at_once);
  Helpers helpers(crew);
  Calls calls;
  Calls* args = &calls;
  constexpr uint32_t kRounds = 30000;
  crew.begin();
  for (uint32_t round = 1; round <= kRounds; ++round) {
    crew.add(install_of(round));
    calls.installs = round;
    crew.run({{visit_at_once, round}, &args, 16, 1});
  }
  crew.end();
  EXPECT_EQ(calls.done, kRounds * 16);
  EXPECT_EQ(calls.too_early, 0);
}

TEST(Install, AThreadThatComesLateInstallsAll) {
  Crew crew(2, put);
  for (uint32_t i = 1; i <= 3; ++i) crew.add(install_of(i));
  Calls calls;
  EXPECT_EQ(run(crew, calls, 3), kDone);
  Helpers helpers(crew);
  for (int i = 0; i < 100 && !calls.helped; ++i) EXPECT_EQ(run(crew, calls, 3), kDone);
  EXPECT_TRUE(calls.helped);
  EXPECT_EQ(calls.too_early, 0);
}

TEST(Install, AThreadThatCannotLeavesTheCrew) {
  for (InstallHere broken : {refuse, trap}) {
    Crew crew(3, broken);
    Helpers helpers(crew);
    Calls before;
    for (int i = 0; i < 100 && !before.helped; ++i) EXPECT_EQ(run(crew, before, 0), kDone);
    EXPECT_TRUE(before.helped);
    crew.add(install_of(1));
    Calls calls;
    for (int i = 0; i < 1000 && crew.threads_ready() > 1; ++i) EXPECT_EQ(run(crew, calls, 1), kDone);
    EXPECT_EQ(crew.threads_ready(), 1);
    EXPECT_FALSE(calls.helped);
    EXPECT_EQ(run(crew, calls, 1), kDone);
  }
}

TEST(Install, OneThreadNeedsNoHelpers) {
  Crew crew(1);
  crew.add(install_of(1));
  Calls calls;
  EXPECT_EQ(run(crew, calls, 1), kDone);
  EXPECT_EQ(calls.done, 32);
}

}  // namespace
}  // namespace fuselane
