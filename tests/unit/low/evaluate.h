// For tests: the value of an expression's text, from the interpreter.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/printer.h"
#include "low/interpret.h"
#include "low/parse.h"
#include "low/verify.h"

namespace fuselane::low {

struct Evaluation {
  Value value;
  std::string error;
  bool operator==(const Evaluation&) const = default;
};

// Of a whole module: its function "f" without arguments.
inline Evaluation run_text(std::string_view text, Interpretation how = {}) {
  auto module = parse(text);
  if (!module) return {{}, module.error().message};
  if (auto status = verify(*module); !status) return {{}, status.error().message};
  size_t at = 0;
  while (module->functions[at].name != "f") ++at;
  auto result = interpret(*module, FunctionId(at), {}, how);
  return result ? Evaluation{*result, {}} : Evaluation{{}, result.error().message};
}

inline Evaluation evaluate(std::string_view type, std::string_view expression, Interpretation how = {}) {
  return run_text(cat("func f() -> ", type, " { return ", expression, " }"), how);
}

}  // namespace fuselane::low
