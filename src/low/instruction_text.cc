// Names are in an object of their own, so that a program that prints no low IR does not hold them.
#include <algorithm>
#include <vector>

#include "low/instruction.h"

namespace fuselane::low {
namespace {

constexpr std::string_view kOpNames[] = {
#define INSTRUCTION(id, text, result, operands, immediate, width, feature, code) text,
#include "low/instructions.def"
#undef INSTRUCTION
};

constexpr std::string_view kTypeNames[] = {"none", "i32", "i64", "f32", "f64", "v128", "any"};

}  // namespace

std::string_view name_of(Op op) { return kOpNames[static_cast<size_t>(op)]; }

std::string_view name_of(Type type) { return kTypeNames[static_cast<size_t>(type)]; }

std::optional<Op> op_of_name(std::string_view name) {
  static const std::vector<Op> sorted = [] {
    std::vector<Op> ops;
    for (size_t i = 0; i < kOpCount; ++i) ops.push_back(static_cast<Op>(i));
    std::ranges::sort(ops, {}, [](Op op) { return name_of(op); });
    return ops;
  }();
  auto at = std::ranges::lower_bound(sorted, name, {}, [](Op op) { return name_of(op); });
  if (at == sorted.end() || name_of(*at) != name) return std::nullopt;
  return *at;
}

std::optional<Type> type_of_name(std::string_view name) {
  for (Type type : {Type::I32, Type::I64, Type::F32, Type::F64, Type::V128}) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace fuselane::low
