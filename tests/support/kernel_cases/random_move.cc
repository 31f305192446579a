#include "tests/support/kernel_cases/random_move.h"

#include <limits>

#include "base/printer.h"
#include "loop/legality.h"
#include "schedule/schedule.h"

namespace fuselane {
namespace {

using loop::Kernel;
using loop::Loop;
using loop::LoopKind;
using loop::Mark;
using loop::Move;
using loop::Tail;

template <size_t N>
auto one_of(const auto (&values)[N], Rng& rng) {
  return values[rng.below(N)];
}

#define TAIL(id, text) Tail::id,
constexpr Tail kTails[] = {
#include "loop/words.def"
};
#undef TAIL
#define MARK(id, text) Mark::id,
constexpr Mark kMarks[] = {
#include "loop/words.def"
};
#undef MARK

std::vector<std::string> names(const Kernel& kernel, const std::vector<Loop>& loops) {
  std::vector<std::string> list;
  for (const Loop& loop : loops) list.push_back(kernel[loop.symbol].name);
  return list;
}

// Of all loops around one of the nests.
std::vector<std::string> names(const Kernel& kernel, Rng& rng) {
  return names(kernel, loop::path_of(kernel, kernel.nests[rng.below(kernel.nests.size())]));
}

Move random_split(const std::string& loop, int number, Rng& rng) {
  constexpr int64_t kFactors[] = {4, 4, 8, 8, 16, 1, 2, 3, 6};
  constexpr int64_t kFactorsOfEven[] = {1, 2, 3, 4, 6};  // for each size of its chunks there is code
  Tail tail = one_of(kTails, rng);
  std::string outer = cat("x", number, "o"), inner = cat("x", number, "i");
  if (rng.below(4) == 0) return loop::split(loop, cat("s", number), tail, outer, inner);
  int64_t factor = tail == Tail::Even ? one_of(kFactorsOfEven, rng) : one_of(kFactors, rng);
  return loop::split(loop, factor, tail, outer, inner);
}

Move random_order(const Kernel& kernel, Rng& rng) {
  // Those around all nests have an order of their own.
  bool is_outer = !kernel.outer.empty() && rng.below(4) == 0;
  std::vector<std::string> loops =
      names(kernel, is_outer ? kernel.outer : kernel.nests[rng.below(kernel.nests.size())].loops);
  for (size_t i = loops.size(); i-- > 1;) std::swap(loops[i], loops[rng.below(i + 1)]);
  return loop::order(loops);
}

}  // namespace

Move random_move(const Kernel& kernel, int number, Rng& rng) {
  std::vector<std::string> loops = names(kernel, rng);
  std::string any = loops[rng.below(loops.size())];
  switch (rng.below(5)) {
    case 0:
    case 1:
      return random_split(any, number, rng);
    case 2:
      return random_order(kernel, rng);
    default:
      for (const Loop& loop : kernel.nests[rng.below(kernel.nests.size())].loops) {
        if (loop.extent == loop::Index(loop::kLanes) && rng.below(2) == 0) {
          any = kernel[loop.symbol].name;
          if (rng.below(2) == 0) return loop::mark(Mark::Vector, {any});
        }
      }
      return loop::mark(one_of(kMarks, rng), {any});
  }
}

Move wrong_move(const Kernel& kernel, Rng& rng) {
  std::vector<std::string> loops = names(kernel, rng);
  std::string any = loops[rng.below(loops.size())];
  constexpr int64_t kFactors[] = {0, -1, std::numeric_limits<int64_t>::min(), (1 << 20) + 1,
                                  std::numeric_limits<int64_t>::max()};
  std::vector<std::string> twice = loops;
  twice.push_back(any);
  std::vector<std::string> fewer(loops.begin() + 1, loops.end());
  switch (rng.below(10)) {
    case 0:
      return loop::split(any, one_of(kFactors, rng), one_of(kTails, rng), "new0", "new1");
    case 1:
      return loop::split("nowhere", 4, one_of(kTails, rng), "new0", "new1");
    case 2:
      return loop::split(any, 4, one_of(kTails, rng), "new0", "new0");
    case 3:
      return loop::split(any, 4, one_of(kTails, rng), any, "new1");
    case 4:
      return loop::split(any, any, one_of(kTails, rng), "new0", "new1");
    case 5:
      return loop::order(twice);
    case 6:
      return loop::order(fewer);
    case 7:
      return loop::mark(one_of(kMarks, rng), {any, "nowhere"});
    case 8:
      return loop::mark(one_of(kMarks, rng), {});
    default:
      return loop::share(rng.between(-1, 3));
  }
}

Scheduled random_schedule(const loop::Task& task, Rng& rng) {
  std::string text = text_of(task);
  std::string algorithm = text.substr(0, text.find(' '));
  Scheduled it{plain_kernel(task, algorithm).value(), {algorithm, {}}};
  int moves = static_cast<int>(rng.below(25));
  for (int i = 0; i < moves; ++i) {
    Move move = random_move(it.kernel, i, rng);
    if (apply(it.kernel, move)) it.schedule.moves.push_back(std::move(move));
  }
  return it;
}

}  // namespace fuselane
