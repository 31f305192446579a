#include "schedule/schedule.h"

#include <algorithm>
#include <cassert>

#include "base/printer.h"
#include "loop/legality.h"
#include "loop/moves.h"
#include "schedule/families.h"

namespace fuselane {
namespace {

std::string_view family_of(const loop::MatMulTask&) { return "matmul"; }
std::string_view family_of(const loop::ConvTask&) { return "conv"; }
std::string_view family_of(const loop::DepthwiseTask&) { return "depthwise"; }
std::string_view family_of(const loop::MapTask&) { return "map"; }
std::string_view family_of(const loop::ReduceTask&) { return "reduce"; }

loop::Kernel plain(const loop::MatMulTask& task) { return plain_matmul(task); }
loop::Kernel plain(const loop::ConvTask& task) { return plain_conv(task); }
loop::Kernel plain(const loop::DepthwiseTask& task) { return plain_depthwise(task); }
loop::Kernel plain(const loop::MapTask& task) { return plain_map(task); }
loop::Kernel plain(const loop::ReduceTask& task) { return plain_reduce(task); }

std::string usual(const loop::MatMulTask& task, const Target& target) { return default_matmul(task, target); }
std::string usual(const loop::ConvTask& task, const Target& target) { return default_conv(task, target); }
std::string usual(const loop::DepthwiseTask& task, const Target& target) {
  return default_depthwise(task, target);
}
std::string usual(const loop::MapTask& task, const Target& target) { return default_map(task, target); }
std::string usual(const loop::ReduceTask& task, const Target& target) { return default_reduce(task, target); }

}  // namespace

Result<loop::Kernel> plain_kernel(const loop::Task& task, std::string_view algorithm) {
  std::string_view family = std::visit([](const auto& any) { return family_of(any); }, task);
  if (algorithm != family)
    return fail(ErrorCode::InvalidArgument,
                cat("algorithm ", algorithm, " is not one for this task; ", family, " is"));
  return std::visit([](const auto& any) { return plain(any); }, task);
}

loop::Schedule default_schedule(const loop::Task& task, const Target& target) {
  auto schedule = loop::parse_schedule(std::visit([&](const auto& any) { return usual(any, target); }, task));
  assert(schedule);
  return *std::move(schedule);
}

Result<loop::Kernel> replay(const loop::Task& task, const loop::Schedule& schedule) {
  loop::Kernel kernel = TRY(plain_kernel(task, schedule.algorithm));
  bool is_legal = std::ranges::all_of(
      schedule.moves, [&](const loop::Move& move) { return apply_unchecked(kernel, move).has_value(); });
  if (is_legal && check_loops(kernel)) return kernel;
  // Once more, to find the move.
  kernel = TRY(plain_kernel(task, schedule.algorithm));
  for (const loop::Move& move : schedule.moves) {
    if (auto status = apply(kernel, move); !status)
      return fail(status.error().code,
                  cat("move '", text_of(move), "' is declined: ", status.error().message));
  }
  return kernel;
}

}  // namespace fuselane
