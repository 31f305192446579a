#include "tests/support/kernel_cases/tasks.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace fuselane {
namespace {

using loop::ConvTask;
using loop::DepthwiseTask;
using loop::Function;
using loop::MapTask;
using loop::MatMulTask;
using loop::ReduceTask;
using loop::Step;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool one_in(Rng& rng, uint64_t count) { return rng.below(count) == 0; }

Activation random_activation(Rng& rng) {
#define ACTIVATION(id, text, meaning) ActivationKind::id,
  constexpr ActivationKind kKinds[] = {
#include "types/activation.def"
  };
#undef ACTIVATION
  Activation activation{kKinds[rng.below(std::size(kKinds))], 0, 0};
  auto quarters = [&](int64_t least, int64_t most) {
    return static_cast<float>(rng.between(4 * least, 4 * most)) / 4;
  };
  switch (activation.kind) {
    case ActivationKind::Clamp:
      activation.a = one_in(rng, 4) ? -kInfinity : quarters(-3, 1);
      activation.b = one_in(rng, 4) ? kInfinity : activation.a + quarters(0, 6);
      break;
    case ActivationKind::HardSigmoid:
      activation.a = quarters(-1, 1);
      activation.b = quarters(-1, 1);
      break;
    case ActivationKind::LeakyRelu:
      activation.a = quarters(-2, 2);
      break;
    default:
      break;
  }
  return activation;
}

Step random_step(size_t operands, Rng& rng) {
#define FUNCTION(id, text, count) Function::id,
  constexpr Function kFunctions[] = {
#include "loop/functions.def"
  };
#undef FUNCTION
  Step step;
  // Activations are as many as all others together.
  step.function = one_in(rng, 4) ? Function::Activate : kFunctions[rng.below(std::size(kFunctions))];
  uint8_t count = operands_of(step.function);
  if (count > 0) step.a = static_cast<uint8_t>(one_in(rng, 3) ? rng.below(operands) : operands - 1);
  if (count > 1) step.b = static_cast<uint8_t>(rng.below(operands));
  while (step.function == Function::Activate && step.activation.kind == ActivationKind::None)
    step.activation = random_activation(rng);
  if (step.function == Function::Constant) step.number = static_cast<float>(rng.between(-8, 8)) / 3;
  return step;
}

std::vector<Step> random_steps(size_t operands, size_t count, Rng& rng) {
  std::vector<Step> steps;
  while (steps.size() < count) steps.push_back(random_step(operands + steps.size(), rng));
  return steps;
}

MapTask random_map(Rng& rng) {
  MapTask task;
  task.outer = static_cast<uint8_t>(rng.below(5));
  size_t operands = 1 + rng.below(3);
  while (task.strides.size() < operands) task.strides.push_back(one_in(rng, 3) ? 0 : 1);
  task.steps = random_steps(operands, rng.below(6), rng);
  return task;
}

template <class Product>
Product random_product(Product task, Rng& rng) {
  task.columns_tail = static_cast<uint8_t>(rng.below(8));
  if (one_in(rng, 4)) return task;
  for (size_t operands = rng.below(3); operands > 0; --operands)
    task.strides.push_back(one_in(rng, 3) ? 0 : 1);
  task.finish = random_steps(1 + task.strides.size(), 1 + rng.below(4), rng);
  return task;
}

DepthwiseTask random_depthwise(Rng& rng) {
  DepthwiseTask task;
  task.channels_tail = static_cast<uint8_t>(rng.below(4));
  task.width = static_cast<uint8_t>(one_in(rng, 8) ? rng.between(8, 11) : rng.between(1, 5));
  task.stride = static_cast<uint8_t>(rng.between(1, 3));
  task.dilation = static_cast<uint8_t>(one_in(rng, 2) ? 1 : rng.between(1, 3));
  if (!one_in(rng, 3)) {
    const auto most = static_cast<uint64_t>(std::min((task.width - 1) * task.dilation, 12));
    task.borders = {static_cast<uint8_t>(rng.below(most + 1)), static_cast<uint8_t>(rng.below(most + 1))};
  }
  if (one_in(rng, 4)) return task;
  for (size_t operands = rng.below(3); operands > 0; --operands)
    task.strides.push_back(one_in(rng, 3) ? 0 : 1);
  task.finish = random_steps(1 + task.strides.size(), 1 + rng.below(4), rng);
  return task;
}

ReduceTask random_reduce(Rng& rng) {
#define COMBINE(id, text) loop::Combine::id,
  constexpr loop::Combine kCombines[] = {
#include "loop/words.def"
  };
#undef COMBINE
  ReduceTask task;
  task.combine = kCombines[rng.below(std::size(kCombines))];
  task.contiguous = one_in(rng, 2);
  task.prologue = random_steps(1, one_in(rng, 2) ? 0 : rng.below(3), rng);
  task.finish = random_steps(1, one_in(rng, 2) ? 0 : rng.below(3), rng);
  return task;
}

}  // namespace

const std::vector<std::string>& listed_tasks() {
  static const std::vector<std::string> tasks = {
      "matmul tail 0",
      "matmul tail 0 finish activate 0 clamp 0 inf",
      "matmul tail 1 finish activate 0 clamp 0 6",
      "matmul tail 2 finish activate 0 leaky_relu 0.1 0",
      "matmul tail 3 finish activate 0 hard_swish 0 0",
      "matmul tail 4",
      "matmul tail 5 finish activate 0 sigmoid 0 0",
      "matmul tail 6 finish activate 0 tanh 0 0",
      "matmul tail 7 finish activate 0 gelu 0 0",
      "matmul tail 0 strides 1 finish add 0 1, activate 2 clamp 0 inf",
      "matmul tail 5 strides 1 0 finish mul 0 2, add 3 1",
      "matmul tail 0 one_row",
      "matmul tail 1 one_row strides 1 finish add 0 1",
      "matmul tail 3 one_row finish activate 0 silu 0 0",
      "matmul tail 7 one_row finish activate 0 hard_sigmoid 0.2 0.5",
      "conv tail 0",
      "conv tail 0 finish activate 0 clamp 0 inf",
      "conv tail 3 finish activate 0 silu 0 0",
      "conv tail 0 strides 1 finish add 0 1, activate 2 clamp 0 inf",
      "conv tail 5 strides 1 0 finish mul 0 2, add 3 1",
      "depthwise tail 0 width 3 stride 1 dilation 1 borders 1 1",
      "depthwise tail 0 width 3 stride 2 dilation 1 borders 1 0 finish activate 0 clamp 0 6",
      "depthwise tail 2 width 3 stride 1 dilation 1 borders 1 1 strides 1 finish add 0 1",
      "depthwise tail 1 width 3 stride 1 dilation 2 borders 2 2",
      "depthwise tail 0 width 5 stride 1 dilation 1 borders 2 2 finish activate 0 silu 0 0",
      "depthwise tail 3 width 5 stride 2 dilation 1 borders 1 2 strides 0 1 finish mul 0 1, add 3 2",
      "depthwise tail 0 width 7 stride 1 dilation 1 borders 3 3",
      "depthwise tail 0 width 1 stride 1 dilation 1 borders 0 0",
      "depthwise tail 0 width 3 stride 1 dilation 1",
      "depthwise tail 2 width 9 stride 1 dilation 1 finish activate 0 clamp 0 inf",
      "map outer 0 strides 1 steps",
      "map outer 0 strides 1 steps activate 0 clamp 0 inf",
      "map outer 0 strides 1 steps activate 0 gelu 0 0",
      "map outer 0 strides 1 steps activate 0 gelu_tanh 0 0",
      "map outer 0 strides 1 steps exp 0",
      "map outer 0 strides 1 steps log 0",
      "map outer 0 strides 1 steps erf 0",
      "map outer 0 strides 1 steps floor 0, ceil 0, sub 1 2, neg 3, square 4, cube 5",
      "map outer 0 strides 1 steps abs 0, sqrt 1, reciprocal 2, constant 0.5, min 3 4, max 5 0",
      "map outer 0 strides 1 steps pow_half 0, reciprocal 1",
      "map outer 1 strides 1 1 steps add 0 1",
      "map outer 1 strides 1 0 steps mul 0 1, activate 2 silu 0 0",
      "map outer 2 strides 0 1 steps div 0 1",
      "map outer 3 strides 1 0 1 steps prelu 0 1, add 3 2",
      "map outer 4 strides 1 1 steps max 0 1",
      "reduce add contiguous",
      "reduce add contiguous prologue square 0 finish sqrt 0",
      "reduce add contiguous finish constant 49, div 0 1",
      "reduce max contiguous",
      "reduce min contiguous finish neg 0",
      "reduce mul contiguous",
      "reduce add strided",
      "reduce add strided prologue exp 0 finish log 0",
      "reduce max strided prologue abs 0",
      "reduce min strided",
      "reduce mul strided",
  };
  return tasks;
}

std::vector<loop::Task> listed_task_values() {
  std::vector<loop::Task> tasks;
  for (const std::string& text : listed_tasks()) tasks.push_back(loop::parse_task(text).value());
  return tasks;
}

loop::Task random_task(Rng& rng) {
  // Products are few: they differ in little, and take longest.
  if (one_in(rng, 8)) {
    if (one_in(rng, 2)) return random_product(ConvTask(), rng);
    MatMulTask task;
    task.one_row = one_in(rng, 3);
    return random_product(task, rng);
  }
  if (one_in(rng, 6)) return random_depthwise(rng);
  if (one_in(rng, 2)) return random_map(rng);
  return random_reduce(rng);
}

WithoutFinish without_finish(const loop::Task& task) {
  WithoutFinish result{task, {}};
  if (auto* matmul = std::get_if<MatMulTask>(&result.sums)) {
    result.finish.swap(matmul->finish);
  } else if (auto* conv = std::get_if<ConvTask>(&result.sums)) {
    result.finish.swap(conv->finish);
  } else if (auto* depthwise = std::get_if<DepthwiseTask>(&result.sums)) {
    result.finish.swap(depthwise->finish);
  } else if (auto* reduce = std::get_if<ReduceTask>(&result.sums)) {
    result.finish.swap(reduce->finish);
  }
  return result;
}

const std::vector<Target>& all_targets() {
#define SIMD_LEVEL(id, text, what) {.simd = SimdLevel::id},
  static const std::vector<Target> targets = {
#include "types/simd_level.def"
  };
#undef SIMD_LEVEL
  return targets;
}

}  // namespace fuselane
