#include "loop/functions.h"

#include <bit>
#include <initializer_list>
#include <limits>

namespace fuselane::loop {
namespace {

constexpr std::string_view kTexts[] = {
#define FUNCTION(id, text, operands) text,
#include "loop/functions.def"
#undef FUNCTION
};
constexpr uint8_t kOperands[] = {
#define FUNCTION(id, text, operands) operands,
#include "loop/functions.def"
#undef FUNCTION
};

// A kernel's value, to be written as in the source of a kernel.
struct V {
  Kernel* kernel;
  ValueId id;

  V with(ValueId other) const { return {kernel, other}; }
  V of(Operation operation) const { return with(kernel->apply(operation, id)); }
  V of(Operation operation, V other) const { return with(kernel->apply(operation, id, other.id)); }
  V number(float value) const { return with(kernel->constant(value)); }
  V integer(uint32_t bits) const { return with(kernel->constant_bits(bits, DType::I32)); }
};

V operator+(V a, V b) { return a.of(Operation::Add, b); }
V operator-(V a, V b) { return a.of(Operation::Sub, b); }
V operator*(V a, V b) { return a.of(Operation::Mul, b); }
V operator/(V a, V b) { return a.of(Operation::Div, b); }
V operator+(V a, float b) { return a + a.number(b); }
V operator*(V a, float b) { return a * a.number(b); }
V less(V a, V b) { return a.of(Operation::Less, b); }
V mul_add(V a, V b, V c) { return a.with(a.kernel->apply(Operation::MulAdd, a.id, b.id, c.id)); }
V select(V condition, V a, V b) { return a.with(a.kernel->select(condition.id, a.id, b.id)); }

// x itself where it is NaN.
V clamp(V x, float low, float high) {
  return x.of(Operation::PMax, x.number(low)).of(Operation::PMin, x.number(high));
}

// Horner's rule, highest power first.
V polynomial(V x, std::initializer_list<float> powers) {
  V sum = x.number(*powers.begin());
  for (const float* power = powers.begin() + 1; power != powers.end(); ++power)
    sum = mul_add(sum, x, x.number(*power));
  return sum;
}

// x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
struct Reduced {
  V n_bits;  // of 1.5 * 2^23 + n
  V r;       // or -r, where n was found from -x
};
constexpr float kRounder = 12582912.0f;

Reduced reduced(V x, bool is_negated) {
  const float sign = is_negated ? -1.0f : 1.0f;
  V sum = mul_add(x, x.number(sign * 1.44269504f), x.number(kRounder));
  V n = sum + -kRounder;
  V r = mul_add(n, x.number(sign * -0.693359375f), x);
  r = mul_add(n, x.number(sign * 2.12194440e-4f), r);
  return {sum.of(Operation::AsInt), r};
}

V power_of_two(V exponent) {
  return exponent.of(Operation::IAdd, exponent.integer(127))
      .of(Operation::Shl, exponent.integer(23))
      .of(Operation::AsFloat);
}

V exp_of(V x) {
  const auto [n_bits, r] = reduced(clamp(x, -104.0f, 89.0f), false);
  V p = polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                       1.6666665459e-1f, 5.0000001201e-1f});
  V e = mul_add(p, r * r, r) + 1.0f;
  V k = n_bits.of(Operation::ISub, n_bits.integer(std::bit_cast<uint32_t>(kRounder)));
  V half = k.of(Operation::ShrS, k.integer(1));
  return (e * power_of_two(half)) * power_of_two(k.of(Operation::ISub, half));
}

// 1 + exp(-x). Its bounds are where 2^n has no normal exponent: the exponential is 0 above 87.7 and infinite
// below -88.4, where sigmoids are 1 and less than a normal number. NaN stays NaN by the product.
V one_and_exp_of_negative(V x) {
  const auto [n_bits, r] = reduced(clamp(x, -88.8f, 88.1f), true);
  V p = polynomial(
      r, {-8.2903057337e-3f, 4.1897974908e-2f, -1.6667637229e-1f, 4.9999150634e-1f, -9.9999970198e-1f, 1.0f});
  V power = n_bits.of(Operation::Shl, n_bits.integer(23))
                .of(Operation::IAdd, n_bits.integer(std::bit_cast<uint32_t>(1.0f)))
                .of(Operation::AsFloat);
  return mul_add(p, power, x.number(1));
}

// An odd function that tends to -1 and 1, as x P(x^2) / Q(x^2): least largest errors up to `bound`, where it
// is a little more than 1.
V odd_of(V x, float bound, std::initializer_list<float> p, std::initializer_list<float> q) {
  V inner = clamp(x, -bound, bound);
  V s = inner * inner;
  return clamp((inner * polynomial(s, p)) / polynomial(s, q), -1, 1);
}

V tanh_of(V x) {
  return odd_of(x, 9.0f, {1.3354673811e-8f, 2.0609091735e-5f, 3.4955886658e-3f, 1.3381026685e-1f, 1.0f},
                {7.7765632932e-7f, 3.2856356120e-4f, 2.5876984000e-2f, 4.6714341640e-1f, 1.0f});
}

V erf_of(V x) {
  return odd_of(x, 3.95f,
                {1.9603977107e-8f, -1.9509081994e-6f, 1.4380893844e-4f, 3.8078092039e-3f, 5.0923138857e-2f,
                 2.0258201659e-1f, 1.1283791065f},
                {9.7984017339e-4f, 1.4575675130e-2f, 1.1609414220e-1f, 5.1286512613e-1f, 1.0f});
}

V log_of(V x) {
  V tiny = less(x, x.number(1.17549435e-38f));
  V scaled = select(tiny, x * 8388608.0f, x);
  V bits = scaled.of(Operation::AsInt).of(Operation::ISub, x.integer(0x3f3504f3));
  V e = bits.of(Operation::ShrS, x.integer(23)).of(Operation::ToFloat);
  e = e - select(tiny, x.number(23), x.number(0));
  V m = bits.of(Operation::And, x.integer(0x007fffff))
            .of(Operation::IAdd, x.integer(0x3f3504f3))
            .of(Operation::AsFloat);
  V f = m + -1.0f;
  V p = polynomial(
      f, {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
          -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f});
  V z = f * f;
  V y = (p * f) * z;
  y = mul_add(e, x.number(-2.12194440e-4f), y);
  y = mul_add(z, x.number(-0.5f), y);
  V result = mul_add(e, x.number(0.693359375f), f + y);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  result = select(x.of(Operation::Equal, x.number(kInfinity)), x, result);
  result = select(x.of(Operation::Equal, x.number(0)), x.number(-kInfinity), result);
  // Not below or equal to zero and not above: NaN, like everything below zero.
  V not_negative = x.number(0).of(Operation::LessEqual, x);
  return select(not_negative, result, x.number(std::numeric_limits<float>::quiet_NaN()));
}

// x^(1/2) as IEEE 754's pow has it: 0 for -0 and infinity for -infinity, where the square root is -0 and NaN.
V pow_half_of(V x) {
  V infinity = x.number(std::numeric_limits<float>::infinity());
  return select(x.of(Operation::Equal, infinity.of(Operation::Neg)), infinity,
                (x + 0.0f).of(Operation::Sqrt));
}

// Where x is -infinity, x times its sigmoid is NaN, as the product is.
V sigmoid_of(V x) { return x.number(1) / one_and_exp_of_negative(x); }

V gelu_of(V x) {
  V half = x * 0.5f;
  return mul_add(half, erf_of(x * 0.70710678f), half);
}

V activation_of(const Activation& activation, V x) {
  switch (activation.kind) {
    case ActivationKind::None:
      return x;
    case ActivationKind::Clamp:
      return clamp(x, activation.a, activation.b);
    case ActivationKind::HardSigmoid:
      return clamp(x * activation.a + activation.b, 0, 1);
    case ActivationKind::HardSwish:
      return x * clamp(x * (1.0f / 6) + 0.5f, 0, 1);
    case ActivationKind::LeakyRelu:
      return select(less(x, x.number(0)), x * activation.a, x);
    case ActivationKind::Sigmoid:
      return sigmoid_of(x);
    case ActivationKind::Silu:
      return x / one_and_exp_of_negative(x);
    case ActivationKind::Tanh:
      return tanh_of(x);
    case ActivationKind::Gelu:
      return gelu_of(x);
    case ActivationKind::GeluTanh:  // (1 + tanh(u)) / 2 is sigmoid(2 u)
      return x / one_and_exp_of_negative(x * mul_add(x * x, x.number(0.0713548163f), x.number(1.59576912f)));
  }
}

V step_of(const Step& step, V a, V b) {
  switch (step.function) {
    case Function::Add:
      return a + b;
    case Function::Sub:
      return a - b;
    case Function::Mul:
      return a * b;
    case Function::Div:
      return a / b;
    case Function::Min:
      return a.of(Operation::Min, b);
    case Function::Max:
      return a.of(Operation::Max, b);
    case Function::PRelu:
      return select(less(a, a.number(0)), a * b, a);
    case Function::Abs:
      return a.of(Operation::Abs);
    case Function::Neg:
      return a.of(Operation::Neg);
    case Function::Floor:
      return a.of(Operation::Floor);
    case Function::Ceil:
      return a.of(Operation::Ceil);
    case Function::Sqrt:
      return a.of(Operation::Sqrt);
    case Function::Square:
      return a * a;
    case Function::Cube:
      return (a * a) * a;
    case Function::PowHalf:
      return pow_half_of(a);
    case Function::Reciprocal:
      return a.number(1) / a;
    case Function::Exp:
      return exp_of(a);
    case Function::Log:
      return log_of(a);
    case Function::Erf:
      return erf_of(a);
    case Function::Activate:
      return activation_of(step.activation, a);
    case Function::Constant:
      return a.number(step.number);
  }
}

}  // namespace

std::string_view text_of(Function function) { return kTexts[static_cast<size_t>(function)]; }
uint8_t operands_of(Function function) { return kOperands[static_cast<size_t>(function)]; }

ValueId exp(Kernel& kernel, ValueId x) { return exp_of({&kernel, x}).id; }
ValueId log(Kernel& kernel, ValueId x) { return log_of({&kernel, x}).id; }
ValueId tanh(Kernel& kernel, ValueId x) { return tanh_of({&kernel, x}).id; }
ValueId erf(Kernel& kernel, ValueId x) { return erf_of({&kernel, x}).id; }

ValueId activate(Kernel& kernel, const Activation& activation, ValueId x) {
  return activation_of(activation, {&kernel, x}).id;
}

ValueId apply_steps(Kernel& kernel, std::span<const Step> steps, std::vector<ValueId> operands) {
  if (steps.empty()) return operands[0];
  for (const Step& step : steps) {
    V a{&kernel, operands.empty() ? ValueId() : operands[step.a]};
    V b{&kernel, operands.empty() ? ValueId() : operands[step.b]};
    operands.push_back(step_of(step, a, b).id);
  }
  return operands.back();
}

}  // namespace fuselane::loop
