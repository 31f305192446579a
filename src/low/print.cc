#include "low/print.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "base/printer.h"
#include "low/text.h"
#include "text/lexer.h"

namespace fuselane::low {
namespace {

class FunctionPrinter {
 public:
  FunctionPrinter(const Module& module, const Function& function, std::string& out)
      : module_(module), function_(function), out_(out) {}

  void run() {
    name_registers();
    number_labels();
    head();
    locals();
    for (const Statement& each : function_.body) statement(each);
    append(out_, "}\n");
  }

 private:
  void name_registers() {
    std::set<std::string> taken;
    for (size_t i = 0; i < function_.registers.size(); ++i) {
      std::string name = function_.registers[i].name;
      if (name.empty()) name = cat(i);
      while (!taken.insert(name).second) append(name, cat(".", i));
      names_.push_back(std::move(name));
    }
  }

  // Blocks and loops have one, ifs if they are branched to.
  void number_labels() {
    std::set<LabelId> used;
    for (const Statement& each : function_.body) {
      if (each.kind == StatementKind::Branch || each.kind == StatementKind::BranchIf) used.insert(each.label);
    }
    labels_.assign(function_.labels, kNoLabel);
    int next = 0;
    for (const Statement& each : function_.body) {
      bool shown = each.kind == StatementKind::Block || each.kind == StatementKind::Loop ||
                   (each.kind == StatementKind::If && used.contains(each.label));
      if (shown && each.label) labels_[each.label.index] = next++;
    }
  }

  void head() {
    append(out_, "func ");
    append_word_or_text(out_, function_.name);
    append(out_, "(");
    for (uint32_t i = 0; i < function_.parameters; ++i) {
      if (i > 0) append(out_, ", ");
      append_name(out_, names_[i]);
      append(out_, cat(": ", name_of(function_.registers[i].type)));
    }
    append(out_, ")");
    if (function_.result != Type::None) append(out_, cat(" -> ", name_of(function_.result)));
    append(out_, function_.exported ? " export {\n" : " {\n");
  }

  // Neighbours of one type share a line, up to eight.
  void locals() {
    const auto& registers = function_.registers;
    for (size_t i = function_.parameters; i < registers.size();) {
      append(out_, "  local ");
      size_t end = i;
      for (; end < registers.size() && end < i + 8 && registers[end].type == registers[i].type; ++end) {
        if (end > i) append(out_, ", ");
        append_name(out_, names_[end]);
      }
      append(out_, cat(": ", name_of(registers[i].type), "\n"));
      i = end;
    }
  }

  void statement(const Statement& it) {
    bool closes = it.kind == StatementKind::End || it.kind == StatementKind::Else;
    if (closes) --depth_;
    out_.append(static_cast<size_t>(depth_) * 2, ' ');
    word_of(it);
    if (it.label && labels_[it.label.index] != kNoLabel) append(out_, cat(" $", labels_[it.label.index]));
    if (it.expr) {
      bool alone = it.kind == StatementKind::Effect || it.kind == StatementKind::Set;
      if (!alone) append(out_, " ");
      expression(it.expr);
    }
    bool opens = it.kind == StatementKind::Block || it.kind == StatementKind::Loop ||
                 it.kind == StatementKind::If || it.kind == StatementKind::Else;
    if (opens) {
      append(out_, " {");
      ++depth_;
    }
    append(out_, "\n");
  }

  void word_of(const Statement& it) {
    switch (it.kind) {
      case StatementKind::Set:
        append_name(out_, names_[it.reg.index]);
        return append(out_, " = ");
      case StatementKind::Effect:
        return;
      case StatementKind::Drop:
        return append(out_, "drop");
      case StatementKind::Block:
        return append(out_, "block");
      case StatementKind::Loop:
        return append(out_, "loop");
      case StatementKind::If:
        return append(out_, "if");
      case StatementKind::Else:
        return append(out_, "} else");
      case StatementKind::End:
        return append(out_, "}");
      case StatementKind::Branch:
        return append(out_, "br");
      case StatementKind::BranchIf:
        return append(out_, "br_if");
      case StatementKind::Return:
        return append(out_, "return");
      case StatementKind::Unreachable:
        return append(out_, "unreachable");
    }
  }

  void expression(ExprId id) {
    const Expr& expr = function_[id];
    if (expr.op == Op::LocalGet) return append_name(out_, names_[expr.immediate]);
    if (expr.op == Op::I32Const) return append(out_, static_cast<int32_t>(expr.immediate));
    append(out_, name_of(expr.op));
    if (expr.op == Op::Call) {
      const CallSite& site = function_.calls[expr.immediate];
      append(out_, " ");
      append_word_or_text(out_, module_[site.callee].name);
      append(out_, "(");
      for (ExprId argument : site.arguments) part(argument);
    } else {
      append(out_, "(");
      for (ExprId operand : expr.operands) part(operand);
      immediate(expr);
    }
    append(out_, ")");
  }

  void part(ExprId id) {
    if (!id) return;
    separate();
    expression(id);
  }

  void separate() {
    if (out_.back() != '(') append(out_, ", ");
  }

  void immediate(const Expr& expr) {
    const Instruction& row = info(expr.op);
    auto option = [&](std::string_view name, uint32_t value) {
      separate();
      append(out_, cat(name, "=", value));
    };
    if (row.has_memory()) {
      if (expr.immediate != 0) option("offset", expr.immediate);
      if (expr.alignment != default_alignment(row)) option("align", 1u << expr.alignment);
    }
    if (row.has_lane()) option("lane", expr.lane);
    if (row.immediate == Immediate::F32) number(std::bit_cast<float>(expr.immediate), expr.immediate);
    if (row.immediate == Immediate::Shuffle) {
      append(out_, ", bytes=[");
      append(out_, join(function_.wide[expr.immediate]));
      append(out_, "]");
    }
    if (row.immediate == Immediate::V128) vector(function_.wide[expr.immediate]);
    if (row.immediate == Immediate::I64) append(out_, read<int64_t>(expr, 0));
    if (row.immediate == Immediate::F64) number(read<double>(expr, 0), read<uint64_t>(expr, 0));
  }

  template <class T>
  T read(const Expr& expr, size_t offset) const {
    T value;
    std::memcpy(&value, function_.wide[expr.immediate].data() + offset, sizeof value);
    return value;
  }

  // The bits of a NaN other than the canonical one.
  template <class Float, class Bits>
  void number(Float value, Bits bits) {
    if (std::isnan(value) && bits != std::bit_cast<Bits>(std::numeric_limits<Float>::quiet_NaN())) {
      append(out_, cat("bits ", bits));
    } else {
      append(out_, value);
    }
  }

  // As floats where these look like some, else as integers.
  void vector(const V128& bytes) {
    std::array<float, 4> floats;
    std::array<int32_t, 4> integers;
    std::memcpy(floats.data(), bytes.data(), 16);
    std::memcpy(integers.data(), bytes.data(), 16);
    auto looks = [](float x) { return x == 0 || (std::abs(x) > 1e-9f && std::abs(x) < 1e9f); };
    bool as_floats = std::ranges::all_of(floats, looks) && integers != std::array<int32_t, 4>{};
    append(out_, as_floats ? cat("f32x4, ", join(floats)) : cat("i32x4, ", join(integers)));
  }

  static constexpr int kNoLabel = -1;

  const Module& module_;
  const Function& function_;
  std::string& out_;
  std::vector<std::string> names_;
  std::vector<int> labels_;
  int depth_ = 1;
};

}  // namespace

std::string print(const Module& module) {
  std::string out;
  if (module.shared_memory) append(out, "memory shared\n");
  for (const Function& function : module.functions) {
    if (!out.empty()) append(out, "\n");
    FunctionPrinter(module, function, out).run();
  }
  return out;
}

}  // namespace fuselane::low
