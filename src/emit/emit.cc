#include "emit/emit.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/leb128.h"
#include "emit/format.h"

namespace fuselane {
namespace {

using namespace wasm_format;
using low::Expr;
using low::ExprId;
using low::Function;
using low::Immediate;
using low::LabelId;
using low::Module;
using low::Statement;
using low::StatementKind;
using low::Type;
using Bytes = std::vector<uint8_t>;

uint32_t size32(size_t size) { return static_cast<uint32_t>(size); }

// Each a function of its own: inlined where they are called, they were a third of this file's code.
[[gnu::noinline]] void append_byte(Bytes& out, uint8_t byte) { out.push_back(byte); }
[[gnu::noinline]] void append_bytes(Bytes& out, const uint8_t* bytes, size_t count) {
  out.insert(out.end(), bytes, bytes + count);
}

void append_text(Bytes& out, std::string_view text) {
  append_leb128(out, size32(text.size()));
  append_bytes(out, reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

// A section, a part of one or a body: its size, then what it holds.
void append_sized(Bytes& out, const Bytes& content) {
  append_leb128(out, size32(content.size()));
  append_bytes(out, content.data(), content.size());
}

// The body of one function after another, into the same buffers. There is room for the longest that a body
// can be, so that a byte is a store: bodies are most of what is written.
class BodyWriter {
 public:
  // Appends the function's body with its size.
  void write(const Function& function, Bytes& code) {
    function_ = &function;
    open_.clear();
    const size_t most =
        kMostOfLocals + function.exprs.size() * kMostOfExpr + function.body.size() * kMostOfStatement;
    if (room_ < most) out_ = std::make_unique_for_overwrite<uint8_t[]>(room_ = most);
    at_ = out_.get();
    locals();
    for (const Statement& statement : function.body) state(statement);
    // Where both branches of an if return, what follows it would need a result all the same.
    bool falls = function.body.empty() || (function.body.back().kind != StatementKind::Return &&
                                           function.body.back().kind != StatementKind::Unreachable);
    if (function.result != Type::None && falls) byte(kUnreachable);
    byte(kEnd);
    const auto size = static_cast<size_t>(at_ - out_.get());
    append_leb128(code, size32(size));
    append_bytes(code, out_.get(), size);
  }

  // The local of each register of the last function written.
  const std::vector<uint32_t>& numbers() const { return numbers_; }

 private:
  // Bytes at most: a number of each type of locals, and the two last instructions; an opcode of two numbers
  // with 16 bytes; an opcode with a number.
  static constexpr size_t kMostOfLocals = 5 + 6 * 6 + 2;
  static constexpr size_t kMostOfExpr = 1 + 5 + 16;
  static constexpr size_t kMostOfStatement = 1 + 5;

  void byte(uint8_t value) { *at_++ = value; }

  void number(uint32_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
    byte(static_cast<uint8_t>(value));
  }

  void signed_number(int64_t value) {
    for (; value < -0x40 || value >= 0x40; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
    byte(static_cast<uint8_t>(value & 0x7f));
  }

  void locals() {
    const auto& registers = function_->registers;
    numbers_.resize(registers.size());
    uint32_t next = 0;
    for (; next < function_->parameters; ++next) numbers_[next] = next;
    std::array<uint32_t, 6> counts = {};
    for (size_t i = next; i < registers.size(); ++i) ++counts[static_cast<size_t>(registers[i].type)];
    number(static_cast<uint32_t>(std::ranges::count_if(counts, [](uint32_t count) { return count > 0; })));
    std::array<uint32_t, 6> first = {};
    for (size_t type = 0; type < counts.size(); ++type) {
      first[type] = next;
      next += counts[type];
      if (counts[type] == 0) continue;
      number(counts[type]);
      byte(code_of(static_cast<Type>(type)));
    }
    for (size_t i = function_->parameters; i < registers.size(); ++i)
      numbers_[i] = first[static_cast<size_t>(registers[i].type)]++;
  }

  void state(const Statement& statement) {
    if (statement.expr) expression(statement.expr);
    switch (statement.kind) {
      case StatementKind::Set:
        byte(kLocalSet);
        return number(numbers_[statement.reg.index]);
      case StatementKind::Effect:
        return;
      case StatementKind::Drop:
        return byte(kDrop);
      case StatementKind::Block:
        return begin(kBlock, statement.label);
      case StatementKind::Loop:
        return begin(kLoop, statement.label);
      case StatementKind::If:
        return begin(kIf, statement.label);
      case StatementKind::Else:
        return byte(kElse);
      case StatementKind::End:
        open_.pop_back();
        return byte(kEnd);
      case StatementKind::Branch:
        return branch(kBr, statement.label);
      case StatementKind::BranchIf:
        return branch(kBrIf, statement.label);
      case StatementKind::Return:
        return byte(kReturn);
      case StatementKind::Unreachable:
        return byte(kUnreachable);
    }
  }

  void begin(uint8_t code, LabelId label) {
    byte(code);
    byte(kEmptyBlock);
    open_.push_back(label);
  }

  // Labels are counted from the innermost one outward.
  void branch(uint8_t code, LabelId label) {
    byte(code);
    auto innermost = open_.end() - 1;
    auto at = innermost;
    while (*at != label) --at;
    number(static_cast<uint32_t>(innermost - at));
  }

  void expression(ExprId id) {
    const Expr& expr = (*function_)[id];
    if (expr.op == low::Op::LocalGet) {  // half of all
      byte(kLocalGet);
      return number(numbers_[expr.immediate]);
    }
    const low::Instruction& row = low::info(expr.op);
    if (row.immediate == Immediate::Function) {
      for (ExprId argument : function_->calls[expr.immediate].arguments) expression(argument);
    } else {
      for (size_t i = 0; i < 3 && expr.operands[i]; ++i) expression(expr.operands[i]);
    }
    if (uint8_t prefix = prefix_of(row.feature)) {
      byte(prefix);
      number(row.code);
    } else {
      byte(static_cast<uint8_t>(row.code));
    }
    immediate(expr, row.immediate);
  }

  void immediate(const Expr& expr, Immediate kind) {
    switch (kind) {
      case Immediate::None:
        return;
      case Immediate::Register:
        return number(numbers_[expr.immediate]);
      case Immediate::Function:
        return number(function_->calls[expr.immediate].callee.index);
      case Immediate::I32:
        return signed_number(static_cast<int32_t>(expr.immediate));
      case Immediate::I64: {
        int64_t value = 0;
        std::memcpy(&value, function_->wide[expr.immediate].data(), sizeof value);
        return signed_number(value);
      }
      case Immediate::F32:
        std::memcpy(at_, &expr.immediate, 4);
        at_ += 4;
        return;
      case Immediate::F64:
        return wide(expr, 8);
      case Immediate::V128:
      case Immediate::Shuffle:
        return wide(expr, 16);
      case Immediate::Memory:
        byte(expr.alignment);
        return number(expr.immediate);
      case Immediate::MemoryLane:
        byte(expr.alignment);
        number(expr.immediate);
        return byte(expr.lane);
      case Immediate::Lane:
        return byte(expr.lane);
    }
  }

  void wide(const Expr& expr, size_t count) {
    std::memcpy(at_, function_->wide[expr.immediate].data(), count);
    at_ += count;
  }

  const Function* function_ = nullptr;
  std::unique_ptr<uint8_t[]> out_;
  size_t room_ = 0;
  uint8_t* at_ = nullptr;
  std::vector<uint32_t> numbers_;
  std::vector<LabelId> open_;
};

class ModuleWriter {
 public:
  ModuleWriter(const Module& module, EmitOptions options) : module_(module), options_(options) {}

  Bytes run() {
    append_bytes(out_, kPreamble.data(), kPreamble.size());
    types();
    memory();
    exports();
    code();
    if (options_.names) names();
    return std::move(out_);
  }

 private:
  void section(uint8_t id, const Bytes& content) {
    append_byte(out_, id);
    append_sized(out_, content);
  }

  // The sections of types and, after the import, of the functions' types. Each type stands once.
  void types() {
    Bytes content;
    std::vector<uint32_t> numbers;
    uint32_t count = 0;
    append_leb128(functions_, size32(module_.functions.size()));
    for (const Function& function : module_.functions) {
      size_t same = 0;
      while (!have_one_type(module_.functions[same], function)) ++same;
      bool is_new = same == numbers.size();
      numbers.push_back(is_new ? count++ : numbers[same]);
      append_leb128(functions_, numbers.back());
      if (is_new) append_type(content, function);
    }
    Bytes counted;
    append_leb128(counted, count);
    append_bytes(counted, content.data(), content.size());
    section(kTypeSection, counted);
  }

  static bool have_one_type(const Function& a, const Function& b) {
    bool same = a.parameters == b.parameters && a.result == b.result;
    for (uint32_t i = 0; same && i < a.parameters; ++i) same = a.registers[i].type == b.registers[i].type;
    return same;
  }

  static void append_type(Bytes& out, const Function& function) {
    append_byte(out, kFunctionType);
    append_leb128(out, function.parameters);
    for (uint32_t i = 0; i < function.parameters; ++i) append_byte(out, code_of(function.registers[i].type));
    append_byte(out, function.result != Type::None);
    if (function.result != Type::None) append_byte(out, code_of(function.result));
  }

  void memory() {
    Bytes content;
    append_byte(content, 1);
    append_text(content, "env");
    append_text(content, "memory");
    append_byte(content, kExternMemory);
    append_byte(content, module_.shared_memory ? kSharedLimits : kUnsharedLimits);
    append_byte(content, 1);
    if (module_.shared_memory) append_leb128(content, kMostPages);
    section(kImportSection, content);
    section(kFunctionSection, functions_);
  }

  void exports() {
    Bytes content;
    append_leb128(content,
                  static_cast<uint32_t>(std::ranges::count_if(
                      module_.functions, [](const Function& function) { return function.exported; })));
    for (size_t i = 0; i < module_.functions.size(); ++i) {
      if (!module_.functions[i].exported) continue;
      append_text(content, module_.functions[i].name);
      append_byte(content, kExternFunction);
      append_leb128(content, size32(i));
    }
    section(kExportSection, content);
  }

  void code() {
    Bytes content;
    append_leb128(content, size32(module_.functions.size()));
    append_leb128(function_names_, size32(module_.functions.size()));
    append_leb128(local_names_, size32(module_.functions.size()));
    BodyWriter body;
    for (size_t i = 0; i < module_.functions.size(); ++i) {
      body.write(module_.functions[i], content);
      if (options_.names) name(i, body.numbers());
    }
    section(kCodeSection, content);
  }

  // Locals in the order of their numbers.
  void name(size_t i, const std::vector<uint32_t>& numbers) {
    const Function& function = module_.functions[i];
    append_leb128(function_names_, size32(i));
    append_text(function_names_, function.name);
    std::vector<uint32_t> register_of(numbers.size());
    for (size_t reg = 0; reg < numbers.size(); ++reg) register_of[numbers[reg]] = size32(reg);
    std::erase_if(register_of, [&](uint32_t reg) { return function.registers[reg].name.empty(); });
    append_leb128(local_names_, size32(i));
    append_leb128(local_names_, size32(register_of.size()));
    for (uint32_t reg : register_of) {
      append_leb128(local_names_, numbers[reg]);
      append_text(local_names_, function.registers[reg].name);
    }
  }

  void names() {
    Bytes content;
    append_text(content, "name");
    append_byte(content, kFunctionNames);
    append_sized(content, function_names_);
    append_byte(content, kLocalNames);
    append_sized(content, local_names_);
    section(kCustomSection, content);
  }

  const Module& module_;
  EmitOptions options_;
  Bytes out_;
  Bytes functions_;
  Bytes function_names_;
  Bytes local_names_;
};

}  // namespace

std::vector<uint8_t> emit(const low::Module& module, EmitOptions options) {
  return ModuleWriter(module, options).run();
}

}  // namespace fuselane
