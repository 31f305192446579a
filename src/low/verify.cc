#include "low/verify.h"

#include <algorithm>
#include <set>

#include "base/printer.h"

namespace fuselane::low {
namespace {

// More locals, engines refuse.
constexpr size_t kMostRegisters = 50000;

bool is_of_register(Type type) { return type != Type::None && type != Type::Any; }

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Function& function, Feature most)
      : module_(module), function_(function), most_(most), used_(function.exprs.size()) {}

  Status run() {
    TRY(head());
    for (const Statement& each : function_.body) {
      TRY(statement(each));
      ++position_;
    }
    if (!open_.empty()) return no("a block, loop or if has no end");
    if (function_.result != Type::None && reachable_) return no("the end is reached without a result");
    return {};
  }

 private:
  struct Open {
    StatementKind kind = StatementKind::Block;
    LabelId label;
    bool entered = false;     // its begin can be reached
    bool branched = false;    // a branch to its label can be
    bool then_falls = false;  // the end of what is before the Else can be
  };

  template <class... Parts>
  std::unexpected<Error> no(const Parts&... parts) const {
    return fail(ErrorCode::InternalError,
                cat("low function '", function_.name, "', statement ", position_, ": ", parts...));
  }

  Status head() {
    if (function_.parameters > function_.registers.size()) return no("more parameters than registers");
    if (function_.registers.size() > kMostRegisters) return no(function_.registers.size(), " registers");
    if (function_.result == Type::Any) return no("the result has no type");
    for (const Register& reg : function_.registers) {
      if (!is_of_register(reg.type)) return no("register '", reg.name, "' has no type");
    }
    return {};
  }

  Status statement(const Statement& it) {
    bool wants_reg = it.kind == StatementKind::Set;
    if (wants_reg != static_cast<bool>(it.reg)) return no("a register is missing or not wanted");
    TRY(value(it));
    switch (it.kind) {
      case StatementKind::Set:
      case StatementKind::Effect:
      case StatementKind::Drop:
        return {};
      case StatementKind::Block:
      case StatementKind::Loop:
      case StatementKind::If:
        return begin(it);
      case StatementKind::Else:
        return otherwise();
      case StatementKind::End:
        return end();
      case StatementKind::Branch:
      case StatementKind::BranchIf:
        return branch(it);
      case StatementKind::Return:
      case StatementKind::Unreachable:
        reachable_ = false;
        return {};
    }
  }

  // The type of the statement's expression is the one that the statement wants.
  Status value(const Statement& it) {
    Type wanted = Type::None;
    bool wants = true;
    switch (it.kind) {
      case StatementKind::Set:
        if (it.reg.index >= function_.registers.size()) return no("there is no register ", it.reg.index);
        wanted = function_[it.reg].type;
        break;
      case StatementKind::Effect:
        break;
      case StatementKind::Drop:
        wanted = Type::Any;
        break;
      case StatementKind::If:
      case StatementKind::BranchIf:
        wanted = Type::I32;
        break;
      case StatementKind::Return:
        wanted = function_.result;
        wants = wanted != Type::None;
        break;
      case StatementKind::Block:
      case StatementKind::Loop:
      case StatementKind::Else:
      case StatementKind::End:
      case StatementKind::Branch:
      case StatementKind::Unreachable:
        wants = false;
    }
    if (wants != static_cast<bool>(it.expr)) return no("an expression is missing or not wanted");
    if (!wants) return {};
    Type type = TRY(expression(it.expr, 0));
    bool fits = wanted == Type::Any ? type != Type::None : type == wanted;
    if (!fits) return no("the expression is ", name_of(type), ", not ", name_of(wanted));
    return {};
  }

  Status begin(const Statement& it) {
    if (it.label) {
      if (it.label.index >= function_.labels) return no("there is no label ", it.label.index);
      if (!labels_.insert(it.label).second) return no("label ", it.label.index, " stands twice");
    }
    open_.push_back({.kind = it.kind, .label = it.label, .entered = reachable_});
    return {};
  }

  Status otherwise() {
    if (open_.empty() || open_.back().kind != StatementKind::If) return no("an else without its if");
    open_.back().kind = StatementKind::Else;
    open_.back().then_falls = reachable_;
    reachable_ = open_.back().entered;
    return {};
  }

  Status end() {
    if (open_.empty()) return no("an end of nothing");
    const Open& it = open_.back();
    reachable_ = reachable_ || it.branched || it.then_falls || (it.kind == StatementKind::If && it.entered);
    open_.pop_back();
    return {};
  }

  Status branch(const Statement& it) {
    auto at = std::ranges::find(open_, it.label, &Open::label);
    if (!it.label || at == open_.end()) return no("a branch to a label that is not around it");
    if (at->kind != StatementKind::Loop) at->branched |= reachable_;
    reachable_ = reachable_ && it.kind == StatementKind::BranchIf;
    return {};
  }

  Result<Type> expression(ExprId id, int depth) {
    if (id.index >= function_.exprs.size()) return no("there is no expression ", id.index);
    if (used_[id.index]) return no("expression ", id.index, " has two users");
    if (depth > kMostDepth) return no("expressions are nested more than ", kMostDepth, " deep");
    used_[id.index] = true;
    const Expr& expr = function_[id];
    if (static_cast<size_t>(expr.op) >= kOpCount) return no("there is no such instruction");
    const Instruction& row = info(expr.op);
    if (row.feature > most_) return no(name_of(expr.op), " is not in the features that may be used");
    TRY(immediate(expr, row));
    if (expr.op == Op::LocalGet) return function_.registers[expr.immediate].type;
    if (expr.op == Op::Call) return call(function_.calls[expr.immediate], depth);
    Type any = Type::Any;  // what Any stands for
    for (size_t i = 0; i < 3; ++i) {
      Type wanted = row.operand(i) == Type::Any ? any : row.operand(i);
      if ((wanted == Type::None) == static_cast<bool>(expr.operands[i]))
        return no(name_of(expr.op), " has a wrong number of operands");
      if (wanted == Type::None) continue;
      Type type = TRY(expression(expr.operands[i], depth + 1));
      if (wanted == Type::Any && type != Type::None) wanted = any = type;
      if (type != wanted)
        return no("operand ", i, " of ", name_of(expr.op), " is ", name_of(type), ", not ", name_of(wanted));
    }
    return row.result() == Type::Any ? any : row.result();
  }

  Result<Type> call(const CallSite& site, int depth) {
    const Function& callee = module_[site.callee];
    if (site.arguments.size() != callee.parameters)
      return no("'", callee.name, "' is called with ", site.arguments.size(), " arguments, not ",
                callee.parameters);
    for (size_t i = 0; i < site.arguments.size(); ++i) {
      Type type = TRY(expression(site.arguments[i], depth + 1));
      Type wanted = callee.registers[i].type;
      if (type != wanted)
        return no("argument ", i, " of '", callee.name, "' is ", name_of(type), ", not ", name_of(wanted));
    }
    return callee.result;
  }

  Status immediate(const Expr& expr, const Instruction& row) {
    auto exists = [&](size_t size, std::string_view what) -> Status {
      if (expr.immediate < size) return {};
      return no(name_of(expr.op), " of ", what, " ", expr.immediate, ", which there is not");
    };
    if (row.has_memory() && (1 << std::min<int>(expr.alignment, 8)) > row.width)
      return no(name_of(expr.op), " with an alignment above its width");
    if (row.has_lane() && expr.lane * row.width >= 16)
      return no(name_of(expr.op), " with lane ", int{expr.lane}, ", which there is not");
    switch (row.immediate) {
      case Immediate::None:
      case Immediate::I32:
      case Immediate::F32:
      case Immediate::Memory:
      case Immediate::MemoryLane:
      case Immediate::Lane:
        return {};
      case Immediate::Register:
        return exists(function_.registers.size(), "register");
      case Immediate::I64:
      case Immediate::F64:
      case Immediate::V128:
        return exists(function_.wide.size(), "constant");
      case Immediate::Function:
        TRY(exists(function_.calls.size(), "call site"));
        if (function_.calls[expr.immediate].callee.index >= module_.functions.size())
          return no("a call of a function that there is not");
        return {};
      case Immediate::Shuffle:
        TRY(exists(function_.wide.size(), "bytes"));
        for (uint8_t byte : function_.wide[expr.immediate]) {
          if (byte >= 32) return no("a shuffle with byte ", int{byte}, ", of 32");
        }
        return {};
    }
  }

  const Module& module_;
  const Function& function_;
  Feature most_;
  size_t position_ = 0;
  bool reachable_ = true;
  std::vector<bool> used_;
  std::vector<Open> open_;
  std::set<LabelId> labels_;
};

}  // namespace

Status verify(const Module& module, Feature most) {
  std::set<std::string_view> names;
  for (const Function& function : module.functions) {
    if (!names.insert(function.name).second)
      return fail(ErrorCode::InternalError, cat("two low functions are named '", function.name, "'"));
  }
  for (const Function& function : module.functions) {
    TRY(FunctionVerifier(module, function, most).run());
  }
  return {};
}

}  // namespace fuselane::low
