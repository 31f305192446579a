#include "low/without.h"

#include <utility>

namespace fuselane::low {
namespace {

bool is_wide(Immediate immediate) {
  return immediate == Immediate::I64 || immediate == Immediate::F64 || immediate == Immediate::V128 ||
         immediate == Immediate::Shuffle;
}

class Copier {
 public:
  Copier(const Function& from, const std::vector<bool>& dropped)
      : from_(from), dropped_(dropped), needed_(from.registers.size()), numbers_(from.registers.size()) {}

  Function run() {
    mark();
    to_.name = from_.name;
    to_.exported = from_.exported;
    to_.parameters = from_.parameters;
    to_.result = from_.result;
    to_.labels = from_.labels;
    for (size_t i = 0; i < needed_.size(); ++i) {
      if (i >= from_.parameters && !needed_[i]) continue;
      numbers_[i] = RegisterId(to_.registers.size());
      to_.registers.push_back(from_.registers[i]);
    }
    to_.exprs.reserve(from_.exprs.size());
    to_.body.reserve(from_.body.size());
    for (const Statement& statement : from_.body) {
      if (!stays(statement)) continue;
      Statement copy = statement;
      if (statement.reg) copy.reg = numbers_[statement.reg.index];
      if (statement.expr) copy.expr = expression(statement.expr);
      to_.body.push_back(copy);
    }
    return std::move(to_);
  }

 private:
  bool stays(const Statement& statement) const {
    if (statement.kind == StatementKind::Set) return needed_[statement.reg.index];
    return !statement.expr || !dropped_[statement.expr.index];
  }

  // Registers are needed that are read where something stays; what sets them stays too.
  void mark() {
    std::vector<std::vector<ExprId>> set(from_.registers.size());
    for (const Statement& statement : from_.body) {
      if (statement.kind == StatementKind::Set) {
        set[statement.reg.index].push_back(statement.expr);
      } else if (statement.expr && stays(statement)) {
        need(statement.expr);
      }
    }
    while (!found_.empty()) {
      RegisterId reg = found_.back();
      found_.pop_back();
      for (ExprId expr : set[reg.index]) need(expr);
    }
  }

  void need(ExprId id) {
    const Expr& expr = from_[id];
    if (expr.op == Op::LocalGet && !needed_[expr.immediate]) {
      needed_[expr.immediate] = true;
      found_.push_back(RegisterId(expr.immediate));
    }
    for (ExprId operand : expr.operands) {
      if (operand) need(operand);
    }
    if (expr.op != Op::Call) return;
    for (ExprId argument : from_.calls[expr.immediate].arguments) need(argument);
  }

  ExprId expression(ExprId id) {
    Expr copy = from_[id];
    for (ExprId& operand : copy.operands) {
      if (operand) operand = expression(operand);
    }
    if (copy.op == Op::LocalGet) copy.immediate = numbers_[copy.immediate].index;
    if (copy.op == Op::Call) {
      CallSite call = from_.calls[copy.immediate];
      for (ExprId& argument : call.arguments) argument = expression(argument);
      copy.immediate = static_cast<uint32_t>(to_.calls.size());
      to_.calls.push_back(std::move(call));
    }
    if (is_wide(info(copy.op).immediate)) copy.immediate = wide(copy.immediate);
    to_.exprs.push_back(copy);
    return ExprId(to_.exprs.size() - 1);
  }

  uint32_t wide(uint32_t index) {
    to_.wide.push_back(from_.wide[index]);
    return static_cast<uint32_t>(to_.wide.size() - 1);
  }

  const Function& from_;
  const std::vector<bool>& dropped_;
  std::vector<bool> needed_;
  std::vector<RegisterId> found_;
  std::vector<RegisterId> numbers_;
  Function to_;
};

}  // namespace

Function without(const Function& function, const std::vector<bool>& dropped) {
  return Copier(function, dropped).run();
}

}  // namespace fuselane::low
