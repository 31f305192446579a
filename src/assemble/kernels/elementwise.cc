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

struct Function {
  UnaryKind kind = UnaryKind::None;
  Activation activation;
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A bound of Clip: what it is when absent, and nothing when it is not known while planning.
std::optional<float> bound(const Site& site, size_t operand, float absent) {
  if (!site.has(operand)) return absent;
  const Tensor* known = site.known(operand);
  if (!known || known->count() != 1) return std::nullopt;
  return static_cast<float>(known->number(0));
}

std::optional<Function> power_of(const Site& site) {
  const Tensor* exponent = site.known(1);
  if (!exponent || exponent->count() != 1 || site.dims(0) != site.result_dims(0)) return std::nullopt;
  double e = exponent->number(0);
  if (e == 2) return Function{UnaryKind::Square, {}};
  if (e == 3) return Function{UnaryKind::Cube, {}};
  if (e == 0.5) return Function{UnaryKind::PowHalf, {}};
  if (e == -0.5) return Function{UnaryKind::PowMinusHalf, {}};
  if (e == -1) return Function{UnaryKind::Reciprocal, {}};
  return std::nullopt;
}

std::optional<Function> activation(ActivationKind kind, float a = 0, float b = 0) {
  return Function{UnaryKind::None, {kind, a, b}};
}

std::optional<Function> function_of(const Site& site) {
  const Node& node = site.node();
  auto alpha = static_cast<float>(node.number(Attr::Alpha));
  auto beta = static_cast<float>(node.number(Attr::Beta));
  if (node.op == Op::Abs) return Function{UnaryKind::Abs, {}};
  if (node.op == Op::Neg) return Function{UnaryKind::Neg, {}};
  if (node.op == Op::Floor) return Function{UnaryKind::Floor, {}};
  if (node.op == Op::Ceil) return Function{UnaryKind::Ceil, {}};
  if (node.op == Op::Sqrt) return Function{UnaryKind::Sqrt, {}};
  if (node.op == Op::Exp) return Function{UnaryKind::Exp, {}};
  if (node.op == Op::Log) return Function{UnaryKind::Log, {}};
  if (node.op == Op::Erf) return Function{UnaryKind::Erf, {}};
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

std::optional<BinaryKind> binary_kind_of(Op op) {
  if (op == Op::Add) return BinaryKind::Add;
  if (op == Op::Sub) return BinaryKind::Sub;
  if (op == Op::Mul) return BinaryKind::Mul;
  if (op == Op::Div) return BinaryKind::Div;
  if (op == Op::Pow) return BinaryKind::Pow;
  if (op == Op::Min) return BinaryKind::Min;
  if (op == Op::Max) return BinaryKind::Max;
  if (op == Op::PRelu) return BinaryKind::PRelu;
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

// The same for a generated kernel; nothing for what none is made for.
std::optional<std::vector<loop::Step>> steps_of(const Function& function) {
  using enum loop::Function;
  auto step = [](loop::Function f) { return std::vector<loop::Step>{{.function = f}}; };
  switch (function.kind) {
    case UnaryKind::None:
      return std::vector<loop::Step>{{.function = Activate, .activation = function.activation}};
    case UnaryKind::Abs:
      return step(Abs);
    case UnaryKind::Neg:
      return step(Neg);
    case UnaryKind::Floor:
      return step(Floor);
    case UnaryKind::Ceil:
      return step(Ceil);
    case UnaryKind::Sqrt:
      return step(Sqrt);
    case UnaryKind::Exp:
      return step(Exp);
    case UnaryKind::Log:
      return step(Log);
    case UnaryKind::Erf:
      return step(Erf);
    case UnaryKind::Square:
      return step(Square);
    case UnaryKind::Cube:
      return step(Cube);
    case UnaryKind::Reciprocal:
      return step(Reciprocal);
    case UnaryKind::PowHalf:
    case UnaryKind::PowMinusHalf:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::vector<loop::Step>> steps_of(BinaryKind kind, const Activation& activation) {
  using enum loop::Function;
  auto steps = [&](loop::Function f) {
    std::vector<loop::Step> list = {{.function = f, .a = 0, .b = 1}};
    if (activation.kind != ActivationKind::None)
      list.push_back({.function = Activate, .a = 2, .activation = activation});
    return list;
  };
  switch (kind) {
    case BinaryKind::Add:
      return steps(Add);
    case BinaryKind::Sub:
      return steps(Sub);
    case BinaryKind::Mul:
      return steps(Mul);
    case BinaryKind::Div:
      return steps(Div);
    case BinaryKind::Min:
      return steps(Min);
    case BinaryKind::Max:
      return steps(Max);
    case BinaryKind::PRelu:
      return steps(PRelu);
    case BinaryKind::Pow:
      return std::nullopt;
  }
  return std::nullopt;
}

bool plan_function(Site& site, const Function& function) {
  Layout layout = site.dims(0).size() > 2 ? site.layout(0) : Layout::RowMajor;
  BufferId x = site.input(0, layout);
  BufferId y = site.output_over(0, {0}, layout);
  UnaryArgs args{.count = static_cast<uint32_t>(*element_count(site.dims(0))),
                 .kind = function.kind,
                 .activation = function.activation};
  LoopNest nest{.loops = 1, .extent = {args.count}, .stride = {{1}, {1}}};
  auto steps = steps_of(function);
  if (steps && call_map(site, *std::move(steps), nest, {x}, y)) return true;
  site.call(row(KernelId::Unary), args, {{offsetof(UnaryArgs, x), x}, {offsetof(UnaryArgs, y), y}}, {x}, {y},
            unary_extent(args.count), 1);
  return true;
}

// `steps`: of a generated kernel that does the same.
template <class Args>
bool plan_pair(Site& site, KernelId kernel, Args args,
               std::optional<std::vector<loop::Step>> steps = std::nullopt) {
  size_t operands[] = {0, 1};
  auto plan = plan_nest(site, operands);
  if (!plan) return false;
  args.nest = plan->nest;
  BufferId a = site.input(0, plan->operands[0]);
  BufferId b = site.input(1, plan->operands[1]);
  BufferId y = site.output_over(0, {0, 1}, plan->layout);
  if (steps && call_map(site, *std::move(steps), args.nest, {a, b}, y)) return true;
  site.call(row(kernel), args, {{offsetof(Args, a), a}, {offsetof(Args, b), b}, {offsetof(Args, y), y}},
            {a, b}, {y}, nest_extent(args.nest), 1);
  return true;
}

}  // namespace

Result<bool> plan_elementwise(Site& site) {
  Dims y = site.result_dims(0);
  if (site.dtype(0) != DType::Float32 || !fits32(y) || element_count(y) == 0) return false;
  if (auto function = function_of(site)) return plan_function(site, *function);
  if (site.input_count() != 2 || site.dtype(1) != DType::Float32) return false;
  if (auto kind = binary_kind_of(site.node().op)) {
    Activation activation = activation_of(site.node());
    return plan_pair(site, KernelId::Binary, BinaryArgs{.kind = *kind, .activation = activation},
                     steps_of(*kind, activation));
  }
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
