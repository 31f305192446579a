#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "tests/support/emit_cases/cases.h"

namespace fuselane::emit_cases {

using low::Builder;
using low::ExprId;
using low::Op;
using low::RegisterId;
using low::Type;

namespace {

template <class T>
void put(std::vector<uint8_t>& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, std::min(sizeof value, bytes.size() - at));
}

template <class Float>
Float special_float(Rng& rng) {
  using Limits = std::numeric_limits<Float>;
  const Float kValues[] = {0,
                           Float(-0.0),
                           1,
                           -1,
                           0.5,
                           -0.5,
                           1.5,
                           2.5,
                           -3.5,
                           255,
                           1e9,
                           0x1p31,
                           -0x1p31,
                           0x1p32,
                           0x1p63,
                           -0x1p63,
                           0x1p64,
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           -Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::denorm_min(),
                           std::nextafter(Float(0x1p31), Float(0)),
                           std::nextafter(Float(0x1p32), Float(0))};
  return kValues[rng.below(std::size(kValues))];
}

}  // namespace

std::vector<uint8_t> random_bytes(size_t count, Rng& rng) {
  std::vector<uint8_t> bytes(count);
  for (size_t at = 0; at < count; at += 8) {
    put(bytes, at, rng.next());
    uint64_t kind = rng.below(6);
    if (kind == 0) put(bytes, at, special_float<double>(rng));
    for (size_t half = 0; half < 8 && kind > 1; half += 4) {
      if (at + half >= count) break;
      constexpr int32_t kIntegers[] = {0, 1, -1, 2, 31, 32, 255, 32767, 32768, 65535, INT32_MAX, INT32_MIN};
      if (kind < 4) put(bytes, at + half, special_float<float>(rng));
      if (kind == 4) put(bytes, at + half, kIntegers[rng.below(std::size(kIntegers))]);
      if (kind == 5) put(bytes, at + half, static_cast<float>(rng.between(-1000, 1000)) / 8);
    }
  }
  return bytes;
}

ExprId with_one_nan(Builder& b, Op op, Type type, ExprId value) {
  std::string_view name = low::name_of(op);
  bool doubles = name.starts_with("f64");
  bool is_float = name.starts_with("f32") || doubles;
  constexpr std::string_view kExact[] = {"abs",          "neg",         "copysign",    "pmin",
                                         "pmax",         "splat",       "load",        "const",
                                         "replace_lane", "reinterpret", "extract_lane"};
  std::string_view what = name.substr(std::min(name.find('.') + 1, name.size()));
  bool exact = std::ranges::any_of(kExact, [&](std::string_view prefix) { return what.starts_with(prefix); });
  bool is_of_float = type == Type::F32 || type == Type::F64 || type == Type::V128;
  if (!is_float || exact || !is_of_float) return value;
  RegisterId made = b.reg(type);
  b.set(made, value);
  if (type == Type::F32)
    return b.select(b.op(Op::F32Eq, made, made), made, b.f32(std::numeric_limits<float>::quiet_NaN()));
  if (type == Type::F64)
    return b.select(b.op(Op::F64Eq, made, made), made, b.f64(std::numeric_limits<double>::quiet_NaN()));
  if (what == "eq" || what == "ne" || what == "lt" || what == "gt" || what == "le" || what == "ge")
    return b.get(made);  // masks
  low::V128 nans;
  for (size_t i = 0; i < 16; i += doubles ? 8 : 4) {
    uint64_t bits = doubles ? std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN()) : 0x7fc00000;
    std::memcpy(nans.data() + i, &bits, doubles ? 8 : 4);
  }
  Op equal = doubles ? Op::F64x2Eq : Op::F32x4Eq;
  return b.op(Op::V128Bitselect, made, b.v128(nans), b.op(equal, made, made));
}

Op load_of(Type type) {
  switch (type) {
    case Type::I64:
      return Op::I64Load;
    case Type::F32:
      return Op::F32Load;
    case Type::F64:
      return Op::F64Load;
    case Type::V128:
      return Op::V128Load;
    case Type::I32:
    case Type::None:
    case Type::Any:
      return Op::I32Load;
  }
}

Op store_of(Type type) {
  switch (type) {
    case Type::I64:
      return Op::I64Store;
    case Type::F32:
      return Op::F32Store;
    case Type::F64:
      return Op::F64Store;
    case Type::V128:
      return Op::V128Store;
    case Type::I32:
    case Type::None:
    case Type::Any:
      return Op::I32Store;
  }
}

}  // namespace fuselane::emit_cases
