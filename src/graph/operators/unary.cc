// Operators of one operand that compute each element from one element, of the same type and shape.
#include <cmath>

#include "base/checked.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

using enum DTypeKind;
constexpr std::initializer_list<DTypeKind> kFloats = {Float};
constexpr std::initializer_list<DTypeKind> kSignedNumbers = {Float, Signed};
constexpr std::initializer_list<DTypeKind> kNumbers = {Float, Signed, Unsigned};
constexpr std::initializer_list<DTypeKind> kBools = {Bool};

// Alpha and beta are the node's attributes, 0 where the operator has none.
using FloatMeaning = double (*)(double x, double alpha, double beta);
using IntMeaning = int64_t (*)(int64_t x);

struct UnaryMeaning {
  Op op;
  std::initializer_list<DTypeKind> kinds;
  FloatMeaning floats;
  IntMeaning integers;  // null: computed as a float, which the store truncates
};

double sigmoid(double x, double, double) {
  // Never exp of a positive number: its overflow would flush results near 0.
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double clamp_to_unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }  // NaN stays
double hard_sigmoid(double x, double alpha, double beta) { return clamp_to_unit(alpha * x + beta); }
double hard_swish(double x, double, double) { return x * clamp_to_unit(x / 6 + 0.5); }
int64_t negate(int64_t x) { return wrapping_sub(0, x); }
int64_t magnitude(int64_t x) { return x < 0 ? negate(x) : x; }

constexpr UnaryMeaning kMeanings[] = {
    {Op::Abs, kNumbers, [](double x, double, double) { return std::fabs(x); }, magnitude},
    {Op::Neg, kSignedNumbers, [](double x, double, double) { return -x; }, negate},
    {Op::Floor, kFloats, [](double x, double, double) { return std::floor(x); }, nullptr},
    {Op::Ceil, kFloats, [](double x, double, double) { return std::ceil(x); }, nullptr},
    {Op::Sqrt, kFloats, [](double x, double, double) { return std::sqrt(x); }, nullptr},
    {Op::Exp, kFloats, [](double x, double, double) { return std::exp(x); }, nullptr},
    {Op::Log, kFloats, [](double x, double, double) { return std::log(x); }, nullptr},
    {Op::Erf, kNumbers, [](double x, double, double) { return std::erf(x); }, nullptr},
    {Op::Tanh, kFloats, [](double x, double, double) { return std::tanh(x); }, nullptr},
    {Op::Sigmoid, kFloats, sigmoid, nullptr},
    {Op::Relu, kSignedNumbers, [](double x, double, double) { return x < 0 ? 0 : x; },
     [](int64_t x) { return x < 0 ? 0 : x; }},
    {Op::LeakyRelu, kFloats, [](double x, double alpha, double) { return x < 0 ? alpha * x : x; }, nullptr},
    {Op::HardSigmoid, kFloats, hard_sigmoid, nullptr},
    {Op::HardSwish, kFloats, hard_swish, nullptr},
    {Op::Not, kBools, nullptr, [](int64_t x) { return int64_t{x == 0}; }},
};

const UnaryMeaning* meaning_of(Op op) {
  for (const UnaryMeaning& meaning : kMeanings) {
    if (meaning.op == op) return &meaning;
  }
  return nullptr;
}

}  // namespace

Status shape_of_unary(Inference& i) {
  const UnaryMeaning* meaning = meaning_of(i.node.op);
  if (!meaning) return i.refuse("is not an operator of one operand");
  TRY(i.require_kind(0, meaning->kinds));
  i.set(0, i.dtype(0), i.inputs[0].type.dims);
  return {};
}

Status reference_unary(const ReferenceCall& call) {
  const UnaryMeaning* meaning = meaning_of(call.node.op);
  if (!meaning || !call.has_output(0)) return {};
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (kind_of(x.dtype) == Unsigned && call.node.op == Op::Abs) return reference_identity(call);
  if (!is_float(x.dtype) && meaning->integers) {
    for (int64_t i = 0; i < x.count; ++i) y.set_integer(i, meaning->integers(x.integer(i)));
    return {};
  }
  double alpha = call.node.number(Attr::Alpha);
  double beta = call.node.number(Attr::Beta);
  if (x.dtype == DType::Float32) {
    const auto* from = x.as<float>();
    auto* to = y.as<float>();
    for (int64_t i = 0; i < x.count; ++i) to[i] = static_cast<float>(meaning->floats(from[i], alpha, beta));
    return {};
  }
  for (int64_t i = 0; i < x.count; ++i) y.set_number(i, meaning->floats(x.number(i), alpha, beta));
  return {};
}

}  // namespace fuselane
