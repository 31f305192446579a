#include "low/interpret.h"

#include <algorithm>

#include "base/printer.h"
#include "low/interpret_op.h"

namespace fuselane::low {
namespace {

constexpr int kMostCalls = 500;

// For each Block, Loop, If and Else the position of its Else or End.
std::vector<uint32_t> partners_of(const Function& function) {
  std::vector<uint32_t> partners(function.body.size());
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < function.body.size(); ++i) {
    StatementKind kind = function.body[i].kind;
    if (kind == StatementKind::End || kind == StatementKind::Else) {
      partners[open.back()] = i;
      open.pop_back();
    }
    bool opens = kind == StatementKind::Block || kind == StatementKind::Loop || kind == StatementKind::If ||
                 kind == StatementKind::Else;
    if (opens) open.push_back(i);
  }
  return partners;
}

class Interpreter {
 public:
  Interpreter(const Module& module, const Interpretation& how) : module_(module), how_(how) {
    for (const Function& function : module.functions) partners_.push_back(partners_of(function));
  }

  Value run(FunctionId id, std::span<const Value> arguments);
  Status status() const {
    if (trap_.empty()) return {};
    return fail(ErrorCode::InvalidData, trap_);
  }

 private:
  // A call that is going on.
  struct Frame {
    const Function& function;
    const std::vector<uint32_t>& partners;
    std::vector<Value> registers;
    std::vector<uint32_t> open;  // positions of the Blocks, Loops and Ifs around the statement
    uint32_t at = 0;
    Value result;
  };

  void trap(const Frame& frame, std::string_view what) {
    if (trap_.empty()) trap_ = cat("'", frame.function.name, "', statement ", frame.at, ": ", what);
  }
  bool trapped() const { return !trap_.empty(); }

  void step(Frame& frame);
  void branch(Frame& frame, LabelId label);
  Value evaluate(Frame& frame, ExprId id);
  Value call(Frame& frame, const CallSite& site);
  Value access(Frame& frame, const Expr& expr, const Value& address, const Value& value);
  Value constant(const Frame& frame, const Expr& expr) const;

  const Module& module_;
  Interpretation how_;
  std::vector<std::vector<uint32_t>> partners_;
  std::string trap_;
  int calls_ = 0;
};

Value Interpreter::run(FunctionId id, std::span<const Value> arguments) {
  const Function& function = module_[id];
  Frame frame{function, partners_[id.index], {arguments.begin(), arguments.end()}, {}, 0, {}};
  frame.registers.resize(function.registers.size());
  if (++calls_ > kMostCalls) trap(frame, "calls are nested too deep");
  while (frame.at < function.body.size() && !trapped()) {
    if (how_.fuel == 0) trap(frame, "no fuel is left");
    if (trapped()) break;
    --how_.fuel;
    step(frame);
  }
  --calls_;
  return frame.result;
}

// Executes a statement and goes to the next one.
void Interpreter::step(Frame& frame) {
  const Statement& it = frame.function.body[frame.at];
  Value value;
  if (it.expr) value = evaluate(frame, it.expr);
  if (trapped()) return;
  switch (it.kind) {
    case StatementKind::Set:
      frame.registers[it.reg.index] = value;
      break;
    case StatementKind::Effect:
    case StatementKind::Drop:
      break;
    case StatementKind::Block:
    case StatementKind::Loop:
      frame.open.push_back(frame.at);
      break;
    case StatementKind::If:
      frame.open.push_back(frame.at);
      if (value.as<uint32_t>() != 0) break;
      frame.at = frame.partners[frame.at];
      if (frame.function.body[frame.at].kind == StatementKind::End) return;  // executes it
      break;
    case StatementKind::Else:  // reached after what is done if the condition held
      frame.at = frame.partners[frame.at];
      return;
    case StatementKind::End:
      frame.open.pop_back();
      break;
    case StatementKind::Branch:
      return branch(frame, it.label);
    case StatementKind::BranchIf:
      if (value.as<uint32_t>() == 0) break;
      return branch(frame, it.label);
    case StatementKind::Return:
      frame.result = value;
      frame.at = static_cast<uint32_t>(frame.function.body.size());
      return;
    case StatementKind::Unreachable:
      return trap(frame, "unreachable");
  }
  ++frame.at;
}

void Interpreter::branch(Frame& frame, LabelId label) {
  while (frame.function.body[frame.open.back()].label != label) frame.open.pop_back();
  frame.at = frame.open.back();
  if (frame.function.body[frame.at].kind != StatementKind::Loop) {
    frame.open.pop_back();
    do {
      frame.at = frame.partners[frame.at];
    } while (frame.function.body[frame.at].kind == StatementKind::Else);
  }
  ++frame.at;
}

Value Interpreter::evaluate(Frame& frame, ExprId id) {
  const Expr& expr = frame.function[id];
  const Instruction& row = info(expr.op);
  if (expr.op == Op::LocalGet) return frame.registers[expr.immediate];
  if (expr.op == Op::Call) return call(frame, frame.function.calls[expr.immediate]);
  if (row.operand(0) == Type::None) return constant(frame, expr);
  Operation it{.op = expr.op, .lane = expr.lane, .fused_madd = how_.fused_madd, .a = {}, .b = {}, .c = {}};
  Value* operands[] = {&it.a, &it.b, &it.c};
  for (size_t i = 0; i < 3 && expr.operands[i]; ++i) *operands[i] = evaluate(frame, expr.operands[i]);
  if (trapped()) return {};
  if (row.has_memory()) return access(frame, expr, it.a, it.b);
  if (expr.op == Op::Select) return it.c.as<uint32_t>() != 0 ? it.a : it.b;
  if (expr.op == Op::I8x16Shuffle) it.c.bytes = frame.function.wide[expr.immediate];
  Value result = apply_number(it);
  if (it.trap != nullptr) trap(frame, it.trap);
  return result;
}

Value Interpreter::call(Frame& frame, const CallSite& site) {
  std::vector<Value> arguments;
  for (ExprId argument : site.arguments) arguments.push_back(evaluate(frame, argument));
  return trapped() ? Value() : run(site.callee, arguments);
}

Value Interpreter::constant(const Frame& frame, const Expr& expr) const {
  if (expr.op == Op::I32Const || expr.op == Op::F32Const) return Value::of(expr.immediate);
  return {frame.function.wide[expr.immediate]};
}

Value Interpreter::access(Frame& frame, const Expr& expr, const Value& address, const Value& value) {
  const Instruction& row = info(expr.op);
  uint64_t from = uint64_t{address.as<uint32_t>()} + expr.immediate;
  if (from + row.width > how_.memory.size()) {
    trap(frame,
         cat(name_of(expr.op), " of ", row.width, " bytes at ", from, ", memory has ", how_.memory.size()));
    return {};
  }
  uint8_t* at = how_.memory.data() + from;
  if (row.result() == Type::None) {
    std::memcpy(at, value.bytes.data() + size_t{expr.lane} * row.width, row.width);
    return {};
  }
  Value read;
  std::memcpy(read.bytes.data(), at, row.width);
  return apply_load(expr.op, expr.lane, read, value);
}

}  // namespace

Result<Value> interpret(const Module& module, FunctionId function, std::span<const Value> arguments,
                        const Interpretation& how) {
  Interpreter interpreter(module, how);
  Value result = interpreter.run(function, arguments);
  TRY(interpreter.status());
  return result;
}

}  // namespace fuselane::low
