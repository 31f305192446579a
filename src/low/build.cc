#include "low/build.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

namespace fuselane::low {
namespace {

// False only where both are known: what a call gives is known to the module.
[[maybe_unused]] bool may_be(const Function& function, ExprId id, Type expected) {
  const Expr& expr = function[id];
  if (expected == Type::Any || expr.op == Op::Call) return true;
  if (expr.op == Op::LocalGet) return function.registers[expr.immediate].type == expected;
  return expr.op == Op::Select ? may_be(function, expr.operands[0], expected)
                               : info(expr.op).result() == expected;
}

}  // namespace

RegisterId Builder::reg(Type type, std::string name) {
  function_.registers.push_back({type, std::move(name)});
  return RegisterId(function_.registers.size() - 1);
}

RegisterId Builder::parameter(Type type, std::string name) {
  assert(function_.parameters == function_.registers.size() && "parameters come first");
  ++function_.parameters;
  return reg(type, std::move(name));
}

ExprId Builder::push(const Expr& expr) {
  function_.exprs.push_back(expr);
  return ExprId(function_.exprs.size() - 1);
}

// None where the instruction has no such operand.
ExprId Builder::operand(Operand from, [[maybe_unused]] Type expected) {
  bool is_register = from.number_ != Operand::kNone && (from.number_ & Operand::kRegister) != 0;
  ExprId id = is_register ? get(RegisterId(from.number_ & ~Operand::kRegister)) : ExprId(from.number_);
  assert((expected == Type::None) == !id && "as many operands as the instruction takes");
  assert((!id || may_be(function_, id, expected)) && "operands of the instruction's types");
  return id;
}

ExprId Builder::get(RegisterId reg) { return push({.op = Op::LocalGet, .immediate = reg.index}); }

ExprId Builder::i32(int32_t value) {
  return push({.op = Op::I32Const, .immediate = static_cast<uint32_t>(value)});
}

ExprId Builder::f32(float value) {
  return push({.op = Op::F32Const, .immediate = std::bit_cast<uint32_t>(value)});
}

ExprId Builder::wide(Op op, const V128& bytes) {
  function_.wide.push_back(bytes);
  return push({.op = op, .immediate = static_cast<uint32_t>(function_.wide.size() - 1)});
}

ExprId Builder::i64(int64_t value) {
  V128 bytes = {};
  std::memcpy(bytes.data(), &value, sizeof value);
  return wide(Op::I64Const, bytes);
}

ExprId Builder::f64(double value) {
  V128 bytes = {};
  std::memcpy(bytes.data(), &value, sizeof value);
  return wide(Op::F64Const, bytes);
}

ExprId Builder::v128(const V128& bytes) { return wide(Op::V128Const, bytes); }

ExprId Builder::v128_splat(uint32_t bits) {
  V128 bytes;
  for (size_t i = 0; i < 16; i += 4) std::memcpy(bytes.data() + i, &bits, 4);
  return v128(bytes);
}

ExprId Builder::op(Op op, Operand a, Operand b, Operand c) {
  const Instruction& row = info(op);
  assert(row.immediate == Immediate::None && "this instruction has an immediate");
  Expr expr{.op = op};
  Operand from[] = {a, b, c};
  for (size_t i = 0; i < 3; ++i) expr.operands[i] = operand(from[i], row.operand(i));
  return push(expr);
}

ExprId Builder::select(Operand condition, Operand if_true, Operand if_false) {
  return op(Op::Select, if_true, if_false, condition);
}

ExprId Builder::lane(Op op, uint8_t lane, Operand a, Operand b) {
  const Instruction& row = info(op);
  assert(row.immediate == Immediate::Lane && lane * row.width < 16);
  Expr expr{.op = op, .lane = lane};
  expr.operands[0] = operand(a, row.operand(0));
  expr.operands[1] = operand(b, row.operand(1));
  return push(expr);
}

ExprId Builder::shuffle(const V128& bytes, Operand a, Operand b) {
  assert(std::ranges::all_of(bytes, [](uint8_t byte) { return byte < 32; }));
  ExprId first = operand(a, Type::V128);
  ExprId second = operand(b, Type::V128);
  ExprId id = wide(Op::I8x16Shuffle, bytes);
  function_.exprs[id.index].operands = {first, second};
  return id;
}

ExprId Builder::shuffle_32(const std::array<uint8_t, 4>& lanes, Operand a, Operand b) {
  V128 bytes;
  for (size_t i = 0; i < 16; ++i) bytes[i] = static_cast<uint8_t>(lanes[i / 4] * 4 + i % 4);
  return shuffle(bytes, a, b);
}

ExprId Builder::access(Op op, uint8_t lane, Operand address, Operand value, uint32_t offset) {
  const Instruction& row = info(op);
  assert(row.has_memory() && "this instruction has no access");
  assert((row.immediate == Immediate::Memory ? lane == 0 : lane * row.width < 16) && "no such lane");
  Expr expr{.op = op,
            .alignment = static_cast<uint8_t>(std::min(2, std::countr_zero(row.width))),
            .lane = lane,
            .immediate = offset};
  expr.operands[0] = operand(address, Type::I32);
  expr.operands[1] = operand(value, row.operand(1));
  return push(expr);
}

ExprId Builder::load(Op op, Operand address, uint32_t offset) { return access(op, 0, address, {}, offset); }

ExprId Builder::load_lane(Op op, uint8_t lane, Operand address, Operand vector, uint32_t offset) {
  return access(op, lane, address, vector, offset);
}

ExprId Builder::call(FunctionId callee, const std::vector<Operand>& arguments) {
  CallSite site{callee, {}};
  for (Operand argument : arguments) site.arguments.push_back(operand(argument, Type::Any));
  function_.calls.push_back(std::move(site));
  return push({.op = Op::Call, .immediate = static_cast<uint32_t>(function_.calls.size() - 1)});
}

std::optional<int32_t> Builder::constant_of(ExprId expr) const {
  if (function_[expr].op != Op::I32Const) return std::nullopt;
  return static_cast<int32_t>(function_[expr].immediate);
}

// A constant becomes the folded one: nobody else uses it.
ExprId Builder::add(Operand a, Operand b) {
  ExprId x = operand(a, Type::I32);
  ExprId y = operand(b, Type::I32);
  if (constant_of(x)) std::swap(x, y);
  auto constant = constant_of(y);
  if (!constant) return op(Op::I32Add, x, y);
  if (*constant == 0) return x;
  ExprId other = function_[x].op == Op::I32Add ? function_[x].operands[1] : x;
  if (!constant_of(other)) return op(Op::I32Add, x, y);
  function_.exprs[other.index].immediate += static_cast<uint32_t>(*constant);
  return x;
}

ExprId Builder::sub(Operand a, Operand b) {
  ExprId x = operand(a, Type::I32);
  ExprId y = operand(b, Type::I32);
  auto constant = constant_of(y);
  if (!constant) return op(Op::I32Sub, x, y);
  function_.exprs[y.index].immediate = 0u - static_cast<uint32_t>(*constant);
  return add(x, y);
}

ExprId Builder::mul(Operand a, Operand b) {
  ExprId x = operand(a, Type::I32);
  ExprId y = operand(b, Type::I32);
  if (constant_of(x)) std::swap(x, y);
  auto constant = constant_of(y);
  if (!constant) return op(Op::I32Mul, x, y);
  auto factor = static_cast<uint32_t>(*constant);
  if (constant_of(x)) {
    function_.exprs[x.index].immediate *= factor;
    return x;
  }
  if (factor == 0 && function_[x].op == Op::LocalGet) return y;
  if (std::has_single_bit(factor)) return shl(x, static_cast<uint32_t>(std::countr_zero(factor)));
  return op(Op::I32Mul, x, y);
}

ExprId Builder::shl(Operand a, uint32_t count) {
  assert(count < 32);
  ExprId x = operand(a, Type::I32);
  if (count == 0) return x;
  if (!constant_of(x)) return op(Op::I32Shl, x, i32(static_cast<int32_t>(count)));
  function_.exprs[x.index].immediate <<= count;
  return x;
}

void Builder::set(RegisterId reg, Operand value) {
  state({.kind = StatementKind::Set, .reg = reg, .expr = operand(value, function_[reg].type)});
}

void Builder::effect(ExprId expr) { state({.kind = StatementKind::Effect, .expr = expr}); }

void Builder::drop(ExprId expr) { state({.kind = StatementKind::Drop, .expr = expr}); }

void Builder::store(Op op, Operand address, Operand value, uint32_t offset, uint8_t lane) {
  effect(access(op, lane, address, value, offset));
}

LabelId Builder::begin(StatementKind kind, ExprId condition) {
  LabelId label(function_.labels++);
  state({.kind = kind, .expr = condition, .label = label});
  return label;
}

LabelId Builder::begin_block() { return begin(StatementKind::Block, {}); }

LabelId Builder::begin_loop() { return begin(StatementKind::Loop, {}); }

LabelId Builder::begin_if(Operand condition) {
  return begin(StatementKind::If, operand(condition, Type::I32));
}

void Builder::begin_else() { state({.kind = StatementKind::Else}); }

void Builder::end() { state({.kind = StatementKind::End}); }

void Builder::branch(LabelId label) { state({.kind = StatementKind::Branch, .label = label}); }

void Builder::branch_if(LabelId label, Operand condition) {
  state({.kind = StatementKind::BranchIf, .expr = operand(condition, Type::I32), .label = label});
}

void Builder::give(Operand value) {
  state({.kind = StatementKind::Return, .expr = operand(value, function_.result)});
}

void Builder::unreachable() { state({.kind = StatementKind::Unreachable}); }

}  // namespace fuselane::low
