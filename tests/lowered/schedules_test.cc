// Random schedules: moves that are not legal are declined and change nothing; those that are legal change
// nothing in what is computed, as loops and, where they can be lowered, as instructions of every SIMD level.
#include <gtest/gtest.h>

#include <map>

#include "base/printer.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "loop/schedule.h"
#include "loop/verify.h"
#include "schedule/schedule.h"
#include "tests/lowered/lowered.h"
#include "tests/support/kernel_cases/formula.h"
#include "tests/support/kernel_cases/random_move.h"
#include "tests/support/kernel_cases/run_loops.h"
#include "tests/support/kernel_cases/tasks.h"
#include "tests/support/random_rounds.h"

namespace fuselane {
namespace {

using loop::Kernel;
using loop::Move;
using loop::Schedule;
using loop::Task;

// The kernel is verified and its text says the same; the texts of task and schedule make it again.
void expect_texts(const Task& task, const Scheduled& it) {
  auto verified = loop::verify(it.kernel);
  ASSERT_TRUE(verified) << verified.error().message;
  std::string printed = print(it.kernel);
  auto parsed = loop::parse_kernel(printed);
  ASSERT_TRUE(parsed) << parsed.error().message << "\n" << printed;
  ASSERT_EQ(print(*parsed), printed);
  verified = loop::verify(*parsed);
  ASSERT_TRUE(verified) << verified.error().message << "\n" << printed;
  auto same_task = loop::parse_task(text_of(task));
  auto same_schedule = loop::parse_schedule(text_of(it.schedule));
  ASSERT_TRUE(same_task && *same_task == task);
  ASSERT_TRUE(same_schedule);
  auto again = replay(*same_task, *same_schedule);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(print(*again), printed);
}

std::string_view word_of(const Move& move) {
  switch (move.kind) {
    case loop::MoveKind::Split:
      return text_of(move.tail);
    case loop::MoveKind::Mark:
      return text_of(move.mark);
    case loop::MoveKind::Order:
      return "order";
    case loop::MoveKind::Share:
      return "share";
  }
}

// Whether it could be lowered.
bool expect_right_for_target(const Task& task, const Scheduled& it, Case& c, const Target& target, Rng& rng) {
  SCOPED_TRACE(text_of(target));
  auto module = lowered(it.kernel, target);
  if (!module) {
    EXPECT_EQ(module.error().code, ErrorCode::UnsupportedModel) << module.error().message;
    return false;
  }
  bool fused = rng.below(2) == 0;
  expect_right(
      task, c,
      [&](const Task& one) {
        if (one == task) return run_lowered(*module, c, fused, rng);
        return run_lowered(lowered(replay(one, it.schedule).value(), target).value(), c, fused, rng);
      },
      fused && target.simd == SimdLevel::Relaxed);
  return true;
}

TEST(Schedules, ChangeNothingInWhatIsComputed) {
  Rng rng(random_seed(3));
  std::map<std::string_view, int> lowered_moves;
  int declined = 0;
  const int rounds = random_rounds(1500);
  for (int round = 0; round < rounds; ++round) {
    Task task = random_task(rng);
    Scheduled it = random_schedule(task, rng);
    SCOPED_TRACE(cat("round ", round, "\n", text_of(task), "\n", text_of(it.schedule)));
    ASSERT_NO_FATAL_FAILURE(expect_texts(task, it));
    Case c = random_case(task, rng.below(2) == 0 ? Data::Integers : Data::Specials, rng);
    expect_right(task, c, [&](const Task& one) {
      return run_loops(one == task ? it.kernel : replay(one, it.schedule).value(), c, rng);
    });
    const Target& target = all_targets()[rng.below(all_targets().size())];
    bool is_lowered = expect_right_for_target(task, it, c, target, rng);
    if (HasFailure()) FAIL() << c.text() << "\n" << print(it.kernel);
    declined += is_lowered ? 0 : 1;
    for (const Move& move : it.schedule.moves) lowered_moves[word_of(move)] += is_lowered ? 1 : 0;
  }
  // Every kind of move was met often enough to mean something.
  EXPECT_LT(declined, rounds / 20);
  for (const char* kind : {"serial", "parallel", "call", "unroll", "vector", "partial", "exact", "rest",
                           "even", "padded", "order"}) {
    EXPECT_GT(lowered_moves[kind], 10) << kind;
  }
}

// Found by the test above, in more rounds than it has every day: each was lowered to something else once.
TEST(Schedules, ThatWereLoweredWronglyOnce) {
  struct {
    const char *task, *moves;
  } const kCases[] = {
      // The lanes of a vector are the chunks of a padded split.
      {"map outer 0 strides 0 steps",
       "split i 1 padded as a, b split b 3 rest as e, f split a 4 rest as c, d vector d"},
      // A split by a size inside of chunks that are split exactly.
      {"map outer 0 strides 1 steps",
       "split i 16 rest as a, b split b 4 exact as c, d split d s rest as e, f"},
      // A call in whole chunks, and in the rest.
      {"map outer 1 strides 1 steps", "split o0 16 rest as a, b split b 4 exact as c, d call i"},
      // A call that needs the place in the range and where the range begins.
      {"map outer 4 strides 1 steps", "order i, o2, o0, o1, o3 call o1 parallel i"},
      // A call between the chunks and their lanes.
      {"map outer 1 strides 1 steps", "split i 4 rest as a, b order a, o0, b vector b call o0"},
      // A part of a vector inside of the last chunk of another loop's padded split.
      {"map outer 1 strides 0 steps",
       "split o0 1 padded as a, b split i 4 rest as c, d order c, a, b, d vector d"},
      // A loop whose extent depends on one further in, which is declined.
      {"map outer 0 strides 0 steps",
       "split i 1 exact as a, b split b 4 rest as c, d order c, d, a unroll c split d 16 rest as e, f "
       "order e, a, f, c call a"},
      // Chunks of a padded split that are written out: only the last of them ends early.
      {"matmul tail 1 one_row",
       "split j 8 padded as jp, j1 split jp 4 even as j0, jn split j1 4 exact as j2, j3 unroll jn, j2 "
       "vector j3 order b, j0, k, jn, j2, j3"},
  };
  Rng rng(5);
  for (const auto& [task_text, moves] : kCases) {
    SCOPED_TRACE(moves);
    Task task = loop::parse_task(task_text).value();
    const std::string_view text = task_text;
    Schedule schedule = {std::string(text.substr(0, text.find(' '))), loop::parse_moves(moves).value()};
    auto kernel = replay(task, schedule);
    ASSERT_TRUE(kernel) << kernel.error().message;
    Scheduled it{*kernel, schedule};
    for (int i = 0; i < 40; ++i) {
      Case c = random_case(task, Data::Integers, rng);
      for (const Target& target : all_targets()) expect_right_for_target(task, it, c, target, rng);
      if (HasFailure()) FAIL() << c.text() << "\n" << print(it.kernel);
    }
  }
}

TEST(Schedules, WrongMovesAreDeclined) {
  Rng rng(random_seed(4));
  for (int round = 0; round < random_rounds(60); ++round) {
    Kernel kernel = random_schedule(random_task(rng), rng).kernel;
    std::string before = print(kernel);
    for (int i = 0; i < 10; ++i) {
      Move move = wrong_move(kernel, rng);
      auto status = apply(kernel, move);
      ASSERT_FALSE(status) << text_of(move) << "\n" << before;
      ASSERT_EQ(status.error().code, ErrorCode::InvalidArgument);
      ASSERT_FALSE(status.error().message.empty());
    }
    ASSERT_EQ(print(kernel), before);
  }
}

}  // namespace
}  // namespace fuselane
