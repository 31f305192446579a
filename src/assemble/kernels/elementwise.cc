// Elementwise operators on float32: of one operand over the elements as they lie, of two and three over a
// loop nest.
#include <cstddef>
#include <limits>

#include "assemble/kernels/generated.h"
#include "assemble/kernels/nest.h"
#include "assemble/kernels/planners.h"
#include "library/cast.h"
#include "library/elementwise.h"

namespace fuselane {
namespace {

using Steps = std::vector<loop::Step>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A bound of Clip: what it is when absent, and nothing when it is not known while planning.
std::optional<float> bound(const Site& site, size_t operand, float absent) {
  if (!site.has(operand)) return absent;
  const Tensor* known = site.known(operand);
  if (!known || known->count() != 1) return std::nullopt;
  return static_cast<float>(known->number(0));
}

Steps one(loop::Function function) { return {{.function = function}}; }

Steps activation(ActivationKind kind, float a = 0, float b = 0) {
  return {{.function = loop::Function::Activate, .activation = {kind, a, b}}};
}

// A power whose exponent is known to be one of a few.
std::optional<Steps> power_of(const Site& site) {
  using enum loop::Function;
  const Tensor* exponent = site.known(1);
  if (!exponent || exponent->count() != 1 || site.dims(0) != site.result_dims(0)) return std::nullopt;
  double e = exponent->number(0);
  if (e == 2) return one(Square);
  if (e == 3) return one(Cube);
  if (e == 0.5) return one(PowHalf);
  if (e == -0.5) return Steps{{.function = PowHalf, .a = 0}, {.function = Reciprocal, .a = 1}};
  if (e == -1) return one(Reciprocal);
  return std::nullopt;
}

// What a node computes of each element of its first operand alone.
std::optional<Steps> function_of(const Site& site) {
  using enum loop::Function;
  const Node& node = site.node();
  auto alpha = static_cast<float>(node.number(Attr::Alpha));
  auto beta = static_cast<float>(node.number(Attr::Beta));
  if (node.op == Op::Abs) return one(Abs);
  if (node.op == Op::Neg) return one(Neg);
  if (node.op == Op::Floor) return one(Floor);
  if (node.op == Op::Ceil) return one(Ceil);
  if (node.op == Op::Sqrt) return one(Sqrt);
  if (node.op == Op::Exp) return one(Exp);
  if (node.op == Op::Log) return one(Log);
  if (node.op == Op::Erf) return one(Erf);
  if (node.op == Op::Relu) return activation(ActivationKind::Clamp, 0, kInfinity);
  if (node.op == Op::LeakyRelu) return activation(ActivationKind::LeakyRelu, alpha);
  if (node.op == Op::HardSigmoid) return activation(ActivationKind::HardSigmoid, alpha, beta);
  if (node.op == Op::HardSwish) return activation(ActivationKind::HardSwish);
  if (node.op == Op::Sigmoid) return activation(ActivationKind::Sigmoid);
  if (node.op == Op::Tanh) return activation(ActivationKind::Tanh);
  if (node.op == Op::Pow) return power_of(site);
  if (node.op == Op::Clip) {
    auto low = bound(site, 1, -kInfinity);
    auto high = bound(site, 2, kInfinity);
    if (low && high) return activation(ActivationKind::Clamp, *low, *high);
  }
  return std::nullopt;
}

std::optional<loop::Function> pair_function_of(Op op) {
  using enum loop::Function;
  if (op == Op::Add) return Add;
  if (op == Op::Sub) return Sub;
  if (op == Op::Mul) return Mul;
  if (op == Op::Div) return Div;
  if (op == Op::Min) return Min;
  if (op == Op::Max) return Max;
  if (op == Op::PRelu) return PRelu;
  return std::nullopt;
}

std::optional<CompareKind> compare_kind_of(Op op) {
  if (op == Op::Equal) return CompareKind::Equal;
  if (op == Op::Greater) return CompareKind::Greater;
  if (op == Op::GreaterOrEqual) return CompareKind::GreaterOrEqual;
  if (op == Op::Less) return CompareKind::Less;
  if (op == Op::LessOrEqual) return CompareKind::LessOrEqual;
  return std::nullopt;
}

bool plan_function(Site& site, Steps steps) {
  Layout layout = site.dims(0).size() > 2 ? site.layout(0) : Layout::RowMajor;
  auto count = static_cast<uint32_t>(*element_count(site.dims(0)));
  LoopNest nest{.loops = 1, .extent = {count}, .stride = {{1}, {1}}};
  auto call = prepare_map(site, std::move(steps), nest, 1);
  if (!call) return false;
  BufferId x = site.input(0, layout);
  call_generated(site, *call, {x, site.output_over(0, {0}, layout)}, map_grain(nest));
  return true;
}

bool plan_pair_function(Site& site, loop::Function function) {
  size_t operands[] = {0, 1};
  auto plan = plan_nest(site, operands);
  if (!plan) return false;
  Steps steps = {{.function = function, .a = 0, .b = 1}};
  Activation activation = activation_of(site.node());
  if (activation.kind != ActivationKind::None)
    steps.push_back({.function = loop::Function::Activate, .a = 2, .activation = activation});
  auto call = prepare_map(site, std::move(steps), plan->nest, 2);
  if (!call) return false;
  BufferId a = site.input(0, plan->operands[0]);
  BufferId b = site.input(1, plan->operands[1]);
  call_generated(site, *call, {a, b, site.output_over(0, {0, 1}, plan->layout)}, map_grain(plan->nest));
  return true;
}

// By a kernel of the library.
template <class Args>
bool plan_pair(Site& site, KernelId kernel, Args args) {
  size_t operands[] = {0, 1};
  auto plan = plan_nest(site, operands);
  if (!plan) return false;
  args.nest = plan->nest;
  BufferId a = site.input(0, plan->operands[0]);
  BufferId b = site.input(1, plan->operands[1]);
  BufferId y = site.output_over(0, {0, 1}, plan->layout);
  site.call(row(kernel), args, {{offsetof(Args, a), a}, {offsetof(Args, b), b}, {offsetof(Args, y), y}},
            {a, b}, {y}, nest_extent(args.nest), 1);
  return true;
}

}  // namespace

Result<bool> plan_elementwise(Site& site) {
  Dims y = site.result_dims(0);
  if (site.dtype(0) != DType::Float32 || !fits32(y) || element_count(y) == 0) return false;
  if (auto steps = function_of(site)) return plan_function(site, *std::move(steps));
  if (site.input_count() != 2 || site.dtype(1) != DType::Float32) return false;
  if (auto function = pair_function_of(site.node().op)) return plan_pair_function(site, *function);
  if (site.node().op == Op::Pow)
    return plan_pair(site, KernelId::Power, PowerArgs{.activation = activation_of(site.node())});
  if (auto kind = compare_kind_of(site.node().op))
    return plan_pair(site, KernelId::Compare, CompareArgs{.kind = *kind});
  return false;
}

Result<bool> plan_cast(Site& site) {
  DType from = site.dtype(0);
  DType to = site.result_dtype(0);
  const Dims& dims = site.dims(0);
  if (!cast_supports(from) || !cast_supports(to) || !fits32(dims) || element_count(dims) == 0) return false;
  Layout layout = dims.size() > 2 ? site.layout(0) : Layout::RowMajor;
  BufferId x = site.input(0, layout);
  BufferId y = site.output(0, layout);
  CastArgs args{.count = static_cast<uint32_t>(*element_count(dims)), .from = from, .to = to};
  site.call(row(KernelId::Cast), args, {{offsetof(CastArgs, x), x}, {offsetof(CastArgs, y), y}}, {x}, {y},
            cast_extent(args.count), 1);
  return true;
}

Result<bool> plan_where(Site& site) {
  Dims y = site.result_dims(0);
  if (bits_of(site.dtype(1)) != 32 || !fits32(y) || element_count(y) == 0) return false;
  size_t operands[] = {0, 1, 2};
  auto plan = plan_nest(site, operands);
  if (!plan) return false;
  BufferId condition = site.input(0, plan->operands[0]);
  BufferId a = site.input(1, plan->operands[1]);
  BufferId b = site.input(2, plan->operands[2]);
  BufferId to = site.output_over(0, {1, 2}, plan->layout);
  WhereArgs args{.nest = plan->nest};
  site.call(row(KernelId::Where), args,
            {{offsetof(WhereArgs, condition), condition},
             {offsetof(WhereArgs, a), a},
             {offsetof(WhereArgs, b), b},
             {offsetof(WhereArgs, y), to}},
            {condition, a, b}, {to}, nest_extent(args.nest), 1);
  return true;
}

}  // namespace fuselane
