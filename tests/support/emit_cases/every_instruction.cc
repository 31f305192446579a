#include "tests/support/emit_cases/cases.h"

namespace fuselane::emit_cases {
namespace {

using low::Builder;
using low::Expr;
using low::ExprId;
using low::Function;
using low::Immediate;
using low::Op;
using low::Type;

constexpr int kCalls = 8;
constexpr uint32_t kResult = 48;  // operands are at 0, 16 and 32

class FunctionOfOne {
 public:
  FunctionOfOne(Function& function, Op op, Rng& rng)
      : b_(function), op_(op), row_(low::info(op)), rng_(rng) {}

  void build() {
    Expr expr{.op = op_};
    for (size_t i = 0; i < 3 && row_.operand(i) != Type::None; ++i) expr.operands[i] = operand(i);
    if (row_.has_lane()) expr.lane = static_cast<uint8_t>(rng_.below(16u / row_.width));
    immediate(expr);
    b_.function().exprs.push_back(expr);
    ExprId made(b_.function().exprs.size() - 1);
    Type type = row_.result() == Type::Any ? Type::V128 : row_.result();
    if (type == Type::None) return b_.effect(made);
    ExprId value = with_one_nan(b_, op_, type, made);
    b_.store(store_of(type), b_.i32(0), value, kResult);
  }

 private:
  ExprId operand(size_t i) {
    Type type = row_.operand(i) == Type::Any ? Type::V128 : row_.operand(i);
    ExprId value = b_.load(load_of(type), b_.i32(0), static_cast<uint32_t>(16 * i));
    if (i == 0 && row_.has_memory()) return b_.op(Op::I32And, value, b_.i32(63));
    return row_.feature == low::Feature::RelaxedSimd ? defined(value, i) : value;
  }

  // Operands for which a relaxed instruction has one result everywhere, but for madd, which has two.
  ExprId defined(ExprId value, size_t i) {
    auto bytes = [&](uint32_t bits) { return b_.v128_splat(bits); };
    auto small = [&](Op convert) { return b_.op(convert, b_.op(Op::V128And, value, bytes(0x00ff00ff))); };
    switch (op_) {
      case Op::I8x16RelaxedSwizzle:
        return i == 1 ? b_.op(Op::V128And, value, bytes(0x0f0f0f0f)) : value;
      case Op::I32x4RelaxedTruncF32x4S:
      case Op::I32x4RelaxedTruncF32x4U:
      case Op::F32x4RelaxedMin:
      case Op::F32x4RelaxedMax:
        return small(Op::F32x4ConvertI32x4U);
      case Op::I32x4RelaxedTruncF64x2SZero:
      case Op::I32x4RelaxedTruncF64x2UZero:
      case Op::F64x2RelaxedMin:
      case Op::F64x2RelaxedMax:
        return small(Op::F64x2ConvertLowI32x4U);
      case Op::I8x16RelaxedLaneselect:
      case Op::I16x8RelaxedLaneselect:
      case Op::I32x4RelaxedLaneselect:
      case Op::I64x2RelaxedLaneselect:
        return i == 2 ? b_.op(Op::I64x2LtS, value, bytes(0)) : value;
      case Op::I16x8RelaxedQ15mulrS:
        return b_.op(Op::I16x8ShrS, value, b_.i32(1));
      case Op::I16x8RelaxedDotI8x16I7x16S:
      case Op::I32x4RelaxedDotI8x16I7x16AddS:
        return i == 1 ? b_.op(Op::V128And, value, bytes(0x7f7f7f7f)) : value;
      case Op::F32x4RelaxedMadd:  // numbers in [1, 2), of which most results need rounding
      case Op::F32x4RelaxedNmadd:
        return b_.op(Op::V128Or, b_.op(Op::V128And, value, bytes(0x007fffff)), bytes(0x3f800000));
      case Op::F64x2RelaxedMadd:
      case Op::F64x2RelaxedNmadd:
        value = b_.op(Op::V128And, value, b_.op(Op::I64x2Splat, b_.i64(0x000fffffffffffff)));
        return b_.op(Op::V128Or, value, b_.op(Op::F64x2Splat, b_.f64(1)));
      default:
        return value;
    }
  }

  void immediate(Expr& expr) {
    auto& wide = b_.function().wide;
    auto keep = [&](size_t used, uint8_t mask) {
      low::V128 bytes = {};
      for (size_t i = 0; i < used; ++i) bytes[i] = static_cast<uint8_t>(rng_.next()) & mask;
      expr.immediate = static_cast<uint32_t>(wide.size());
      wide.push_back(bytes);
    };
    if (row_.has_memory()) {
      expr.immediate = static_cast<uint32_t>(rng_.below(300) / 2);
      while ((2 << expr.alignment) <= row_.width && rng_.below(2) == 0) ++expr.alignment;
    }
    if (row_.immediate == Immediate::I32)
      expr.immediate = static_cast<uint32_t>(rng_.next() >> rng_.below(64));
    if (row_.immediate == Immediate::F32) expr.immediate = static_cast<uint32_t>(rng_.next());
    if (row_.immediate == Immediate::I64 || row_.immediate == Immediate::F64) keep(1 + rng_.below(8), 0xff);
    if (row_.immediate == Immediate::V128) keep(16, 0xff);
    if (row_.immediate == Immediate::Shuffle) keep(16, 31);
  }

  Builder b_;
  Op op_;
  const low::Instruction& row_;
  Rng& rng_;
};

}  // namespace

Case every_instruction(bool relaxed, Rng& rng) {
  Case result{.name = relaxed ? "every relaxed instruction" : "every instruction", .module = {}, .calls = {}};
  for (size_t i = 0; i < low::kOpCount; ++i) {
    auto op = static_cast<Op>(i);
    if (op == Op::LocalGet || op == Op::Call) continue;  // random modules are full of them
    if ((low::info(op).feature == low::Feature::RelaxedSimd) != relaxed) continue;
    std::string name(low::name_of(op));
    result.module.functions.push_back({.name = name, .exported = true});
    FunctionOfOne(result.module.functions.back(), op, rng).build();
    for (int call = 0; call < kCalls; ++call) result.calls.push_back({name, random_bytes(64, rng)});
  }
  return result;
}

}  // namespace fuselane::emit_cases
