// Elementwise operators on float32: of one operand over the elements as they lie, of two and three over a
// loop nest.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

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

// Functions of the elements of one operand or two.
constexpr struct {
  Op op;
  loop::Function function;
} kFunctions[] = {
    {Op::Abs, loop::Function::Abs},   {Op::Neg, loop::Function::Neg},   {Op::Floor, loop::Function::Floor},
    {Op::Ceil, loop::Function::Ceil}, {Op::Sqrt, loop::Function::Sqrt}, {Op::Exp, loop::Function::Exp},
    {Op::Log, loop::Function::Log},   {Op::Erf, loop::Function::Erf},   {Op::Add, loop::Function::Add},
    {Op::Sub, loop::Function::Sub},   {Op::Mul, loop::Function::Mul},   {Op::Div, loop::Function::Div},
    {Op::Min, loop::Function::Min},   {Op::Max, loop::Function::Max},   {Op::PRelu, loop::Function::PRelu},
};

// Activations of one operand.
constexpr struct {
  Op op;
  ActivationKind kind;
} kActivations[] = {
    {Op::Relu, ActivationKind::Clamp},          {Op::Clip, ActivationKind::Clamp},
    {Op::LeakyRelu, ActivationKind::LeakyRelu}, {Op::HardSigmoid, ActivationKind::HardSigmoid},
    {Op::HardSwish, ActivationKind::HardSwish}, {Op::Sigmoid, ActivationKind::Sigmoid},
    {Op::Tanh, ActivationKind::Tanh},
};

const auto* row_of(const auto& table, Op op) {
  auto at = std::ranges::find_if(table, [op](const auto& row) { return row.op == op; });
  return at == std::end(table) ? nullptr : at;
}

// The activation that a node is; nothing while the bounds of a Clip are not known.
std::optional<Activation> activation_by(const Site& site, ActivationKind kind) {
  const Node& node = site.node();
  if (node.op == Op::Relu) return Activation{kind, 0, kInfinity};
  if (node.op == Op::Clip) {
    auto low = bound(site, 1, -kInfinity);
    auto high = bound(site, 2, kInfinity);
    if (!low || !high) return std::nullopt;
    return Activation{kind, *low, *high};
  }
  // Those that have no attributes of these names have zeros.
  return Activation{kind, static_cast<float>(node.number(Attr::Alpha)),
                    static_cast<float>(node.number(Attr::Beta))};
}

// The steps of a node, over its first operand or two.
std::optional<Steps> steps_of(const Site& site) {
  const Op op = site.node().op;
  if (op == Op::Pow) return power_of(site);
  if (const auto* row = row_of(kActivations, op)) {
    auto activation = activation_by(site, row->kind);
    if (!activation) return std::nullopt;
    return Steps{{.function = loop::Function::Activate, .activation = *activation}};
  }
  const auto* row = row_of(kFunctions, op);
  if (!row) return std::nullopt;
  return Steps{{.function = row->function, .a = 0, .b = 1}};
}

std::optional<CompareKind> compare_kind_of(Op op) {
  if (op == Op::Equal) return CompareKind::Equal;
  if (op == Op::Greater) return CompareKind::Greater;
  if (op == Op::GreaterOrEqual) return CompareKind::GreaterOrEqual;
  if (op == Op::Less) return CompareKind::Less;
  if (op == Op::LessOrEqual) return CompareKind::LessOrEqual;
  return std::nullopt;
}

// By a kernel of the library.
template <class Args>
bool plan_pair(Site& site, KernelId kernel, Args args) {
  size_t operands[] = {0, 1};
  auto plan = plan_nest(site, operands);
  if (!plan) return false;
  args.nest = plan->nest;
  BufferId a = take_operand(site, *plan, operands, 0);
  BufferId b = take_operand(site, *plan, operands, 1);
  BufferId y = make_result(site, *plan, operands);
  site.call(row(kernel), args, {{offsetof(Args, a), a}, {offsetof(Args, b), b}, {offsetof(Args, y), y}},
            {a, b}, {y}, nest_extent(args.nest), 1);
  return true;
}

}  // namespace

bool is_function_of_elements(Op op) {
  return op == Op::Pow || row_of(kActivations, op) || row_of(kFunctions, op);
}

std::optional<Expression> expression_of(const Site& site) {
  Dims y = site.result_dims(0);
  if (site.dtype(0) != DType::Float32 || !fits32(y) || element_count(y) == 0) return std::nullopt;
  auto steps = steps_of(site);
  if (!steps) return std::nullopt;
  Expression expression{{site.operand(0)}, *std::move(steps), {site.group().node}};
  if (operands_of(expression.steps[0].function) < 2) {
    expression.steps[0].b = 0;
    return expression;
  }
  if (site.input_count() != 2 || site.dtype(1) != DType::Float32) return std::nullopt;
  expression.steps[0].b = site.operand(1) == site.operand(0) ? 0 : 1;
  if (site.operand(1) != site.operand(0)) expression.operands.push_back(site.operand(1));
  Activation activation = activation_of(site.node());
  if (activation.kind != ActivationKind::None) {
    expression.steps.push_back({.function = loop::Function::Activate,
                                .a = static_cast<uint8_t>(expression.operands.size()),
                                .activation = activation});
  }
  return expression;
}

bool plan_map(Site& site) {
  std::vector<size_t> operands(site.operand_count());
  std::iota(operands.begin(), operands.end(), 0);
  auto plan = plan_nest(site, operands);
  if (!plan) return false;
  auto call = prepare_map(site, site.steps(), plan->nest, static_cast<uint32_t>(operands.size()));
  if (!call) return false;
  std::vector<BufferId> buffers;
  for (size_t i : operands) buffers.push_back(take_operand(site, *plan, operands, i));
  buffers.push_back(make_result(site, *plan, operands));
  call_generated(site, *call, buffers, map_grain(plan->nest));
  return true;
}

Result<bool> plan_elementwise(Site& site) {
  Dims y = site.result_dims(0);
  if (site.dtype(0) != DType::Float32 || !fits32(y) || element_count(y) == 0) return false;
  if (auto expression = expression_of(site)) {
    Site whole = site.as(*expression);
    return plan_map(whole);
  }
  if (site.input_count() != 2 || site.dtype(1) != DType::Float32) return false;
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
  BufferId condition = take_operand(site, *plan, operands, 0);
  BufferId a = take_operand(site, *plan, operands, 1);
  BufferId b = take_operand(site, *plan, operands, 2);
  BufferId to = make_result(site, *plan, std::span(operands).subspan(1));
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
