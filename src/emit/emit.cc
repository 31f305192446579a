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

void append_bytes(Bytes& out, const Bytes& bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

void append_text(Bytes& out, std::string_view text) {
  append_leb128(out, size32(text.size()));
  out.insert(out.end(), text.begin(), text.end());
}

// A section, a part of one or a body: its size, then what it holds.
void append_sized(Bytes& out, const Bytes& content) {
  append_leb128(out, size32(content.size()));
  append_bytes(out, content);
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
    if (function.result != Type::None && falls) out_.push_back(kUnreachable);
    out_.push_back(kEnd);
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
      out_.push_back(code_of(static_cast<Type>(type)));
      for (size_t i = function_->parameters; i < registers.size(); ++i) {
        if (static_cast<size_t>(registers[i].type) == type) numbers_[i] = next++;
      }
    }
  }

  void state(const Statement& statement) {
    if (statement.expr) expression(statement.expr);
    switch (statement.kind) {
      case StatementKind::Set:
        out_.push_back(kLocalSet);
        return number(numbers_[statement.reg.index]);
      case StatementKind::Effect:
        return;
      case StatementKind::Drop:
        return out_.push_back(kDrop);
      case StatementKind::Block:
        return begin(kBlock, statement.label);
      case StatementKind::Loop:
        return begin(kLoop, statement.label);
      case StatementKind::If:
        return begin(kIf, statement.label);
      case StatementKind::Else:
        return out_.push_back(kElse);
      case StatementKind::End:
        open_.pop_back();
        return out_.push_back(kEnd);
      case StatementKind::Branch:
        return branch(kBr, statement.label);
      case StatementKind::BranchIf:
        return branch(kBrIf, statement.label);
      case StatementKind::Return:
        return out_.push_back(kReturn);
      case StatementKind::Unreachable:
        return out_.push_back(kUnreachable);
    }
  }

  void begin(uint8_t code, LabelId label) {
    out_.push_back(code);
    out_.push_back(kEmptyBlock);
    open_.push_back(label);
  }

  // Labels are counted from the innermost one outward.
  void branch(uint8_t code, LabelId label) {
    out_.push_back(code);
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
      out_.push_back(prefix);
      number(row.code);
    } else {
      out_.push_back(static_cast<uint8_t>(row.code));
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
          out_.push_back(static_cast<uint8_t>(expr.immediate >> shift));
        }
        return;
      case Immediate::F64:
        return wide(expr, 8);
      case Immediate::V128:
      case Immediate::Shuffle:
        return wide(expr, 16);
      case Immediate::Memory:
        out_.push_back(expr.alignment);
        return number(expr.immediate);
      case Immediate::MemoryLane:
        out_.push_back(expr.alignment);
        number(expr.immediate);
        return out_.push_back(expr.lane);
      case Immediate::Lane:
        return out_.push_back(expr.lane);
    }
  }

  void wide(const Expr& expr, size_t count) {
    const low::V128& bytes = function_->wide[expr.immediate];
    out_.insert(out_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
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
    out_.assign(kPreamble.begin(), kPreamble.end());
    types();
    memory();
    exports();
    code();
    if (options_.names) names();
    return std::move(out_);
  }

 private:
  void section(uint8_t id, const Bytes& content) {
    out_.push_back(id);
    append_sized(out_, content);
  }

  // The sections of types and, after the import, of the functions' types. Each type stands once.
  void types() {
    std::vector<Bytes> distinct;
    append_leb128(functions_, size32(module_.functions.size()));
    for (const Function& function : module_.functions) {
      Bytes type = {kFunctionType};
      append_leb128(type, function.parameters);
      for (uint32_t i = 0; i < function.parameters; ++i) type.push_back(code_of(function.registers[i].type));
      type.push_back(function.result != Type::None);
      if (function.result != Type::None) type.push_back(code_of(function.result));
      auto at = std::ranges::find(distinct, type);
      append_leb128(functions_, size32(static_cast<size_t>(at - distinct.begin())));
      if (at == distinct.end()) distinct.push_back(std::move(type));
    }
    Bytes content;
    append_leb128(content, size32(distinct.size()));
    for (const Bytes& type : distinct) append_bytes(content, type);
    section(kTypeSection, content);
  }

  void memory() {
    Bytes content = {1};
    append_text(content, "env");
    append_text(content, "memory");
    content.push_back(kExternMemory);
    content.push_back(module_.shared_memory ? kSharedLimits : kUnsharedLimits);
    content.push_back(1);
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
      content.push_back(kExternFunction);
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
    content.push_back(kFunctionNames);
    append_sized(content, function_names_);
    content.push_back(kLocalNames);
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
