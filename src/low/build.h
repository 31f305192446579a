// Builds the body of a function, statement after statement.
//
//   Function function{.name = "sum", .result = Type::F32};
//   Builder b(function);
//   RegisterId from = b.parameter(Type::I32, "from"), end = b.parameter(Type::I32, "end");
//   RegisterId sum = b.reg(Type::F32, "sum");
//   LabelId next = b.begin_loop();
//   b.set(sum, b.op(Op::F32Add, sum, b.load(Op::F32Load, from)));
//   b.set(from, b.add(from, b.i32(4)));
//   b.branch_if(next, b.op(Op::I32LtU, from, end));
//   b.end();
//   b.give(sum);
//
// Where an operand is expected, a register stands for a read of it. Operands of the wrong number or type, and
// lanes that do not exist, are our own mistakes: assertions here where they can be seen, errors of verify.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "low/low.h"

namespace fuselane::low {

// An expression, or a register to be read; by default neither.
class Operand {
 public:
  Operand() = default;
  Operand(ExprId expr) : number_(expr.index) {}
  Operand(RegisterId reg) : number_(reg.index | kRegister) {}

 private:
  friend class Builder;
  static constexpr uint32_t kRegister = 0x80000000u;
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t number_ = kNone;  // one number is passed in a register
};

class Builder {
 public:
  // The function must stay where it is: not in a vector that grows meanwhile.
  explicit Builder(Function& function) : function_(function) {}

  RegisterId reg(Type type, std::string name = {});
  // Parameters come before all other registers.
  RegisterId parameter(Type type, std::string name = {});

  ExprId get(RegisterId reg);
  ExprId i32(int32_t value);
  ExprId i64(int64_t value);
  ExprId f32(float value);
  ExprId f64(double value);
  ExprId v128(const V128& bytes);
  ExprId v128_splat(uint32_t bits);  // four times the same 32 bits

  // What has no immediate.
  ExprId op(Op op, Operand a, Operand b = {}, Operand c = {});
  ExprId select(Operand condition, Operand if_true, Operand if_false);
  ExprId lane(Op op, uint8_t lane, Operand a, Operand b = {});
  // Bytes 0 to 15 are those of a, 16 to 31 those of b; 32-bit lanes likewise 0 to 3 and 4 to 7.
  ExprId shuffle(const V128& bytes, Operand a, Operand b);
  ExprId shuffle_32(const std::array<uint8_t, 4>& lanes, Operand a, Operand b);
  // Accesses are said to be aligned to 4 bytes, or what they have if that is less: what holds of tensors.
  ExprId load(Op op, Operand address, uint32_t offset = 0);
  ExprId load_lane(Op op, uint8_t lane, Operand address, Operand vector, uint32_t offset = 0);
  ExprId call(FunctionId callee, const std::vector<Operand>& arguments);

  // Of int32, with constants folded: c + c, x + 0, (x + c) + c, x * 0, x * 1, x * 2^n.
  ExprId add(Operand a, Operand b);
  ExprId sub(Operand a, Operand b);
  ExprId mul(Operand a, Operand b);
  ExprId shl(Operand a, uint32_t count);
  std::optional<int32_t> constant_of(ExprId expr) const;

  void set(RegisterId reg, Operand value);
  void effect(ExprId expr);  // of what has no result
  void drop(ExprId expr);    // of what has one
  void store(Op op, Operand address, Operand value, uint32_t offset = 0, uint8_t lane = 0);
  LabelId begin_block();
  LabelId begin_loop();
  LabelId begin_if(Operand condition);
  void begin_else();
  void end();
  void branch(LabelId label);
  void branch_if(LabelId label, Operand condition);
  void give(Operand value = {});  // return
  void unreachable();

  Function& function() { return function_; }

 private:
  ExprId push(const Expr& expr);
  ExprId wide(Op op, const V128& bytes);
  ExprId operand(Operand from, Type expected);
  ExprId access(Op op, uint8_t lane, Operand address, Operand value, uint32_t offset);
  LabelId begin(StatementKind kind, ExprId condition);
  void state(const Statement& statement) { function_.body.push_back(statement); }

  Function& function_;
};

}  // namespace fuselane::low
