#include "emit/emit.h"

#include <algorithm>
#include <cstring>
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

// The body of one function after another, into the same buffers.
class BodyWriter {
 public:
  // Appends the function's body with its size.
  void write(const Function& function, Bytes& code) {
    function_ = &function;
    out_.clear();
    open_.clear();
    out_.reserve(function.exprs.size() * 4 + function.body.size() * 2);
    locals();
    for (const Statement& statement : function.body) state(statement);
    // Where both branches of an if return, what follows it would need a result all the same.
    bool falls = function.body.empty() || (function.body.back().kind != StatementKind::Return &&
                                           function.body.back().kind != StatementKind::Unreachable);
    if (function.result != Type::None && falls) append_byte(out_, kUnreachable);
    append_byte(out_, kEnd);
    append_sized(code, out_);
  }

  // The local of each register of the last function written.
  const std::vector<uint32_t>& numbers() const { return numbers_; }

 private:
  void number(uint32_t value) { append_leb128(out_, value); }

  void locals() {
    const auto& registers = function_->registers;
    numbers_.resize(registers.size());
    uint32_t next = 0;
    for (; next < function_->parameters; ++next) numbers_[next] = next;
    std::array<uint32_t, 6> counts = {};
    for (size_t i = next; i < registers.size(); ++i) ++counts[static_cast<size_t>(registers[i].type)];
    number(static_cast<uint32_t>(std::ranges::count_if(counts, [](uint32_t count) { return count > 0; })));
    for (size_t type = 0; type < counts.size(); ++type) {
      if (counts[type] == 0) continue;
      number(counts[type]);
      append_byte(out_, code_of(static_cast<Type>(type)));
      for (size_t i = function_->parameters; i < registers.size(); ++i) {
        if (static_cast<size_t>(registers[i].type) == type) numbers_[i] = next++;
      }
    }
  }

  void state(const Statement& statement) {
    if (statement.expr) expression(statement.expr);
    switch (statement.kind) {
      case StatementKind::Set:
        append_byte(out_, kLocalSet);
        return number(numbers_[statement.reg.index]);
      case StatementKind::Effect:
        return;
      case StatementKind::Drop:
        return append_byte(out_, kDrop);
      case StatementKind::Block:
        return begin(kBlock, statement.label);
      case StatementKind::Loop:
        return begin(kLoop, statement.label);
      case StatementKind::If:
        return begin(kIf, statement.label);
      case StatementKind::Else:
        return append_byte(out_, kElse);
      case StatementKind::End:
        open_.pop_back();
        return append_byte(out_, kEnd);
      case StatementKind::Branch:
        return branch(kBr, statement.label);
      case StatementKind::BranchIf:
        return branch(kBrIf, statement.label);
      case StatementKind::Return:
        return append_byte(out_, kReturn);
      case StatementKind::Unreachable:
        return append_byte(out_, kUnreachable);
    }
  }

  void begin(uint8_t code, LabelId label) {
    append_byte(out_, code);
    append_byte(out_, kEmptyBlock);
    open_.push_back(label);
  }

  // Labels are counted from the innermost one outward.
  void branch(uint8_t code, LabelId label) {
    append_byte(out_, code);
    auto innermost = open_.end() - 1;
    auto at = innermost;
    while (*at != label) --at;
    number(static_cast<uint32_t>(innermost - at));
  }

  void expression(ExprId id) {
    const Expr& expr = (*function_)[id];
    const low::Instruction& row = low::info(expr.op);
    if (row.immediate == Immediate::Function) {
      for (ExprId argument : function_->calls[expr.immediate].arguments) expression(argument);
    } else {
      for (size_t i = 0; i < 3 && expr.operands[i]; ++i) expression(expr.operands[i]);
    }
    if (uint8_t prefix = prefix_of(row.feature)) {
      append_byte(out_, prefix);
      number(row.code);
    } else {
      append_byte(out_, static_cast<uint8_t>(row.code));
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
        return append_leb128_signed(out_, static_cast<int32_t>(expr.immediate));
      case Immediate::I64: {
        int64_t value = 0;
        std::memcpy(&value, function_->wide[expr.immediate].data(), sizeof value);
        return append_leb128_signed(out_, value);
      }
      case Immediate::F32:
        for (int shift = 0; shift < 32; shift += 8) {
          append_byte(out_, static_cast<uint8_t>(expr.immediate >> shift));
        }
        return;
      case Immediate::F64:
        return wide(expr, 8);
      case Immediate::V128:
      case Immediate::Shuffle:
        return wide(expr, 16);
      case Immediate::Memory:
        append_byte(out_, expr.alignment);
        return number(expr.immediate);
      case Immediate::MemoryLane:
        append_byte(out_, expr.alignment);
        number(expr.immediate);
        return append_byte(out_, expr.lane);
      case Immediate::Lane:
        return append_byte(out_, expr.lane);
    }
  }

  void wide(const Expr& expr, size_t count) {
    append_bytes(out_, function_->wide[expr.immediate].data(), count);
  }

  const Function* function_ = nullptr;
  Bytes out_;
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
