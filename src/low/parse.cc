#include "low/parse.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

#include "base/printer.h"
#include "low/text.h"
#include "text/lexer.h"

namespace fuselane::low {
namespace {

// A call whose callee may stand further down.
struct Reference {
  size_t function;
  size_t site;
  std::string callee;
  int64_t offset;
};

Result<std::string> expect_function_name(Lexer& lexer) {
  Token token = TRY(lexer.next());
  if (token.kind == TokenKind::Word) return std::string(token.spelling);
  if (token.kind == TokenKind::Text) return token.value;
  return lexer.error_at(token.offset, "expected the name of a function");
}

Result<Type> expect_type(Lexer& lexer) {
  Token token = TRY(lexer.expect_kind(TokenKind::Word, "a type"));
  if (auto type = type_of_name(token.spelling)) return *type;
  return lexer.error_at(token.offset, cat("'", token.spelling, "' is no type of a register"));
}

// An integer of the given range, as its low bits.
template <class T>
Result<T> expect_within(Lexer& lexer, int64_t least, int64_t most) {
  int64_t at = TRY(lexer.peek())->offset;
  int64_t value = TRY(lexer.expect_integer());
  if (value >= least && value <= most) return static_cast<T>(value);
  return lexer.error_at(at, cat(value, " is not from ", least, " to ", most));
}

Result<uint32_t> expect_int32(Lexer& lexer) {
  return expect_within<uint32_t>(lexer, std::numeric_limits<int32_t>::min(),
                                 std::numeric_limits<int32_t>::max());
}

// A number, rounded once; or the word bits and what they are.
template <class Float, class Bits>
Result<Bits> expect_float(Lexer& lexer) {
  if (TRY(lexer.accept("bits"))) {
    Token token = TRY(lexer.expect_kind(TokenKind::Number, "an unsigned integer"));
    std::string digits(token.spelling);
    char* end = nullptr;
    uint64_t bits = std::strtoull(digits.c_str(), &end, 10);
    if (*end != '\0' || digits[0] == '-' || bits > std::numeric_limits<Bits>::max())
      return lexer.error_at(token.offset, cat("'", digits, "' are no ", sizeof(Bits) * 8, " bits"));
    return static_cast<Bits>(bits);
  }
  if (TRY(lexer.peek())->kind != TokenKind::Number)
    return std::bit_cast<Bits>(static_cast<Float>(TRY(lexer.expect_number())));  // inf and nan
  Token token = TRY(lexer.next());
  std::string digits(token.spelling);
  char* end = nullptr;
  Float value = sizeof(Float) == 4 ? static_cast<Float>(std::strtof(digits.c_str(), &end))
                                   : static_cast<Float>(std::strtod(digits.c_str(), &end));
  if (*end != '\0') return lexer.error_at(token.offset, cat("'", digits, "' is not a number"));
  return std::bit_cast<Bits>(value);
}

class FunctionParser {
 public:
  FunctionParser(Lexer& lexer, size_t index, std::vector<Reference>& references)
      : lexer_(lexer), index_(index), references_(references) {}

  // After the word func.
  Result<Function> run() {
    function_.name = TRY(expect_function_name(lexer_));
    TRY(lexer_.expect("("));
    while (!TRY(lexer_.accept(")"))) {
      if (function_.parameters++ > 0) TRY(lexer_.expect(","));
      std::string name = TRY(new_register());
      TRY(lexer_.expect(":"));
      function_.registers.back().type = TRY(expect_type(lexer_));
    }
    if (TRY(lexer_.accept("-"))) {
      TRY(lexer_.expect(">"));
      function_.result = TRY(expect_type(lexer_));
    }
    function_.exported = TRY(lexer_.accept("export"));
    TRY(lexer_.expect("{"));
    while (TRY(lexer_.accept("local"))) TRY(locals());
    while (!closed_) TRY(statement());
    return std::move(function_);
  }

 private:
  struct Open {
    StatementKind kind;
    std::string label;
    LabelId id;
  };

  Result<std::string> new_register() {
    Token token = TRY(lexer_.expect_kind(TokenKind::Name, "a register"));
    RegisterId id(function_.registers.size());
    if (!names_.emplace(token.value, id).second)
      return lexer_.error_at(token.offset, cat("there are two registers %", token.value));
    bool unnamed = token.value == cat(id.index);
    function_.registers.push_back({Type::I32, unnamed ? std::string() : token.value});
    return token.value;
  }

  Status locals() {
    size_t first = function_.registers.size();
    do {
      TRY(new_register());
    } while (TRY(lexer_.accept(",")));
    TRY(lexer_.expect(":"));
    Type type = TRY(expect_type(lexer_));
    for (; first < function_.registers.size(); ++first) function_.registers[first].type = type;
    return {};
  }

  Result<RegisterId> register_of(const Token& token) const {
    auto at = names_.find(token.value);
    if (at != names_.end()) return at->second;
    return lexer_.error_at(token.offset, cat("there is no register %", token.value));
  }

  void state(const Statement& statement) { function_.body.push_back(statement); }

  Status statement() {
    if (TRY(lexer_.accept("}"))) return close();
    const Token& ahead = *TRY(lexer_.peek());
    if (ahead.kind == TokenKind::End) return lexer_.error_at(ahead.offset, "a } is missing");
    if (ahead.kind == TokenKind::Name) {
      Token token = TRY(lexer_.next());
      RegisterId reg = TRY(register_of(token));
      TRY(lexer_.expect("="));
      state({.kind = StatementKind::Set, .reg = reg, .expr = TRY(expression(0))});
      return {};
    }
    if (TRY(lexer_.accept("block"))) return begin(StatementKind::Block);
    if (TRY(lexer_.accept("loop"))) return begin(StatementKind::Loop);
    if (TRY(lexer_.accept("if"))) return begin(StatementKind::If);
    if (TRY(lexer_.accept("br"))) return branch(StatementKind::Branch);
    if (TRY(lexer_.accept("br_if"))) return branch(StatementKind::BranchIf);
    Statement it{.kind = StatementKind::Effect};
    if (TRY(lexer_.accept("unreachable"))) {
      it.kind = StatementKind::Unreachable;
    } else if (TRY(lexer_.accept("return"))) {
      it.kind = StatementKind::Return;
      if (function_.result != Type::None) it.expr = TRY(expression(0));
    } else {
      if (TRY(lexer_.accept("drop"))) it.kind = StatementKind::Drop;
      it.expr = TRY(expression(0));
    }
    state(it);
    return {};
  }

  Status close() {
    if (open_.empty()) {
      closed_ = true;
      return {};
    }
    if (open_.back().kind == StatementKind::If && TRY(lexer_.accept("else"))) {
      TRY(lexer_.expect("{"));
      open_.back().kind = StatementKind::Else;
      state({.kind = StatementKind::Else});
      return {};
    }
    open_.pop_back();
    state({.kind = StatementKind::End});
    return {};
  }

  // A word or a number after $.
  Result<std::string> label_name() {
    Token token = TRY(lexer_.next());
    if (token.kind == TokenKind::Word || token.kind == TokenKind::Number) return std::string(token.spelling);
    return lexer_.error_at(token.offset, "expected the name of a label after $");
  }

  Status begin(StatementKind kind) {
    Statement it{.kind = kind};
    std::string name;
    if (TRY(lexer_.accept("$"))) {
      name = TRY(label_name());
      it.label = LabelId(function_.labels++);
    }
    if (kind == StatementKind::If) it.expr = TRY(expression(0));
    TRY(lexer_.expect("{"));
    state(it);
    open_.push_back({kind, std::move(name), it.label});
    return {};
  }

  Status branch(StatementKind kind) {
    int64_t at = TRY(lexer_.peek())->offset;
    TRY(lexer_.expect("$"));
    std::string name = TRY(label_name());
    auto found = open_.rbegin();
    while (found != open_.rend() && (!found->id || found->label != name)) ++found;
    if (found == open_.rend()) return lexer_.error_at(at, cat("no label $", name, " is around this branch"));
    Statement it{.kind = kind, .label = found->id};
    if (kind == StatementKind::BranchIf) it.expr = TRY(expression(0));
    state(it);
    return {};
  }

  ExprId push(const Expr& expr) {
    function_.exprs.push_back(expr);
    return ExprId(function_.exprs.size() - 1);
  }

  Result<ExprId> expression(int depth) {
    const Token& ahead = *TRY(lexer_.peek());
    if (depth > kMostDepth)
      return lexer_.error_at(ahead.offset, cat("expressions are nested more than ", kMostDepth, " deep"));
    if (ahead.kind == TokenKind::Name) {
      Token token = TRY(lexer_.next());
      return push({.op = Op::LocalGet, .immediate = TRY(register_of(token)).index});
    }
    if (ahead.kind == TokenKind::Number)
      return push({.op = Op::I32Const, .immediate = TRY(expect_int32(lexer_))});
    Token token = TRY(lexer_.expect_kind(TokenKind::Word, "an expression"));
    auto op = op_of_name(token.spelling);
    if (!op || *op == Op::LocalGet || *op == Op::I32Const)
      return lexer_.error_at(token.offset, cat("'", token.spelling, "' is no instruction"));
    if (*op == Op::Call) return call(token.offset, depth);
    return instruction(*op, token, depth);
  }

  Result<ExprId> call(int64_t offset, int depth) {
    CallSite site;
    std::string callee = TRY(expect_function_name(lexer_));
    TRY(lexer_.expect("("));
    while (!TRY(lexer_.accept(")"))) {
      if (!site.arguments.empty()) TRY(lexer_.expect(","));
      site.arguments.push_back(TRY(expression(depth + 1)));
    }
    auto number = static_cast<uint32_t>(function_.calls.size());
    references_.push_back({index_, number, std::move(callee), offset});
    function_.calls.push_back(std::move(site));
    return push({.op = Op::Call, .immediate = number});
  }

  Result<ExprId> instruction(Op op, const Token& token, int depth) {
    const Instruction& row = info(op);
    Expr expr{.op = op};
    TRY(lexer_.expect("("));
    size_t parts = 0;
    for (; parts < 3 && row.operand(parts) != Type::None; ++parts) {
      if (parts > 0) TRY(lexer_.expect(","));
      expr.operands[parts] = TRY(expression(depth + 1));
    }
    if (parts == 0) {
      TRY(constant(expr, row.immediate));
    } else if (row.immediate != Immediate::None) {
      TRY(options(expr, row, token));
    }
    TRY(lexer_.expect(")"));
    return push(expr);
  }

  template <class T>
  void keep(Expr& expr, const T& value) {
    V128 bytes = {};
    std::memcpy(bytes.data(), &value, sizeof value);
    expr.immediate = static_cast<uint32_t>(function_.wide.size());
    function_.wide.push_back(bytes);
  }

  Status constant(Expr& expr, Immediate kind) {
    if (kind == Immediate::F32) {
      expr.immediate = TRY((expect_float<float, uint32_t>(lexer_)));
    } else if (kind == Immediate::F64) {
      keep(expr, TRY((expect_float<double, uint64_t>(lexer_))));
    } else if (kind == Immediate::I64) {
      keep(expr, TRY(lexer_.expect_integer()));
    } else {
      bool floats = TRY(lexer_.accept("f32x4"));
      if (!floats) TRY(lexer_.expect("i32x4"));
      std::array<uint32_t, 4> lanes;
      for (uint32_t& lane : lanes) {
        TRY(lexer_.expect(","));
        lane = floats ? TRY((expect_float<float, uint32_t>(lexer_))) : TRY(expect_int32(lexer_));
      }
      keep(expr, lanes);
    }
    return {};
  }

  // offset=, align=, lane= and bytes=[] after the operands.
  Status options(Expr& expr, const Instruction& row, const Token& token) {
    expr.alignment = row.has_memory() ? default_alignment(row) : 0;
    bool complete = row.immediate == Immediate::Memory;
    while (TRY(lexer_.accept(","))) {
      Token name = TRY(lexer_.expect_kind(TokenKind::Word, "an option"));
      TRY(lexer_.expect("="));
      if (name.spelling == "offset" && row.has_memory()) {
        expr.immediate = TRY(expect_within<uint32_t>(lexer_, 0, std::numeric_limits<uint32_t>::max()));
      } else if (name.spelling == "align" && row.has_memory()) {
        auto bytes = TRY(expect_within<uint32_t>(lexer_, 1, row.width));
        if (!std::has_single_bit(bytes))
          return lexer_.error_at(name.offset, "an alignment is a power of two");
        expr.alignment = static_cast<uint8_t>(std::countr_zero(bytes));
      } else if (name.spelling == "lane" && row.has_lane()) {
        expr.lane = TRY(expect_within<uint8_t>(lexer_, 0, 16 / row.width - 1));
        complete = true;
      } else if (name.spelling == "bytes" && row.immediate == Immediate::Shuffle) {
        V128 bytes;
        for (size_t i = 0; i < 16; ++i) {
          TRY(lexer_.expect(i == 0 ? "[" : ","));
          bytes[i] = TRY(expect_within<uint8_t>(lexer_, 0, 31));
        }
        TRY(lexer_.expect("]"));
        keep(expr, bytes);
        complete = true;
      } else {
        return lexer_.error_at(name.offset, cat(token.spelling, " has no option '", name.spelling, "'"));
      }
    }
    if (complete) return {};
    return lexer_.error_at(token.offset, cat(token.spelling, " needs ", row.has_lane() ? "lane=" : "bytes="));
  }

  Lexer& lexer_;
  size_t index_;
  std::vector<Reference>& references_;
  Function function_;
  std::map<std::string, RegisterId> names_;
  std::vector<Open> open_;
  bool closed_ = false;
};

}  // namespace

Result<Module> parse(std::string_view text) {
  Lexer lexer(text);
  Module module;
  std::vector<Reference> references;
  std::map<std::string, FunctionId> names;
  if (TRY(lexer.accept("memory"))) {
    TRY(lexer.expect("shared"));
    module.shared_memory = true;
  }
  while (TRY(lexer.peek())->kind != TokenKind::End) {
    int64_t at = TRY(lexer.peek())->offset;
    TRY(lexer.expect("func"));
    FunctionId id(module.functions.size());
    module.functions.push_back(TRY(FunctionParser(lexer, id.index, references).run()));
    if (!names.emplace(module.functions.back().name, id).second)
      return lexer.error_at(at, cat("there are two functions ", module.functions.back().name));
  }
  for (const Reference& reference : references) {
    auto found = names.find(reference.callee);
    if (found == names.end())
      return lexer.error_at(reference.offset, cat("there is no function ", reference.callee));
    module.functions[reference.function].calls[reference.site].callee = found->second;
  }
  return module;
}

}  // namespace fuselane::low
