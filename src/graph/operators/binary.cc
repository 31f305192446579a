// Operators of two operands, element by element, broadcast to each other's shape (PRelu: to its first
// operand's). Both have one type (Pow: any two), which is the result's; comparisons give bool.
#include <cmath>
#include <functional>

#include "base/checked.h"
#include "graph/operators/arithmetic.h"
#include "graph/operators/broadcast.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

using enum DTypeKind;
constexpr std::initializer_list<DTypeKind> kNumbers = {Float, Signed, Unsigned};
constexpr std::initializer_list<DTypeKind> kNumbersAndBools = {Float, Signed, Unsigned, Bool};
constexpr std::initializer_list<DTypeKind> kBools = {Bool};

using FloatMeaning = double (*)(double a, double b);
using IntMeaning = int64_t (*)(int64_t a, int64_t b);

struct BinaryMeaning {
  Op op;
  std::initializer_list<DTypeKind> kinds;
  bool compares;
  FloatMeaning floats;   // null where no floats are taken
  IntMeaning integers;   // of all that int64 holds, bool too
  IntMeaning unsigneds;  // of uint64
};

int64_t both(int64_t a, int64_t b) { return a & b; }
int64_t either(int64_t a, int64_t b) { return a | b; }
double rectify(double x, double slope) { return x < 0 ? slope * x : x; }
int64_t rectify_signed(int64_t x, int64_t slope) { return x < 0 ? wrapping_mul(slope, x) : x; }
int64_t rectify_unsigned(int64_t x, int64_t) { return x; }

// A row of a comparison: one text for the five of them. A comparison with NaN is false.
template <class Holds>
constexpr BinaryMeaning comparison(Op op, std::initializer_list<DTypeKind> kinds, Holds) {
  return {op,
          kinds,
          true,
          [](double a, double b) { return Holds()(a, b) ? 1.0 : 0.0; },
          [](int64_t a, int64_t b) { return Holds()(a, b) ? int64_t{1} : int64_t{0}; },
          [](int64_t a, int64_t b) { return Holds()(bits(a), bits(b)) ? int64_t{1} : int64_t{0}; }};
}

constexpr BinaryMeaning kMeanings[] = {
    {Op::Add, kNumbers, false, [](double a, double b) { return a + b; }, wrapping_add, wrapping_add},
    {Op::Sub, kNumbers, false, [](double a, double b) { return a - b; }, wrapping_sub, wrapping_sub},
    {Op::Mul, kNumbers, false, [](double a, double b) { return a * b; }, wrapping_mul, wrapping_mul},
    {Op::Div, kNumbers, false, [](double a, double b) { return a / b; }, divide_signed, divide_unsigned},
    {Op::Pow, kNumbers, false, [](double a, double b) { return std::pow(a, b); }, power_signed,
     power_unsigned},
    {Op::Min, kNumbers, false, least, least_signed, least_unsigned},
    {Op::Max, kNumbers, false, greatest, greatest_signed, greatest_unsigned},
    {Op::PRelu, kNumbers, false, rectify, rectify_signed, rectify_unsigned},
    {Op::And, kBools, true, nullptr, both, both},
    {Op::Or, kBools, true, nullptr, either, either},
    comparison(Op::Equal, kNumbersAndBools, std::equal_to<>()),
    comparison(Op::Greater, kNumbers, std::greater<>()),
    comparison(Op::GreaterOrEqual, kNumbers, std::greater_equal<>()),
    comparison(Op::Less, kNumbers, std::less<>()),
    comparison(Op::LessOrEqual, kNumbers, std::less_equal<>()),
};

const BinaryMeaning* meaning_of(Op op) {
  for (const BinaryMeaning& meaning : kMeanings) {
    if (meaning.op == op) return &meaning;
  }
  return nullptr;
}

// Pow's operands may differ in type: its integer meaning goes by both.
IntMeaning integer_meaning(const BinaryMeaning& meaning, DType a, DType b) {
  bool mixed_power = meaning.op == Op::Pow && a == DType::UInt64 && kind_of(b) == Signed;
  if (mixed_power) {
    return [](int64_t base, int64_t exponent) {
      return exponent >= 0 ? power_unsigned(base, exponent) : int64_t{base == 1};
    };
  }
  return b == DType::UInt64 ? meaning.unsigneds : meaning.integers;
}

void apply_floats(FloatMeaning meaning, const TensorView& a, const TensorView& b, const TensorView& y) {
  BroadcastWalk walk(y.dims, {a.dims, b.dims});
  while (const BroadcastRun* run = walk.next()) {
    for (int64_t k = 0; k < run->count; ++k) {
      double left = a.number(run->offsets[0] + k * run->strides[0]);
      double right = b.number(run->offsets[1] + k * run->strides[1]);
      y.set_number(run->first + k, meaning(left, right));
    }
  }
}

// The same for float32 without a look at the type for each element: a network's activations pass here.
void apply_float32(FloatMeaning meaning, const TensorView& a, const TensorView& b, const TensorView& y) {
  BroadcastWalk walk(y.dims, {a.dims, b.dims});
  while (const BroadcastRun* run = walk.next()) {
    const float* left = a.as<float>() + run->offsets[0];
    const float* right = b.as<float>() + run->offsets[1];
    float* to = y.as<float>() + run->first;
    for (int64_t k = 0; k < run->count; ++k) {
      to[k] = static_cast<float>(meaning(left[k * run->strides[0]], right[k * run->strides[1]]));
    }
  }
}

void apply_integers(IntMeaning meaning, const TensorView& a, const TensorView& b, const TensorView& y) {
  BroadcastWalk walk(y.dims, {a.dims, b.dims});
  while (const BroadcastRun* run = walk.next()) {
    for (int64_t k = 0; k < run->count; ++k) {
      int64_t left = a.integer(run->offsets[0] + k * run->strides[0]);
      int64_t right = b.integer(run->offsets[1] + k * run->strides[1]);
      y.set_integer(run->first + k, meaning(left, right));
    }
  }
}

}  // namespace

Status shape_of_binary(Inference& i) {
  const BinaryMeaning* meaning = meaning_of(i.node.op);
  if (!meaning) return i.refuse("is not an operator of two operands");
  TRY(i.require_kind(0, meaning->kinds));
  TRY(i.require_kind(1, meaning->kinds));
  if (i.node.op != Op::Pow) TRY(i.require_same_dtype(0, 1));
  DType result = meaning->compares ? DType::Bool : i.dtype(0);
  if (i.node.op == Op::PRelu) {
    TRY(require_broadcast_to(i, 1, i.inputs[0].type.dims));
    i.set(0, result, i.inputs[0].type.dims);
    return {};
  }
  i.set(0, result, TRY(broadcast(i.inputs[0].type.dims, i.inputs[1].type.dims)));
  return {};
}

Status reference_binary(const ReferenceCall& call) {
  const BinaryMeaning* meaning = meaning_of(call.node.op);
  if (!meaning || !call.has_output(0)) return {};
  const TensorView& a = call.inputs[0];
  const TensorView& b = call.inputs[1];
  const TensorView& y = call.outputs[0];
  if (a.dtype == DType::Float32 && b.dtype == DType::Float32 && y.dtype == DType::Float32) {
    apply_float32(meaning->floats, a, b, y);
  } else if (is_float(a.dtype) || is_float(b.dtype)) {
    apply_floats(meaning->floats, a, b, y);
  } else {
    apply_integers(integer_meaning(*meaning, a.dtype, b.dtype), a, b, y);
  }
  return {};
}

}  // namespace fuselane
