#include "engine/workbench.h"

#include <algorithm>

#include "base/printer.h"
#include "emit/emit.h"
#include "emit/wat.h"
#include "engine/workbench_call.h"
#include "graph/parse.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "loop/interpret.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "loop/verify.h"
#include "low/interpret.h"
#include "low/parse.h"
#include "low/print.h"
#include "low/verify.h"
#include "lower/lower.h"
#include "schedule/schedule.h"

namespace fuselane::workbench {
namespace {

// In the order in which one is made of the other; a schedule is only shown.
enum class Level : uint8_t { Graph, Task, Schedule, Loops, Low, Wat };
constexpr std::string_view kLevels[] = {"graph", "tasks", "schedule", "loops", "low", "wat"};

std::string_view text_of(Level level) { return kLevels[static_cast<size_t>(level)]; }

std::string_view first_word(std::string_view text) {
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return {};
    text.remove_prefix(begin);
    if (!text.starts_with("//")) break;
    text.remove_prefix(std::min(text.size(), text.find('\n')));
  }
  const size_t end = text.find_first_of(" \t\r\n\"{(");
  return text.substr(0, end);
}

Result<Level> level_of(std::string_view text) {
  const std::string_view word = first_word(text);
  if (word == "graph") return Level::Graph;
  if (word == "matmul" || word == "conv" || word == "depthwise" || word == "map" || word == "reduce")
    return Level::Task;
  if (word == "kernel") return Level::Loops;
  if (word == "func" || word == "memory") return Level::Low;
  return fail(ErrorCode::InvalidText,
              cat("a text begins with graph, matmul, conv, depthwise, map, reduce, kernel, func or "
                  "memory, not with '",
                  word, "'"));
}

Result<loop::Schedule> schedule_of(const loop::Task& task, const Options& options) {
  if (!options.schedule.empty()) return loop::parse_schedule(options.schedule);
  return default_schedule(task, options.target);
}

Result<loop::Kernel> loops_of(std::string_view text, Level level, const Options& options) {
  if (level == Level::Loops) {
    loop::Kernel kernel = TRY(loop::parse_kernel(text));
    TRY(loop::verify(kernel));
    return kernel;
  }
  if (level != Level::Task)
    return fail(ErrorCode::InvalidArgument, cat("loops are not made of text at level ", text_of(level)));
  const loop::Task task = TRY(loop::parse_task(text));
  loop::Kernel kernel = TRY(replay(task, TRY(schedule_of(task, options))));
  TRY(loop::verify(kernel));
  return kernel;
}

Result<low::Module> low_of(std::string_view text, Level level, const Options& options) {
  const low::Feature most =
      options.target.simd == SimdLevel::Relaxed ? low::Feature::RelaxedSimd : low::Feature::Simd;
  low::Module module;
  if (level == Level::Low) {
    module = TRY(low::parse(text));
  } else {
    const loop::Kernel kernel = TRY(loops_of(text, level, options));
    module = TRY(lower({&kernel, 1}, options.target));
  }
  module.shared_memory = options.target.shared_memory;
  TRY(low::verify(module, most));
  return module;
}

}  // namespace

Result<std::string> show(std::string_view text, std::string_view level, const Options& options) {
  const Level from = TRY(level_of(text));
  const auto at = std::ranges::find(kLevels, level);
  if (at == std::end(kLevels)) {
    return fail(ErrorCode::InvalidArgument, cat("there is no level '", level,
                                                "' for text; the levels are graph, tasks, schedule, loops, "
                                                "low and wat"));
  }
  const auto to = static_cast<Level>(at - std::begin(kLevels));
  if (to < from)
    return fail(ErrorCode::InvalidArgument, cat("the text is at level ", text_of(from), ", below ", level));
  switch (to) {
    case Level::Graph: {
      const Graph graph = TRY(parse_graph(text));
      TRY(verify(graph));
      return print(graph);
    }
    case Level::Task:
    case Level::Schedule: {
      if (from != Level::Task)
        return fail(ErrorCode::InvalidArgument, cat("a graph's text cannot be brought to level ", level));
      const loop::Task task = TRY(loop::parse_task(text));
      if (to == Level::Task) return loop::text_of(task);
      return loop::text_of(TRY(schedule_of(task, options)));
    }
    case Level::Loops:
      return loop::print(TRY(loops_of(text, from, options)));
    case Level::Low:
      return low::print(TRY(low_of(text, from, options)));
    case Level::Wat:
      return wat_of(TRY(assemble(text, options)));
  }
  return {};
}

Result<std::vector<uint8_t>> assemble(std::string_view text, const Options& options) {
  return emit(TRY(low_of(text, TRY(level_of(text)), options)), {.names = true});
}

Result<std::vector<uint8_t>> make(std::string_view task, const Options& options) {
  const loop::Task parsed = TRY(loop::parse_task(task));
  const loop::Kernel kernel = TRY(replay(parsed, TRY(schedule_of(parsed, options))));
  return emit(TRY(lower({&kernel, 1}, options.target)));
}

Status interpret(std::string_view text, const Options& options, std::span<std::vector<float>> buffers,
                 std::span<const int64_t> sizes) {
  const loop::Kernel kernel = TRY(loops_of(text, TRY(level_of(text)), options));
  loop::Arguments arguments;
  for (std::vector<float>& buffer : buffers) arguments.buffers.emplace_back(std::span<float>(buffer));
  arguments.sizes.assign(sizes.begin(), sizes.end());
  return loop::interpret(kernel, arguments);
}

Result<Call> call_of(std::string_view text, const Options& options,
                     std::span<const std::pair<std::string, int64_t>> sizes) {
  return call_of(TRY(loops_of(text, TRY(level_of(text)), options)), sizes);
}

Status interpret_low(std::string_view text, const Options& options, std::span<uint8_t> memory,
                     int32_t arguments, int32_t extent) {
  const low::Module module = TRY(low_of(text, TRY(level_of(text)), options));
  std::vector<size_t> kernels;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    const low::Function& function = module.functions[i];
    const auto parameters = std::span(function.registers).first(function.parameters);
    if (function.exported && parameters.size() == 3 && function.result == low::Type::I32 &&
        std::ranges::all_of(parameters, [](const low::Register& r) { return r.type == low::Type::I32; }))
      kernels.push_back(i);
  }
  if (kernels.size() != 1) {
    return fail(ErrorCode::InvalidArgument,
                cat("the text exports ", kernels.size(),
                    " functions of (arguments: i32, begin: i32, end: i32) -> i32, not one kernel"));
  }
  const low::Value values[] = {low::Value::of(arguments), low::Value::of(int32_t{0}), low::Value::of(extent)};
  TRY(low::interpret(module, low::FunctionId(kernels[0]), values, {.memory = memory}));
  return {};
}

}  // namespace fuselane::workbench
