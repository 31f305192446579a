#include "emit/wat_function.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "emit/format.h"

namespace fuselane::wasm_format {
namespace {

using low::Immediate;
using low::Op;
using low::Type;

constexpr size_t kWidth = 100;  // a line that would be longer has its operands on lines of their own

uint32_t key_of(uint8_t prefix, uint32_t code) { return uint32_t{prefix} << 16 | code; }

std::optional<Op> op_of(uint8_t prefix, uint32_t code) {
  static const auto sorted = [] {
    std::vector<std::pair<uint32_t, Op>> ops;
    for (size_t i = 0; i < low::kOpCount; ++i) {
      auto op = static_cast<Op>(i);
      ops.emplace_back(key_of(prefix_of(low::info(op).feature), low::info(op).code), op);
    }
    std::ranges::sort(ops);
    return ops;
  }();
  auto at =
      std::ranges::lower_bound(sorted, key_of(prefix, code), {}, [](const auto& it) { return it.first; });
  if (at == sorted.end() || at->first != key_of(prefix, code)) return std::nullopt;
  return at->second;
}

// "f32x4.add" and what it is of.
struct Node {
  std::string head;
  std::vector<Node> operands;

  size_t length() const {
    size_t sum = head.size() + 2;
    for (const Node& operand : operands) sum += operand.length() + 1;
    return sum;
  }
};

void append_line(std::string& out, const Node& node, size_t indent) {
  bool fits = indent + node.length() <= kWidth;
  append(out, "(");
  append(out, node.head);
  for (const Node& operand : node.operands) {
    if (fits) {
      append(out, " ");
    } else {
      append(out, "\n");
      out.append(indent + 2, ' ');
    }
    append_line(out, operand, indent + 2);
  }
  append(out, ")");
}

// As wat writes them: a NaN with its payload.
template <class Float, class Bits>
std::string float_text(Bits bits) {
  auto value = std::bit_cast<Float>(bits);
  if (!std::isnan(value)) return cat(value);
  constexpr int kDigits = std::numeric_limits<Float>::digits - 1;
  std::string hex;
  for (Bits payload = bits & ((Bits{1} << kDigits) - 1); payload != 0; payload >>= 4) {
    hex.insert(hex.begin(), "0123456789abcdef"[payload & 15]);
  }
  return cat(std::signbit(value) ? "-nan:0x" : "nan:0x", hex);
}

template <class T>
T read_as(std::span<const uint8_t> bytes, size_t offset = 0) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

class BodyPrinter {
 public:
  BodyPrinter(std::string& out, Reader& code, const Functions& functions, const FunctionType& type,
              const std::vector<std::string>& locals)
      : out_(out), code_(code), functions_(functions), type_(type), locals_(locals) {}

  Status run() {
    open_.push_back({});
    while (!open_.empty()) TRY(instruction());
    return code_.at_end() ? Status() : code_.no("more than the end of a function");
  }

 private:
  // A structure that has not ended, and where: "then" and "else" stand in parentheses of their own.
  struct Open {
    std::string label;
    bool is_if = false;
  };

  Status instruction() {
    uint8_t code = TRY(code_.byte());
    switch (code) {
      case kUnreachable:
        return statement("unreachable", 0);
      case kBlock:
      case kLoop:
      case kIf:
        return begin(code);
      case kElse:
        if (!open_.back().is_if) return code_.no("an else without its if");
        TRY(settled());
        line(-1, ")");
        line(0, "(else");
        return {};
      case kEnd:
        return end();
      case kBr:
      case kBrIf:
        return branch(code);
      case kReturn:
        return statement("return", type_.result == Type::None ? 0 : 1);
      case kDrop:
        return statement("drop", 1);
      case kLocalSet:
        return statement(cat("local.set ", TRY(local())), 1);
      default:
        return operation(code);
    }
  }

  // `out` is -1 where the line closes what is open.
  void line(int out, std::string_view text) {
    if (out < 0) indent_ -= 2;
    out_.append(indent_, ' ');
    append(out_, text);
    append(out_, "\n");
    if (out >= 0) indent_ += 2;
  }

  Status settled() const { return stack_.empty() ? Status() : code_.no("a value that no statement uses"); }

  Status push(std::string head, size_t operands) {
    if (stack_.size() < operands) return code_.no("an operand is missing");
    Node node{std::move(head), {}};
    auto first = stack_.end() - static_cast<std::ptrdiff_t>(operands);
    std::move(first, stack_.end(), std::back_inserter(node.operands));
    stack_.erase(first, stack_.end());
    stack_.push_back(std::move(node));
    return {};
  }

  Status statement(std::string head, size_t operands) {
    TRY(push(std::move(head), operands));
    Node node = std::move(stack_.back());
    stack_.pop_back();
    TRY(settled());
    out_.append(indent_, ' ');
    append_line(out_, node, indent_);
    append(out_, "\n");
    return {};
  }

  Status begin(uint8_t code) {
    if (TRY(code_.byte()) != kEmptyBlock) return code_.no("a block with a result");
    open_.push_back({cat("$", labels_++), code == kIf});
    const std::string& label = open_.back().label;
    if (code != kIf) {
      TRY(settled());
      line(0, cat(code == kBlock ? "(block " : "(loop ", label));
      return {};
    }
    if (stack_.empty()) return code_.no("an operand is missing");
    Node condition = std::move(stack_.back());
    stack_.pop_back();
    TRY(settled());
    std::string text = cat("(if ", label, " ");
    append_line(text, condition, indent_ + text.size());
    line(0, text);
    line(0, "(then");
    return {};
  }

  Status end() {
    TRY(settled());
    bool is_if = open_.back().is_if;
    open_.pop_back();
    if (open_.empty()) return {};
    if (is_if) line(-1, ")");
    line(-1, ")");
    return {};
  }

  Status branch(uint8_t code) {
    uint32_t depth = TRY(code_.number());
    if (depth + 1 >= open_.size()) return code_.no("a branch to a label that is not around it");
    const std::string& label = open_[open_.size() - 1 - depth].label;
    return statement(cat(code == kBr ? "br " : "br_if ", label), code == kBr ? 0 : 1);
  }

  Result<std::string> local() {
    uint32_t number = TRY(code_.number());
    if (number >= locals_.size()) return code_.no("a local that there is not");
    return locals_[number];
  }

  Status operation(uint8_t code) {
    bool has_prefix = code == 0xfc || code == 0xfd;
    auto op = has_prefix ? op_of(code, TRY(code_.number())) : op_of(0, code);
    if (!op) return code_.no("an instruction that is not in the table");
    const low::Instruction& row = low::info(*op);
    size_t operands = 0;
    while (operands < 3 && row.operand(operands) != Type::None) ++operands;
    bool has_result = row.result() != Type::None;
    std::string head(low::name_of(*op));
    if (row.immediate == Immediate::Function) {
      uint32_t callee = TRY(code_.number());
      if (callee >= functions_.types.size()) return code_.no("a call of a function that there is not");
      append(head, cat(" ", functions_.names[callee]));
      operands = functions_.types[callee].parameters.size();
      has_result = functions_.types[callee].result != Type::None;
    } else {
      append(head, TRY(immediate(row)));
    }
    return has_result ? push(std::move(head), operands) : statement(std::move(head), operands);
  }

  Result<std::string> immediate(const low::Instruction& row) {
    switch (row.immediate) {
      case Immediate::None:
      case Immediate::Function:
        return std::string();
      case Immediate::Register:
        return cat(" ", TRY(local()));
      case Immediate::I32:
      case Immediate::I64:
        return cat(" ", TRY(code_.signed_number()));
      case Immediate::F32:
        return cat(" ", float_text<float>(read_as<uint32_t>(TRY(code_.take(4)))));
      case Immediate::F64:
        return cat(" ", float_text<double>(read_as<uint64_t>(TRY(code_.take(8)))));
      case Immediate::V128: {
        auto bytes = TRY(code_.take(16));
        std::string text = " i32x4";
        for (size_t i = 0; i < 16; i += 4) append(text, cat(" ", read_as<int32_t>(bytes, i)));
        return text;
      }
      case Immediate::Shuffle:
        return cat(" ", join(TRY(code_.take(16)), " "));
      case Immediate::Lane:
        return cat(" ", TRY(code_.byte()));
      case Immediate::Memory:
        return access(row);
      case Immediate::MemoryLane: {
        std::string text = TRY(access(row));
        return cat(text, " ", TRY(code_.byte()));
      }
    }
  }

  // The alignment is left out where it is the width.
  Result<std::string> access(const low::Instruction& row) {
    uint32_t alignment = TRY(code_.number());
    uint32_t offset = TRY(code_.number());
    if (alignment > 4) return code_.no("an alignment above 16 bytes");
    std::string text;
    if (offset != 0) append(text, cat(" offset=", offset));
    if (1u << alignment != row.width) append(text, cat(" align=", 1u << alignment));
    return text;
  }

  std::string& out_;
  Reader& code_;
  const Functions& functions_;
  const FunctionType& type_;
  const std::vector<std::string>& locals_;
  std::vector<Node> stack_;
  std::vector<Open> open_;
  size_t labels_ = 0;
  size_t indent_ = 4;
};

}  // namespace

Status append_body(std::string& out, Reader& code, const Functions& functions, const FunctionType& type,
                   const std::vector<std::string>& locals) {
  return BodyPrinter(out, code, functions, type, locals).run();
}

}  // namespace fuselane::wasm_format
