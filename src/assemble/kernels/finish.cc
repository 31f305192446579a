#include "assemble/kernels/finish.h"

#include <algorithm>

#include "assemble/kernels/planners.h"

namespace fuselane {
namespace {

// Elements from which on a step of its own, which takes about a microsecond more, is made up for.
constexpr int64_t kLeast = 2048;

bool is_long(const loop::Step& step) {
  switch (step.function) {
    case loop::Function::Exp:
    case loop::Function::Log:
    case loop::Function::Erf:
      return true;
    case loop::Function::Activate:
      break;
    default:
      return false;
  }
  switch (step.activation.kind) {
    case ActivationKind::Sigmoid:
    case ActivationKind::Silu:
    case ActivationKind::Tanh:
    case ActivationKind::Gelu:
    case ActivationKind::GeluTanh:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<loop::Step> finish_of(const Site& site, size_t operands) {
  std::vector<loop::Step> finish;
  Activation activation = activation_of(site.node());
  if (activation.kind == ActivationKind::None) return site.steps();
  finish.push_back({.function = loop::Function::Activate, .a = 0, .activation = activation});
  auto moved = [&](uint8_t place) {
    // Behind the operands is now the activated sum, which is what the steps know as 0.
    if (place == 0) return static_cast<uint8_t>(operands + 1);
    return static_cast<uint8_t>(place > operands ? place + 1 : place);
  };
  for (loop::Step step : site.steps()) {
    step.a = moved(step.a);
    step.b = moved(step.b);
    finish.push_back(step);
  }
  return finish;
}

std::optional<FinishCall> take_apart(const Site& site, std::vector<loop::Step>& finish, size_t operands,
                                     Layout layout, bool strided) {
  if (operands > 0 || std::ranges::none_of(finish, is_long)) return std::nullopt;
  const Dims& dims = site.result_dims(0);
  if (element_count(dims).value_or(0) < kLeast) return std::nullopt;
  const Dims strides =
      memory_dims(strided ? site.output_strides(0, layout) : dense_strides(dims, layout), layout);
  const Dims both[] = {strides, strides};
  const auto nest = collapse(memory_dims(dims, layout), both);
  if (!nest || !has_plain_rows(*nest, 2)) return std::nullopt;
  auto call = prepare_map(site, finish, *nest, 1);
  if (!call) return std::nullopt;
  finish.clear();
  return FinishCall{*std::move(call), map_grain(*nest)};
}

void call_finish(Site& site, const FinishCall& finish, BufferId result) {
  call_generated(site, finish.call, {result, result}, finish.grain);
}

}  // namespace fuselane
