#include "lower/lower.h"

#include <utility>

#include "lower/nests.h"

namespace fuselane {
namespace {

Status lower_kernel(lower_ir::Unit& unit, const loop::Kernel& kernel) {
  low::FunctionId id = unit.add(kernel.name, true);
  low::Function& function = *unit.functions[id.index];
  lower_ir::Nests nests(unit, function, kernel);
  low::Builder builder(function);
  builder.parameter(low::Type::I32, "args");
  low::RegisterId begin = builder.parameter(low::Type::I32, "begin");
  low::RegisterId end = builder.parameter(low::Type::I32, "end");
  function.result = low::Type::I32;
  nests.range(begin, end);
  builder.give(builder.i32(0));
  return nests.status();
}

}  // namespace

Result<low::Module> lower(std::span<const loop::Kernel> kernels, const Target& target) {
  lower_ir::Unit unit(target);
  for (const loop::Kernel& kernel : kernels) TRY(lower_kernel(unit, kernel));
  low::Module module{.shared_memory = target.shared_memory, .functions = {}};
  for (auto& function : unit.functions) module.functions.push_back(std::move(*function));
  return module;
}

}  // namespace fuselane
