// Instructions on vectors.
#include <bit>

#include "low/arithmetic.h"
#include "low/interpret_op.h"

namespace fuselane::low {
namespace {

namespace is = arithmetic;

template <class T>
using Lanes = std::array<T, 16 / sizeof(T)>;

template <class T>
Lanes<T> lanes(const Value& value) {
  return value.as<Lanes<T>>();
}

// The result of `what` of each lane's number, as lanes of the type it gives.
template <class T, class Do>
Value each(Do what) {
  Lanes<T> result;
  for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(what(i));
  return Value::of(result);
}

template <class T, class Do>
Value unary(const Operation& it, Do what) {
  auto a = lanes<T>(it.a);
  return each<T>([&](size_t i) { return what(a[i]); });
}

template <class T, class Do>
Value binary(const Operation& it, Do what) {
  auto a = lanes<T>(it.a);
  auto b = lanes<T>(it.b);
  return each<T>([&](size_t i) { return what(a[i], b[i]); });
}

// Floats are compared to masks of their width.
template <class T>
using Mask = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <class T, class Do>
Value compare(const Operation& it, Do what) {
  auto a = lanes<T>(it.a);
  auto b = lanes<T>(it.b);
  return each<Mask<T>>([&](size_t i) { return what(a[i], b[i]) ? ~uint64_t{0} : 0; });
}

template <class T>
Value shift(const Operation& it, T (*what)(T, uint64_t)) {
  auto a = lanes<T>(it.a);
  return each<T>([&](size_t i) { return what(a[i], it.b.as<uint32_t>()); });
}

template <class T>
Value all_true(const Operation& it) {
  auto a = lanes<T>(it.a);
  return Value::of(uint32_t{std::ranges::all_of(a, [](T x) { return x != 0; })});
}

template <class T>
Value bitmask(const Operation& it) {
  auto a = lanes<T>(it.a);
  uint32_t mask = 0;
  for (size_t i = 0; i < a.size(); ++i) mask |= uint32_t{a[i] < 0} << i;
  return Value::of(mask);
}

template <class T>
Value splat(const Operation& it) {
  return each<T>([&](size_t) { return it.a.as<T>(); });
}

template <class T, class To>
Value extract(const Operation& it) {
  return Value::of(static_cast<To>(lanes<T>(it.a)[it.lane]));
}

template <class T>
Value replace(const Operation& it) {
  auto a = lanes<T>(it.a);
  a[it.lane] = it.b.as<T>();
  return Value::of(a);
}

template <class From, class To>
Value narrow(const Operation& it) {
  auto a = lanes<From>(it.a);
  auto b = lanes<From>(it.b);
  return each<To>([&](size_t i) { return is::saturate<To>(int64_t{i < a.size() ? a[i] : b[i - a.size()]}); });
}

// One half of the lanes, as lanes of twice the width: as they are, or multiplied by those of b.
template <class From, class To>
Value extend(const Operation& it, bool high) {
  auto a = lanes<From>(it.a);
  return each<To>([&](size_t i) { return a[i + (high ? a.size() / 2 : 0)]; });
}

template <class From, class To>
Value extend_mul(const Operation& it, bool high) {
  auto a = lanes<From>(it.a);
  auto b = lanes<From>(it.b);
  return each<To>([&](size_t i) {
    size_t at = i + (high ? a.size() / 2 : 0);
    return static_cast<To>(static_cast<To>(a[at]) * static_cast<To>(b[at]));
  });
}

template <class From, class To>
Value add_pairs(const Operation& it) {
  auto a = lanes<From>(it.a);
  return each<To>([&](size_t i) { return To{a[2 * i]} + To{a[2 * i + 1]}; });
}

// Sums of products of neighbours, of 16 or 8 bits. Only the least values of all four overflow an int32.
template <class From, class To>
Lanes<To> dot(const Operation& it) {
  auto a = lanes<From>(it.a);
  auto b = lanes<From>(it.b);
  Lanes<To> sums;
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = static_cast<To>(int64_t{a[2 * i]} * b[2 * i] + int64_t{a[2 * i + 1]} * b[2 * i + 1]);
  }
  return sums;
}

Value dot_add(const Operation& it) {
  auto pairs = dot<int8_t, int16_t>(it);
  auto c = lanes<uint32_t>(it.c);
  return each<uint32_t>(
      [&](size_t i) { return c[i] + static_cast<uint32_t>(pairs[2 * i] + pairs[2 * i + 1]); });
}

int16_t q15mulr(int16_t x, int16_t y) { return is::saturate<int16_t>((int32_t{x} * y + 0x4000) >> 15); }

Value swizzle(const Operation& it) {
  return each<uint8_t>([&](size_t i) { return it.b.bytes[i] < 16 ? it.a.bytes[it.b.bytes[i]] : 0; });
}

// The bytes to take are in c.
Value shuffle(const Operation& it) {
  return each<uint8_t>([&](size_t i) {
    uint8_t from = it.c.bytes[i];
    return from < 16 ? it.a.bytes[from] : it.b.bytes[from - 16];
  });
}

Value bitselect(const Operation& it) {
  return each<uint8_t>(
      [&](size_t i) { return (it.a.bytes[i] & it.c.bytes[i]) | (it.b.bytes[i] & ~it.c.bytes[i]); });
}

// a * b + c, or -(a * b) + c.
template <class T>
Value multiply_add(const Operation& it, T sign) {
  auto a = lanes<T>(it.a);
  auto b = lanes<T>(it.b);
  auto c = lanes<T>(it.c);
  return each<T>([&](size_t i) {
    if (it.fused_madd) return std::fma(sign * a[i], b[i], c[i]);
    volatile T product = sign * a[i] * b[i];
    return product + c[i];
  });
}

template <class T>
Value truncate(const Operation& it) {
  auto a = lanes<float>(it.a);
  return each<T>([&](size_t i) { return is::trunc_sat<T>(a[i]); });
}

template <class T>
Value truncate_low(const Operation& it) {
  auto a = lanes<double>(it.a);
  return each<T>([&](size_t i) { return i < 2 ? is::trunc_sat<T>(a[i]) : T{0}; });
}

template <class From, class To>
Value convert_low(const Operation& it) {
  auto a = lanes<From>(it.a);
  return each<To>([&](size_t i) { return i < a.size() ? static_cast<To>(a[i]) : To{0}; });
}

}  // namespace

#define CASE(op, ...) \
  case Op::op:        \
    return __VA_ARGS__

// Lanes of all widths; S and U are the signed and the unsigned type.
#define LANES(I, S, U)                                                                  \
  CASE(I##Eq, compare<U>(it, is::eq));                                                  \
  CASE(I##Ne, compare<U>(it, is::ne));                                                  \
  CASE(I##LtS, compare<S>(it, is::lt));                                                 \
  CASE(I##GtS, compare<S>(it, is::gt));                                                 \
  CASE(I##LeS, compare<S>(it, is::le));                                                 \
  CASE(I##GeS, compare<S>(it, is::ge));                                                 \
  CASE(I##Abs, unary<U>(it, [](U x) { return static_cast<S>(x) < 0 ? U{0} - x : x; })); \
  CASE(I##Neg, unary<U>(it, [](U x) { return U{0} - x; }));                             \
  CASE(I##AllTrue, all_true<U>(it));                                                    \
  CASE(I##Bitmask, bitmask<S>(it));                                                     \
  CASE(I##Shl, shift<U>(it, is::shl<U>));                                               \
  CASE(I##ShrS, shift<S>(it, is::shr<S>));                                              \
  CASE(I##ShrU, shift<U>(it, is::shr<U>));                                              \
  CASE(I##Add, binary<U>(it, is::add));                                                 \
  CASE(I##Sub, binary<U>(it, is::sub));                                                 \
  CASE(I##Splat, splat<U>(it));                                                         \
  CASE(I##ReplaceLane, replace<U>(it));                                                 \
  CASE(I##RelaxedLaneselect, bitselect(it));

// Of 8 to 32 bits.
#define ORDERED_LANES(I, S, U)                                           \
  CASE(I##LtU, compare<U>(it, is::lt));                                  \
  CASE(I##GtU, compare<U>(it, is::gt));                                  \
  CASE(I##LeU, compare<U>(it, is::le));                                  \
  CASE(I##GeU, compare<U>(it, is::ge));                                  \
  CASE(I##MinS, binary<S>(it, [](S x, S y) { return std::min(x, y); })); \
  CASE(I##MinU, binary<U>(it, [](U x, U y) { return std::min(x, y); })); \
  CASE(I##MaxS, binary<S>(it, [](S x, S y) { return std::max(x, y); })); \
  CASE(I##MaxU, binary<U>(it, [](U x, U y) { return std::max(x, y); }));

// Of 8 and 16 bits.
#define SATURATING_LANES(I, S, U)                                                             \
  CASE(I##AddSatS, binary<S>(it, [](S x, S y) { return is::saturate<S>(int{x} + int{y}); })); \
  CASE(I##AddSatU, binary<U>(it, [](U x, U y) { return is::saturate<U>(int{x} + int{y}); })); \
  CASE(I##SubSatS, binary<S>(it, [](S x, S y) { return is::saturate<S>(int{x} - int{y}); })); \
  CASE(I##SubSatU, binary<U>(it, [](U x, U y) { return is::saturate<U>(int{x} - int{y}); })); \
  CASE(I##AvgrU, binary<U>(it, [](U x, U y) { return (x + y + 1) / 2; }));                    \
  CASE(I##ExtractLaneS, extract<S, int32_t>(it));                                             \
  CASE(I##ExtractLaneU, extract<U, int32_t>(it));

// From lanes of half the width.
#define WIDENING_LANES(I, From, Wide, WideU, Half, HalfU)           \
  CASE(I##ExtendLow##From##S, extend<Half, Wide>(it, false));       \
  CASE(I##ExtendHigh##From##S, extend<Half, Wide>(it, true));       \
  CASE(I##ExtendLow##From##U, extend<HalfU, WideU>(it, false));     \
  CASE(I##ExtendHigh##From##U, extend<HalfU, WideU>(it, true));     \
  CASE(I##ExtmulLow##From##S, extend_mul<Half, Wide>(it, false));   \
  CASE(I##ExtmulHigh##From##S, extend_mul<Half, Wide>(it, true));   \
  CASE(I##ExtmulLow##From##U, extend_mul<HalfU, WideU>(it, false)); \
  CASE(I##ExtmulHigh##From##U, extend_mul<HalfU, WideU>(it, true));

#define FLOAT_LANES(F, T)                           \
  CASE(F##Eq, compare<T>(it, is::eq));              \
  CASE(F##Ne, compare<T>(it, is::ne));              \
  CASE(F##Lt, compare<T>(it, is::lt));              \
  CASE(F##Gt, compare<T>(it, is::gt));              \
  CASE(F##Le, compare<T>(it, is::le));              \
  CASE(F##Ge, compare<T>(it, is::ge));              \
  CASE(F##Ceil, unary<T>(it, is::ceil));            \
  CASE(F##Floor, unary<T>(it, is::floor));          \
  CASE(F##Trunc, unary<T>(it, is::trunc));          \
  CASE(F##Nearest, unary<T>(it, is::nearest));      \
  CASE(F##Abs, unary<T>(it, is::abs));              \
  CASE(F##Neg, unary<T>(it, is::neg));              \
  CASE(F##Sqrt, unary<T>(it, is::sqrt));            \
  CASE(F##Add, binary<T>(it, is::add));             \
  CASE(F##Sub, binary<T>(it, is::sub));             \
  CASE(F##Mul, binary<T>(it, is::mul));             \
  CASE(F##Div, binary<T>(it, is::div));             \
  case Op::F##Min:                                  \
  case Op::F##RelaxedMin:                           \
    return binary<T>(it, is::min);                  \
  case Op::F##Max:                                  \
  case Op::F##RelaxedMax:                           \
    return binary<T>(it, is::max);                  \
    CASE(F##Pmin, binary<T>(it, is::pmin));         \
    CASE(F##Pmax, binary<T>(it, is::pmax));         \
    CASE(F##RelaxedMadd, multiply_add<T>(it, 1));   \
    CASE(F##RelaxedNmadd, multiply_add<T>(it, -1)); \
    CASE(F##Splat, splat<T>(it));                   \
    CASE(F##ExtractLane, extract<T, T>(it));        \
    CASE(F##ReplaceLane, replace<T>(it));

Value apply_vector(Operation& it) {
  switch (it.op) {
    LANES(I8x16, int8_t, uint8_t)
    LANES(I16x8, int16_t, uint16_t)
    LANES(I32x4, int32_t, uint32_t)
    LANES(I64x2, int64_t, uint64_t)
    ORDERED_LANES(I8x16, int8_t, uint8_t)
    ORDERED_LANES(I16x8, int16_t, uint16_t)
    ORDERED_LANES(I32x4, int32_t, uint32_t)
    SATURATING_LANES(I8x16, int8_t, uint8_t)
    SATURATING_LANES(I16x8, int16_t, uint16_t)
    WIDENING_LANES(I16x8, I8x16, int16_t, uint16_t, int8_t, uint8_t)
    WIDENING_LANES(I32x4, I16x8, int32_t, uint32_t, int16_t, uint16_t)
    WIDENING_LANES(I64x2, I32x4, int64_t, uint64_t, int32_t, uint32_t)
    FLOAT_LANES(F32x4, float)
    FLOAT_LANES(F64x2, double)
    CASE(I32x4ExtractLane, extract<uint32_t, uint32_t>(it));
    CASE(I64x2ExtractLane, extract<uint64_t, uint64_t>(it));
    CASE(I16x8Mul, binary<uint16_t>(it, is::mul));
    CASE(I32x4Mul, binary<uint32_t>(it, is::mul));
    CASE(I64x2Mul, binary<uint64_t>(it, is::mul));
    CASE(I8x16Popcnt, unary<uint8_t>(it, [](uint8_t x) { return std::popcount(x); }));
    CASE(I8x16NarrowI16x8S, narrow<int16_t, int8_t>(it));
    CASE(I8x16NarrowI16x8U, narrow<int16_t, uint8_t>(it));
    CASE(I16x8NarrowI32x4S, narrow<int32_t, int16_t>(it));
    CASE(I16x8NarrowI32x4U, narrow<int32_t, uint16_t>(it));
    CASE(I16x8ExtaddPairwiseI8x16S, add_pairs<int8_t, int16_t>(it));
    CASE(I16x8ExtaddPairwiseI8x16U, add_pairs<uint8_t, uint16_t>(it));
    CASE(I32x4ExtaddPairwiseI16x8S, add_pairs<int16_t, int32_t>(it));
    CASE(I32x4ExtaddPairwiseI16x8U, add_pairs<uint16_t, uint32_t>(it));
    CASE(I32x4DotI16x8S, Value::of(dot<int16_t, int32_t>(it)));
    CASE(I16x8RelaxedDotI8x16I7x16S, Value::of(dot<int8_t, int16_t>(it)));
    CASE(I32x4RelaxedDotI8x16I7x16AddS, dot_add(it));
    case Op::I16x8Q15mulrSatS:
      CASE(I16x8RelaxedQ15mulrS, binary<int16_t>(it, q15mulr));
    case Op::I8x16Swizzle:
      CASE(I8x16RelaxedSwizzle, swizzle(it));
      CASE(I8x16Shuffle, shuffle(it));
      CASE(V128Not, unary<uint64_t>(it, [](uint64_t x) { return ~x; }));
      CASE(V128And, binary<uint64_t>(it, [](uint64_t x, uint64_t y) { return x & y; }));
      CASE(V128Andnot, binary<uint64_t>(it, [](uint64_t x, uint64_t y) { return x & ~y; }));
      CASE(V128Or, binary<uint64_t>(it, [](uint64_t x, uint64_t y) { return x | y; }));
      CASE(V128Xor, binary<uint64_t>(it, [](uint64_t x, uint64_t y) { return x ^ y; }));
      CASE(V128Bitselect, bitselect(it));
      CASE(V128AnyTrue, Value::of(uint32_t{it.a != Value()}));
    case Op::I32x4TruncSatF32x4S:
      CASE(I32x4RelaxedTruncF32x4S, truncate<int32_t>(it));
    case Op::I32x4TruncSatF32x4U:
      CASE(I32x4RelaxedTruncF32x4U, truncate<uint32_t>(it));
    case Op::I32x4TruncSatF64x2SZero:
      CASE(I32x4RelaxedTruncF64x2SZero, truncate_low<int32_t>(it));
    case Op::I32x4TruncSatF64x2UZero:
      CASE(I32x4RelaxedTruncF64x2UZero, truncate_low<uint32_t>(it));
      CASE(F32x4ConvertI32x4S, convert_low<int32_t, float>(it));
      CASE(F32x4ConvertI32x4U, convert_low<uint32_t, float>(it));
      CASE(F64x2ConvertLowI32x4S, convert_low<int32_t, double>(it));
      CASE(F64x2ConvertLowI32x4U, convert_low<uint32_t, double>(it));
      CASE(F32x4DemoteF64x2Zero, convert_low<double, float>(it));
      CASE(F64x2PromoteLowF32x4, convert_low<float, double>(it));
    default:
      it.trap = "an instruction that the interpreter does not know";
      return {};
  }
}

Value apply_load(Op op, uint8_t lane, const Value& read, const Value& vector) {
  Operation it{.op = op, .lane = lane, .a = read, .b = {}, .c = {}};
  Operation into{.op = op, .lane = lane, .a = vector, .b = read, .c = {}};
  switch (op) {
    case Op::I32Load8S:
      return Value::of(int32_t{read.as<int8_t>()});
    case Op::I32Load16S:
      return Value::of(int32_t{read.as<int16_t>()});
    case Op::I64Load8S:
      return Value::of(int64_t{read.as<int8_t>()});
    case Op::I64Load16S:
      return Value::of(int64_t{read.as<int16_t>()});
    case Op::I64Load32S:
      return Value::of(int64_t{read.as<int32_t>()});
    case Op::V128Load8x8S:
      return extend<int8_t, int16_t>(it, false);
    case Op::V128Load8x8U:
      return extend<uint8_t, uint16_t>(it, false);
    case Op::V128Load16x4S:
      return extend<int16_t, int32_t>(it, false);
    case Op::V128Load16x4U:
      return extend<uint16_t, uint32_t>(it, false);
    case Op::V128Load32x2S:
      return extend<int32_t, int64_t>(it, false);
    case Op::V128Load32x2U:
      return extend<uint32_t, uint64_t>(it, false);
    case Op::V128Load8Splat:
      return splat<uint8_t>(it);
    case Op::V128Load16Splat:
      return splat<uint16_t>(it);
    case Op::V128Load32Splat:
      return splat<uint32_t>(it);
    case Op::V128Load64Splat:
      return splat<uint64_t>(it);
    case Op::V128Load8Lane:
      return replace<uint8_t>(into);
    case Op::V128Load16Lane:
      return replace<uint16_t>(into);
    case Op::V128Load32Lane:
      return replace<uint32_t>(into);
    case Op::V128Load64Lane:
      return replace<uint64_t>(into);
    default:  // the bytes as they are, zero above
      return read;
  }
}

}  // namespace fuselane::low
