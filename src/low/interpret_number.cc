// Instructions on numbers.
#include <bit>

#include "low/arithmetic.h"
#include "low/interpret_op.h"

namespace fuselane::low {
namespace {

namespace is = arithmetic;

template <class T, class Do>
Value unary(const Operation& it, Do what) {
  return Value::of(what(it.a.as<T>()));
}

template <class T, class Do>
Value binary(const Operation& it, Do what) {
  return Value::of(what(it.a.as<T>(), it.b.as<T>()));
}

template <class T, class Do>
Value compare(const Operation& it, Do what) {
  return Value::of(uint32_t{what(it.a.as<T>(), it.b.as<T>())});
}

template <class From, class To>
Value convert(const Operation& it) {
  return Value::of(static_cast<To>(it.a.as<From>()));
}

template <class T>
Value divide(Operation& it, bool remainder) {
  T x = it.a.as<T>();
  T y = it.b.as<T>();
  if (y == 0) {
    it.trap = "a division by zero";
    return {};
  }
  if constexpr (std::is_signed_v<T>) {
    if (x == std::numeric_limits<T>::min() && y == -1) {
      if (!remainder) it.trap = "a quotient that does not fit";
      return {};
    }
  }
  return Value::of(static_cast<T>(remainder ? x % y : x / y));
}

template <class Float, class T>
Value truncate(Operation& it) {
  auto x = it.a.as<Float>();
  if (!is::fits<T>(x)) it.trap = "a conversion of a number that does not fit";
  return it.trap == nullptr ? Value::of(static_cast<T>(x)) : Value();
}

template <class Float, class T>
Value truncate_saturating(const Operation& it) {
  return Value::of(is::trunc_sat<T>(it.a.as<Float>()));
}

}  // namespace

#define CASE(op, ...) \
  case Op::op:        \
    return __VA_ARGS__

// What both widths of integers have; S and U are their signed and unsigned types.
#define INTEGER(I, S, U)                                                                             \
  CASE(I##Eqz, Value::of(uint32_t{it.a.as<U>() == 0}));                                              \
  CASE(I##Eq, compare<U>(it, is::eq));                                                               \
  CASE(I##Ne, compare<U>(it, is::ne));                                                               \
  CASE(I##LtS, compare<S>(it, is::lt));                                                              \
  CASE(I##LtU, compare<U>(it, is::lt));                                                              \
  CASE(I##GtS, compare<S>(it, is::gt));                                                              \
  CASE(I##GtU, compare<U>(it, is::gt));                                                              \
  CASE(I##LeS, compare<S>(it, is::le));                                                              \
  CASE(I##LeU, compare<U>(it, is::le));                                                              \
  CASE(I##GeS, compare<S>(it, is::ge));                                                              \
  CASE(I##GeU, compare<U>(it, is::ge));                                                              \
  CASE(I##Clz, unary<U>(it, [](U x) { return static_cast<U>(std::countl_zero(x)); }));               \
  CASE(I##Ctz, unary<U>(it, [](U x) { return static_cast<U>(std::countr_zero(x)); }));               \
  CASE(I##Popcnt, unary<U>(it, [](U x) { return static_cast<U>(std::popcount(x)); }));               \
  CASE(I##Add, binary<U>(it, is::add));                                                              \
  CASE(I##Sub, binary<U>(it, is::sub));                                                              \
  CASE(I##Mul, binary<U>(it, is::mul));                                                              \
  CASE(I##DivS, divide<S>(it, false));                                                               \
  CASE(I##DivU, divide<U>(it, false));                                                               \
  CASE(I##RemS, divide<S>(it, true));                                                                \
  CASE(I##RemU, divide<U>(it, true));                                                                \
  CASE(I##And, binary<U>(it, [](U x, U y) { return x & y; }));                                       \
  CASE(I##Or, binary<U>(it, [](U x, U y) { return x | y; }));                                        \
  CASE(I##Xor, binary<U>(it, [](U x, U y) { return x ^ y; }));                                       \
  CASE(I##Shl, binary<U>(it, is::shl<U>));                                                           \
  CASE(I##ShrS, Value::of(is::shr<S>(it.a.as<S>(), it.b.as<U>())));                                  \
  CASE(I##ShrU, binary<U>(it, is::shr<U>));                                                          \
  CASE(I##Rotl,                                                                                      \
       binary<U>(it, [](U x, U y) { return std::rotl(x, static_cast<int>(y % (sizeof(U) * 8))); })); \
  CASE(I##Rotr,                                                                                      \
       binary<U>(it, [](U x, U y) { return std::rotr(x, static_cast<int>(y % (sizeof(U) * 8))); })); \
  CASE(I##TruncF32S, truncate<float, S>(it));                                                        \
  CASE(I##TruncF32U, truncate<float, U>(it));                                                        \
  CASE(I##TruncF64S, truncate<double, S>(it));                                                       \
  CASE(I##TruncF64U, truncate<double, U>(it));                                                       \
  CASE(I##TruncSatF32S, truncate_saturating<float, S>(it));                                          \
  CASE(I##TruncSatF32U, truncate_saturating<float, U>(it));                                          \
  CASE(I##TruncSatF64S, truncate_saturating<double, S>(it));                                         \
  CASE(I##TruncSatF64U, truncate_saturating<double, U>(it));                                         \
  CASE(I##Extend8S, Value::of(S{it.a.as<int8_t>()}));                                                \
  CASE(I##Extend16S, Value::of(S{it.a.as<int16_t>()}));

#define FLOAT(F, T)                               \
  CASE(F##Eq, compare<T>(it, is::eq));            \
  CASE(F##Ne, compare<T>(it, is::ne));            \
  CASE(F##Lt, compare<T>(it, is::lt));            \
  CASE(F##Gt, compare<T>(it, is::gt));            \
  CASE(F##Le, compare<T>(it, is::le));            \
  CASE(F##Ge, compare<T>(it, is::ge));            \
  CASE(F##Abs, unary<T>(it, is::abs));            \
  CASE(F##Neg, unary<T>(it, is::neg));            \
  CASE(F##Ceil, unary<T>(it, is::ceil));          \
  CASE(F##Floor, unary<T>(it, is::floor));        \
  CASE(F##Trunc, unary<T>(it, is::trunc));        \
  CASE(F##Nearest, unary<T>(it, is::nearest));    \
  CASE(F##Sqrt, unary<T>(it, is::sqrt));          \
  CASE(F##Add, binary<T>(it, is::add));           \
  CASE(F##Sub, binary<T>(it, is::sub));           \
  CASE(F##Mul, binary<T>(it, is::mul));           \
  CASE(F##Div, binary<T>(it, is::div));           \
  CASE(F##Min, binary<T>(it, is::min));           \
  CASE(F##Max, binary<T>(it, is::max));           \
  CASE(F##Copysign, binary<T>(it, is::copysign)); \
  CASE(F##ConvertI32S, convert<int32_t, T>(it));  \
  CASE(F##ConvertI32U, convert<uint32_t, T>(it)); \
  CASE(F##ConvertI64S, convert<int64_t, T>(it));  \
  CASE(F##ConvertI64U, convert<uint64_t, T>(it));

Value apply_number(Operation& it) {
  switch (it.op) {
    INTEGER(I32, int32_t, uint32_t)
    INTEGER(I64, int64_t, uint64_t)
    FLOAT(F32, float)
    FLOAT(F64, double)
    CASE(I32WrapI64, convert<uint64_t, uint32_t>(it));
    CASE(I64ExtendI32S, convert<int32_t, int64_t>(it));
    CASE(I64ExtendI32U, convert<uint32_t, uint64_t>(it));
    CASE(I64Extend32S, convert<int32_t, int64_t>(it));
    CASE(F32DemoteF64, convert<double, float>(it));
    CASE(F64PromoteF32, convert<float, double>(it));
    case Op::I32ReinterpretF32:
    case Op::F32ReinterpretI32:
    case Op::I64ReinterpretF64:
      CASE(F64ReinterpretI64, it.a);
    default:
      return apply_vector(it);
  }
}

}  // namespace fuselane::low
