// Calls shared by threads: every iteration once, failures told, the crew good for the next call.
#include "run/crew.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "tests/unit/run/helpers.h"

namespace fuselane {
namespace {

using namespace std::chrono_literals;

// Counts the visits of each iteration, without atomics: two threads on one iteration are a race that
// ThreadSanitizer sees too.
struct Visits {
  std::vector<uint32_t> counts;
  std::thread::id leader = std::this_thread::get_id();
  std::atomic<bool> helped = false;
};

uint32_t visit(const void* args, uint32_t begin, uint32_t end) {
  auto& visits = **static_cast<Visits* const*>(args);
  if (std::this_thread::get_id() != visits.leader) visits.helped = true;
  for (uint32_t i = begin; i < end; ++i) ++visits.counts[i];
  return kDone;
}

// Gives the others time to come and claim.
uint32_t visit_slowly(const void* args, uint32_t begin, uint32_t end) {
  std::this_thread::sleep_for(1ms);
  return visit(args, begin, end);
}

uint32_t run(Crew& crew, Kernel kernel, Visits& visits, uint32_t extent, uint32_t grain) {
  visits.counts.resize(std::max<size_t>(visits.counts.size(), extent));
  Visits* args = &visits;
  return crew.run({{kernel}, &args, extent, grain});
}

TEST(Crew, EveryIterationRunsOnce) {
  for (uint32_t threads : {1u, 2u, 4u, 7u}) {
    Crew crew(threads);
    Helpers helpers(crew);
    crew.begin();
    for (uint32_t extent : {0u, 1u, 2u, 3u, 15u, 16u, 17u, 100u, 1000u, 4097u}) {
      for (uint32_t grain : {0u, 1u, 4u, 64u, 5000u}) {
        Visits visits;
        EXPECT_EQ(run(crew, visit, visits, extent, grain), kDone);
        EXPECT_EQ(visits.counts, std::vector<uint32_t>(extent, 1))
            << threads << " threads, extent " << extent << ", grain " << grain;
      }
    }
    crew.end();
  }
}

TEST(Crew, CallsFollowEachOther) {
  Crew crew(3);
  Helpers helpers(crew);
  Visits visits;
  constexpr uint32_t kCalls = 3000;
  for (uint32_t i = 0; i < kCalls; ++i) {
    // Between runs helpers sleep.
    if (i % 1000 == 999) {
      crew.end();
      std::this_thread::sleep_for(5ms);
    }
    crew.begin();
    ASSERT_EQ(run(crew, visit, visits, 1 + i % 40, 1), kDone);
  }
  crew.end();
  uint32_t sum = 0;
  for (uint32_t count : visits.counts) sum += count;
  uint32_t expected = 0;
  for (uint32_t i = 0; i < kCalls; ++i) expected += 1 + i % 40;
  EXPECT_EQ(sum, expected);
}

TEST(Crew, ThreadsShareACall) {
  Crew crew(2);
  Helpers helpers(crew);
  Visits visits;
  // The first call may be over before the helper has woken up.
  for (int i = 0; i < 100 && !visits.helped; ++i) run(crew, visit_slowly, visits, 16, 1);
  EXPECT_TRUE(visits.helped);
}

TEST(Crew, SmallCallsRunOnTheLeader) {
  Crew crew(2);
  Helpers helpers(crew);
  Visits visits;
  crew.begin();
  for (int i = 0; i < 20; ++i) run(crew, visit_slowly, visits, 64, 64);
  EXPECT_FALSE(visits.helped);
  EXPECT_EQ(visits.counts, std::vector<uint32_t>(64, 20));
}

TEST(Crew, CallsOfARoundShareTheThreads) {
  for (uint32_t threads : {1u, 2u, 3u, 7u}) {
    Crew crew(threads);
    Helpers helpers(crew);
    crew.begin();
    for (size_t count = 1; count <= Crew::kMostCalls; ++count) {
      std::vector<Visits> visits(count);
      std::vector<Visits*> args;
      std::vector<Call> calls;
      for (size_t i = 0; i < count; ++i) {
        // Also calls of no iterations, and of one chunk.
        const auto extent = static_cast<uint32_t>(i * i * 7 % 100);
        visits[i].counts.resize(extent);
        args.push_back(&visits[i]);
      }
      for (size_t i = 0; i < count; ++i) {
        const auto extent = static_cast<uint32_t>(visits[i].counts.size());
        calls.push_back({{visit}, &args[i], extent, i % 3 == 0 ? extent : 1});
      }
      EXPECT_EQ(crew.run(calls), Outcome());
      for (const Visits& each : visits)
        EXPECT_EQ(each.counts, std::vector<uint32_t>(each.counts.size(), 1))
            << threads << " threads, " << count;
    }
    crew.end();
  }
}

// Of one chunk each: they run at the same time beside one that is shared.
TEST(Crew, CallsOfOneChunkAreShared) {
  Crew crew(2);
  Helpers helpers(crew);
  bool helped = false;
  for (int round = 0; round < 100 && !helped; ++round) {
    Visits shared, alone, other;
    shared.counts.resize(2);
    alone.counts.resize(1);
    other.counts.resize(1);
    Visits* args[] = {&shared, &alone, &other};
    const Call calls[] = {
        {{visit_slowly}, &args[0], 2, 1}, {{visit_slowly}, &args[1], 1, 1}, {{visit_slowly}, &args[2], 1, 1}};
    EXPECT_EQ(crew.run(calls), Outcome());
    helped = alone.helped || other.helped;
  }
  EXPECT_TRUE(helped);
}

TEST(Crew, ThreadsThatNeverComeAreNotWaitedFor) {
  Crew crew(8);
  Visits visits;
  EXPECT_EQ(run(crew, visit, visits, 1000, 1), kDone);
  EXPECT_EQ(visits.counts, std::vector<uint32_t>(1000, 1));
}

uint32_t refuse_the_last(const void* args, uint32_t begin, uint32_t end) {
  visit(args, begin, end);
  return end == 100 ? kBadData : kDone;
}

TEST(Crew, AChunkThatFailsFailsTheCall) {
  Crew crew(2);
  Helpers helpers(crew);
  for (int i = 0; i < 100; ++i) {
    Visits visits;
    EXPECT_EQ(run(crew, refuse_the_last, visits, 100, 1), kBadData);
    EXPECT_EQ(run(crew, visit, visits, 100, 1), kDone);
  }
}

TEST(Crew, TheCallOfARoundThatFailsIsTold) {
  for (uint32_t threads : {1u, 2u}) {
    Crew crew(threads);
    Helpers helpers(crew);
    Visits visits[3];
    Visits* args[3];
    Call calls[3];
    for (size_t i = 0; i < 3; ++i) {
      visits[i].counts.resize(100);
      args[i] = &visits[i];
      calls[i] = {{i == 1 ? refuse_the_last : visit}, &args[i], 100, 1};
    }
    EXPECT_EQ(crew.run(calls), (Outcome{kBadData, 1}));
    for (const Visits& each : visits) EXPECT_EQ(each.counts, std::vector<uint32_t>(100, 1));
  }
}

uint32_t trap_on_helper(const void* args, uint32_t begin, uint32_t end) {
  auto& visits = **static_cast<Visits* const*>(args);
  if (std::this_thread::get_id() != visits.leader) throw std::runtime_error("a trap");
  return visit_slowly(args, begin, end);
}

TEST(Crew, AHelperThatTrapsFailsTheCall) {
  Crew crew(3);
  Helpers helpers(crew);
  Visits visits;
  uint32_t code = kDone;
  for (int i = 0; i < 100 && code == kDone; ++i) code = run(crew, trap_on_helper, visits, 64, 1);
  EXPECT_EQ(code, kTrapped);
  // The thread has come back.
  Visits later;
  for (int i = 0; i < 100 && !later.helped; ++i) EXPECT_EQ(run(crew, visit_slowly, later, 64, 1), kDone);
  EXPECT_TRUE(later.helped);
}

uint32_t trap_on_leader(const void* args, uint32_t begin, uint32_t end) {
  auto& visits = **static_cast<Visits* const*>(args);
  if (std::this_thread::get_id() == visits.leader) throw std::runtime_error("a trap");
  return visit_slowly(args, begin, end);
}

TEST(Crew, ALeaderThatTrapsWaitsForTheOthers) {
  for (uint32_t threads : {1u, 3u}) {
    Crew crew(threads);
    Helpers helpers(crew);
    for (int i = 0; i < 20; ++i) {
      Visits visits;
      EXPECT_THROW(run(crew, trap_on_leader, visits, 64, 1), std::runtime_error);
      crew.settle();
      auto before = visits.counts;
      std::this_thread::sleep_for(2ms);
      EXPECT_EQ(visits.counts, before) << "nobody works on";
      visits.counts.assign(64, 0);
      EXPECT_EQ(run(crew, visit, visits, 64, 1), kDone);
      EXPECT_EQ(visits.counts, std::vector<uint32_t>(64, 1));
    }
  }
}

}  // namespace
}  // namespace fuselane
