#include "loop/functions.h"

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
V select(V condition, V a, V b) { return a.with(a.kernel->select(condition.id, a.id, b.id)); }

// x itself where it is NaN.
V clamp(V x, float low, float high) {
  return x.of(Operation::PMax, x.number(low)).of(Operation::PMin, x.number(high));
}

// Horner's rule, highest power first.
V polynomial(V x, std::initializer_list<float> powers) {
  V sum = x.number(*powers.begin());
  for (const float* power = powers.begin() + 1; power != powers.end(); ++power) sum = sum * x + *power;
  return sum;
}

// |x| with the sign of `sign`.
V with_sign(V x, V sign) {
  V bit = sign.of(Operation::AsInt).of(Operation::And, sign.integer(0x80000000u));
  return x.of(Operation::AsInt).of(Operation::Or, bit).of(Operation::AsFloat);
}

V exp_of(V x) {
  V bounded = clamp(x, -104.0f, 89.0f);
  V n = (bounded * 1.44269504f).of(Operation::Nearest);
  V r = bounded - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  V p = polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                       1.6666665459e-1f, 5.0000001201e-1f});
  V e = (p * (r * r) + r) + 1.0f;
  V k = n.of(Operation::ToInt);
  V half = k.of(Operation::ShrS, k.integer(1));
  auto power = [](V exponent) {
    return exponent.of(Operation::IAdd, exponent.integer(127))
        .of(Operation::Shl, exponent.integer(23))
        .of(Operation::AsFloat);
  };
  return (e * power(half)) * power(k.of(Operation::ISub, half));
}

V tanh_of(V x) {
  V magnitude = x.of(Operation::Abs);
  V z = x * x;
  V p = polynomial(
      z, {-5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f});
  V small = (p * z) * x + x;
  V e = exp_of(magnitude + magnitude);
  V large = x.number(1) - x.number(2) / (e + 1.0f);
  return with_sign(select(less(magnitude, x.number(0.625f)), small, large), x);
}

V erf_of(V x) {
  V t = x.of(Operation::Abs);
  V s = x * x;
  V q = polynomial(t, {-1.72853470e-5f, 3.83197126e-4f, -3.88396438e-3f, 2.42546219e-2f, -1.06777877e-1f,
                       -6.34846687e-1f, -1.28717512e-1f});
  q = q * t + t.of(Operation::Neg);
  V large = x.number(1) - exp_of(q);
  V p = polynomial(
      s, {-5.96761703e-4f, 4.99119423e-3f, -2.67681349e-2f, 1.12819925e-1f, -3.76125336e-1f, 1.28379166e-1f});
  V small = p * x + x;
  V result = with_sign(select(less(x.number(0.921875f), t), large, small), x);
  return select(x.of(Operation::Equal, x), result, x);
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
  y = e * -2.12194440e-4f + y;
  y = y - z * 0.5f;
  V result = e * 0.693359375f + (f + y);
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

V sigmoid_of(V x) { return x.number(1) / (exp_of(x.of(Operation::Neg)) + 1.0f); }

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
      return x * sigmoid_of(x);
    case ActivationKind::Tanh:
      return tanh_of(x);
    case ActivationKind::Gelu:
      return (x * 0.5f) * (erf_of(x * 0.70710678f) + 1.0f);
    case ActivationKind::GeluTanh:  // (1 + tanh(u)) / 2 is sigmoid(2 u)
      return x * sigmoid_of(x * ((x * x) * 0.0713548163f + 1.59576912f));
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
