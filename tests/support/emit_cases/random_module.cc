#include <array>

#include "tests/support/emit_cases/cases.h"

namespace fuselane::emit_cases {
namespace {

using low::Builder;
using low::ExprId;
using low::Function;
using low::FunctionId;
using low::Immediate;
using low::LabelId;
using low::Module;
using low::Op;
using low::Operand;
using low::RegisterId;
using low::Type;

constexpr Type kTypes[] = {Type::I32, Type::I64, Type::F32, Type::F64, Type::V128};
constexpr uint32_t kInputs =
    128;  // registers are loaded from the first half of the window, stored to the other

// By result, None for statements.
using Pool = std::array<std::vector<Op>, 6>;

Pool pool_of(bool relaxed) {
  Pool pool;
  for (size_t i = 0; i < low::kOpCount; ++i) {
    auto op = static_cast<Op>(i);
    const low::Instruction& row = low::info(op);
    bool is_madd = op == Op::F32x4RelaxedMadd || op == Op::F32x4RelaxedNmadd || op == Op::F64x2RelaxedMadd ||
                   op == Op::F64x2RelaxedNmadd;
    bool usable = row.feature == low::Feature::RelaxedSimd ? relaxed && is_madd : row.result() != Type::Any;
    if (!usable) continue;
    auto& ops = pool[static_cast<size_t>(row.result())];
    ops.insert(ops.end(), is_madd ? 40 : 1, op);  // of 200
  }
  return pool;
}

bool may_trap(Op op) {
  std::string_view name = low::name_of(op);
  bool truncates = name.find(".trunc_f") != std::string_view::npos;
  return truncates || name.find(".div_") != std::string_view::npos ||
         name.find(".rem_") != std::string_view::npos;
}

class RandomFunction {
 public:
  RandomFunction(const Module& module, Function& function, const Pool& pool, Rng& rng)
      : module_(module), b_(function), pool_(pool), rng_(rng) {}

  // Called by others: parameters and a result of any types.
  void helper() {
    uint64_t count = rng_.below(4);
    for (uint64_t i = 0; i < count; ++i) add(b_.parameter(any_type()));
    for (Type type : kTypes) add(b_.reg(type));
    if (rng_.below(4) > 0) b_.function().result = any_type();
    statements(4, 1);
    give();
  }

  // Loads its registers, changes them and stores them.
  void main() {
    uint32_t offset = 0;
    for (Type type : kTypes) {
      for (int i = 0; i < 3; ++i, offset += 8) {
        add(b_.reg(type));
        b_.set(registers_.back(), b_.load(load_of(type), b_.i32(0), offset));
      }
    }
    LabelId all = b_.begin_block();
    branchable_.push_back(all);
    statements(12, 3);
    branchable_.pop_back();
    b_.end();
    offset = kInputs;
    for (RegisterId reg : registers_) {
      Type type = b_.function()[reg].type;
      b_.store(store_of(type), b_.i32(0), reg, offset);
      offset += type == Type::V128 ? 16 : 8;
    }
  }

 private:
  void add(RegisterId reg) { registers_.push_back(reg); }
  Type any_type() { return kTypes[rng_.below(5)]; }

  RegisterId any_register(Type type) {
    while (true) {
      RegisterId reg = registers_[rng_.below(registers_.size())];
      if (b_.function()[reg].type == type) return reg;
    }
  }

  void give() {
    Type type = b_.function().result;
    b_.give(type == Type::None ? Operand() : expression(type, 2));
  }

  void statements(int count, int depth) {
    for (int i = 0; i < count; ++i) statement(depth);
  }

  void statement(int depth) {
    uint64_t kind = rng_.below(20);
    if (kind < 10 || depth == 0) {
      Type type = any_type();
      return b_.set(any_register(type), expression(type, 4));
    }
    if (kind < 13) return b_.effect(instruction(Type::None, 3));
    if (kind < 14) return call();
    if (kind < 16) return loop(depth);
    if (kind < 17 && !branchable_.empty())
      return b_.branch_if(branchable_[rng_.below(branchable_.size())], expression(Type::I32, 2));
    if (kind < 18) return block(depth);
    LabelId label = b_.begin_if(expression(Type::I32, 2));
    branchable_.push_back(label);
    statements(2, depth - 1);
    if (rng_.below(2) == 0) {
      b_.begin_else();
      statements(2, depth - 1);
      if (rng_.below(4) == 0) b_.branch(label);
    } else if (rng_.below(8) == 0) {
      give();
    }
    branchable_.pop_back();
    b_.end();
  }

  void block(int depth) {
    branchable_.push_back(b_.begin_block());
    statements(3, depth - 1);
    branchable_.pop_back();
    b_.end();
  }

  // At most four times, with a counter that nothing else sets.
  void loop(int depth) {
    RegisterId counter = b_.reg(Type::I32, "counter");
    b_.set(counter, b_.i32(0));
    LabelId label = b_.begin_loop();
    statements(3, depth - 1);
    b_.set(counter, b_.add(counter, b_.i32(1)));
    b_.branch_if(label, b_.op(Op::I32LtU, counter, b_.i32(static_cast<int32_t>(1 + rng_.below(4)))));
    b_.end();
  }

  // Of a function before this one.
  ExprId call_of(FunctionId id) {
    const Function& callee = module_[id];
    std::vector<Operand> arguments;
    for (uint32_t i = 0; i < callee.parameters; ++i) {
      arguments.push_back(expression(callee.registers[i].type, 1));
    }
    return b_.call(id, arguments);
  }

  void call() {
    if (module_.functions.empty()) return;
    FunctionId id(rng_.below(module_.functions.size()));
    if (module_[id].result == Type::None) return b_.effect(call_of(id));
    b_.drop(call_of(id));
  }

  ExprId leaf(Type type) {
    if (rng_.below(3) > 0) return b_.get(any_register(type));
    auto bits = static_cast<int64_t>(rng_.next()) >> rng_.below(64);
    switch (type) {
      case Type::I64:
        return b_.i64(bits);
      case Type::F32:
        return b_.f32(static_cast<float>(rng_.between(-999, 999)) / 16);
      case Type::F64:
        return b_.f64(static_cast<double>(rng_.between(-999, 999)) / 16);
      case Type::V128:
        return b_.v128_splat(static_cast<uint32_t>(bits));
      case Type::I32:
      case Type::None:
      case Type::Any:
        return b_.i32(static_cast<int32_t>(bits));
    }
  }

  ExprId expression(Type type, int depth) {
    if (depth == 0 || rng_.below(6) == 0) return leaf(type);
    uint64_t kind = rng_.below(12);
    if (kind == 0) {
      ExprId if_true = expression(type, depth - 1);
      ExprId if_false = expression(type, depth - 1);
      return b_.select(expression(Type::I32, depth - 1), if_true, if_false);
    }
    if (kind == 1 && !module_.functions.empty()) {
      FunctionId id(rng_.below(module_.functions.size()));
      if (module_[id].result == type) return call_of(id);
    }
    return instruction(type, depth);
  }

  ExprId instruction(Type type, int depth) {
    const auto& ops = pool_[static_cast<size_t>(type)];
    Op op = ops[rng_.below(ops.size())];
    while (may_trap(op) && rng_.below(40) > 0) op = ops[rng_.below(ops.size())];
    const low::Instruction& row = low::info(op);
    if (row.operand(0) == Type::None) return leaf(type);
    low::Expr expr{.op = op};
    for (size_t i = 0; i < 3 && row.operand(i) != Type::None; ++i) {
      ExprId operand = expression(row.operand(i), depth - 1);
      bool address = i == 0 && row.has_memory() && rng_.below(400) > 0;  // else most are out of bounds
      expr.operands[i] = address ? b_.op(Op::I32And, operand, b_.i32(127)) : operand;
    }
    if (row.has_memory()) expr.immediate = static_cast<uint32_t>(rng_.below(64));
    if (row.has_lane()) expr.lane = static_cast<uint8_t>(rng_.below(16u / row.width));
    if (row.immediate == Immediate::Shuffle) {
      low::V128 bytes;
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng_.below(32));
      expr.immediate = static_cast<uint32_t>(b_.function().wide.size());
      b_.function().wide.push_back(bytes);
    }
    b_.function().exprs.push_back(expr);
    return with_one_nan(b_, op, type, ExprId(b_.function().exprs.size() - 1));
  }

  const Module& module_;
  Builder b_;
  const Pool& pool_;
  Rng& rng_;
  std::vector<RegisterId> registers_;
  std::vector<LabelId> branchable_;  // of blocks and ifs: a loop goes on by its counter alone
};

}  // namespace

Case random_module(bool relaxed, Rng& rng) {
  static const Pool pools[] = {pool_of(false), pool_of(true)};
  Case result{.name = "random", .module = {}, .calls = {}};
  result.module.shared_memory = rng.below(2) == 0;
  for (const char* name : {"helper0", "helper1", "helper2", "main"}) {
    Function function{.name = name};
    RandomFunction random(result.module, function, pools[relaxed ? 1 : 0], rng);
    function.exported = function.name == "main";
    if (function.exported) {
      random.main();
    } else {
      random.helper();
    }
    result.module.functions.push_back(std::move(function));
  }
  for (int call = 0; call < 3; ++call) result.calls.push_back({"main", random_bytes(kInputs, rng)});
  return result;
}

}  // namespace fuselane::emit_cases
