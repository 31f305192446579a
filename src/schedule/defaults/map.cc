// Maps: vectors along the inner loop, in chunks that threads share.
#include "base/printer.h"
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

namespace {

// A body that takes longer than its loop gains nothing from being written out several times.
bool is_long(const MapTask& task) {
  for (const Step& step : task.steps) {
    bool clamps = step.activation.kind == ActivationKind::Clamp;
    if (step.function == Function::Activate && !clamps) return true;
    if (step.function == Function::Exp || step.function == Function::Log || step.function == Function::Erf)
      return true;
  }
  return task.steps.size() > 4;
}

}  // namespace

std::string default_map(const MapTask& task, const Target&) {
  std::string out =
      "algorithm map\n"
      "split i chunk rest as ic, ii\n";
  append(out, is_long(task) ? "split ii 4 rest as i0, i3\n"
                            : "split ii 16 rest as i0, i1\n"
                              "split i1 4 exact as i2, i3\n"
                              "unroll i2\n");
  append(out,
         "vector i3\n"
         "parallel ");
  for (uint32_t d = 0; d < task.outer; ++d) append(out, cat("o", d, ", "));
  append(out, "ic\n");
  return out;
}

}  // namespace fuselane
