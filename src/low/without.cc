#include "low/without.h"

#include <utility>

namespace fuselane::low {
namespace {

// Expressions are copied all together, those without a user too, and so keep their numbers.
class Copier {
 public:
  Copier(const Function& from, const std::vector<bool>& dropped)
      : from_(from), dropped_(dropped), needed_(from.registers.size()), numbers_(from.registers.size()) {}

  Function run() {
    mark();
    Function to{.name = from_.name,
                .exported = from_.exported,
                .parameters = from_.parameters,
                .result = from_.result,
                .exprs = from_.exprs,
                .calls = from_.calls,
                .wide = from_.wide,
                .labels = from_.labels};
    to.registers.reserve(from_.registers.size());
    for (size_t i = 0; i < needed_.size(); ++i) {
      if (i >= from_.parameters && !needed_[i]) continue;
      numbers_[i] = RegisterId(to.registers.size());
      to.registers.push_back(from_.registers[i]);
    }
    for (Expr& expr : to.exprs) {
      if (expr.op != Op::LocalGet) continue;
      const bool is_there = static_cast<bool>(numbers_[expr.immediate]);
      expr = is_there ? Expr{.op = Op::LocalGet, .immediate = numbers_[expr.immediate].index} : Expr();
    }
    to.body.reserve(from_.body.size());
    for (const Statement& statement : from_.body) {
      if (!stays(statement)) continue;
      to.body.push_back(statement);
      if (statement.reg) to.body.back().reg = numbers_[statement.reg.index];
    }
    return to;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  bool stays(const Statement& statement) const {
    if (statement.kind == StatementKind::Set) return needed_[statement.reg.index];
    return !statement.expr || !dropped_[statement.expr.index];
  }

  // Registers are needed that are read where something stays; what sets them stays too.
  void mark() {
    // Of a register the last statement that sets it, of such a statement the one before.
    std::vector<uint32_t> last(from_.registers.size(), kNone);
    std::vector<uint32_t> before(from_.body.size(), kNone);
    for (uint32_t i = 0; i < from_.body.size(); ++i) {
      const Statement& statement = from_.body[i];
      if (statement.kind == StatementKind::Set) {
        before[i] = std::exchange(last[statement.reg.index], i);
      } else if (statement.expr && stays(statement)) {
        need(statement.expr);
      }
    }
    while (!found_.empty()) {
      RegisterId reg = found_.back();
      found_.pop_back();
      for (uint32_t i = last[reg.index]; i != kNone; i = before[i]) need(from_.body[i].expr);
    }
  }

  void need(ExprId id) {
    const Expr& expr = from_[id];
    if (expr.op == Op::LocalGet) {
      if (needed_[expr.immediate]) return;
      needed_[expr.immediate] = true;
      return found_.push_back(RegisterId(expr.immediate));
    }
    for (ExprId operand : expr.operands) {
      if (operand) need(operand);
    }
    if (expr.op != Op::Call) return;
    for (ExprId argument : from_.calls[expr.immediate].arguments) need(argument);
  }

  const Function& from_;
  const std::vector<bool>& dropped_;
  std::vector<bool> needed_;
  std::vector<RegisterId> found_;
  std::vector<RegisterId> numbers_;
};

}  // namespace

Function without(const Function& function, const std::vector<bool>& dropped) {
  return Copier(function, dropped).run();
}

}  // namespace fuselane::low
