// lowered_cases SEED COUNT: prints as JSON kernels of the listed tasks and of COUNT random ones, half of them
// with a random schedule, at every SIMD level: module, memory before a call and after it by the interpreter
// of instructions, and random pieces of the same range.
#include <cstdio>
#include <cstdlib>

#include "base/printer.h"
#include "emit/emit.h"
#include "loop/evaluate.h"
#include "low/print.h"
#include "schedule/schedule.h"
#include "tests/lowered/lowered.h"
#include "tests/support/hex.h"
#include "tests/support/kernel_cases/random_move.h"
#include "tests/support/kernel_cases/run_loops.h"
#include "tests/support/kernel_cases/tasks.h"

namespace fuselane {
namespace {

constexpr size_t kPages = 2;

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

std::string hex_after(const Lowered& it, const Image& before, int32_t extent, bool fused) {
  Image image = before;
  if (auto status = run_pieces(it.module, image, {0, extent}, fused); !status)
    give_up(cat(low::print(it.module), status.error().message));
  return hex(std::span(image.memory).subspan(image.begin));
}

void print_case(const loop::Task& task, const loop::Schedule& schedule, const Target& target, Data data,
                Rng& rng) {
  static bool is_first = true;
  auto it = lowered(replay(task, schedule).value(), target);
  if (!it) return;  // a random schedule that is declined
  Case c = random_case(task, data, rng);
  std::vector<int64_t> sizes = c.sizes_for(it->kernel, rng);
  Image before(c, sizes, kPages, rng);
  auto extent = static_cast<int32_t>(loop::parallel_extent(it->kernel, sizes));
  std::string out = cat(is_first ? "" : ",\n", "{\"task\":");
  is_first = false;
  append_quoted(out, text_of(task));
  append(out, ",\"schedule\":");
  append_quoted(out, text_of(schedule));
  append(out, cat(",\"simd\":\"", text_of(target.simd), "\",\"bytes\":\"",
                  hex(emit(it->module, {.names = true})), "\",\"pages\":", kPages,
                  ",\"arguments\":", before.arguments, ",\"cuts\":[", join(random_cuts(extent, rng)), "],"));
  append(out, cat("\"before\":\"", hex(std::span(before.memory).subspan(before.begin)), "\",\"after\":\"",
                  hex_after(*it, before, extent, true), "\""));
  if (target.simd == SimdLevel::Relaxed)
    append(out, cat(",\"twice\":\"", hex_after(*it, before, extent, false), "\""));
  std::printf("%s}", out.c_str());
}

}  // namespace
}  // namespace fuselane

int main(int count, char** arguments) {
  using namespace fuselane;
  if (count != 3) give_up("lowered_cases SEED COUNT");
  Rng rng(std::strtoull(arguments[1], nullptr, 10));
  std::printf("{\"gap\":%u,\"cases\":[\n", kGapBits);
  for (const loop::Task& task : listed_task_values()) {
    for (const Target& target : all_targets())
      print_case(task, default_schedule(task, target), target, Data::Specials, rng);
  }
  for (long i = std::strtol(arguments[2], nullptr, 10); i > 0; --i) {
    loop::Task task = random_task(rng);
    loop::Schedule schedule = random_schedule(task, rng).schedule;
    for (const Target& target : all_targets())
      print_case(task, i % 2 == 0 ? schedule : default_schedule(task, target), target, Data::Specials, rng);
  }
  std::printf("]}\n");
  return 0;
}
