// The low IR: functions of typed registers over linear memory, with wasm's instructions and its structured
// control. emit/ transcribes a module to bytes and decides nothing.
//
// An expression is a tree: its operands are evaluated in order, each node has at most one user, and all of it
// happens where its statement stands (a register is read then, not where the node was made). Registers are
// variables; they are zero before they are set. Arithmetic, traps and memory are wasm's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/id.h"
#include "low/instruction.h"

namespace fuselane::low {

using RegisterId = Id<struct LowRegisterTag>;
using ExprId = Id<struct LowExprTag>;
using LabelId = Id<struct LowLabelTag>;
using FunctionId = Id<struct LowFunctionTag>;
using V128 = std::array<uint8_t, 16>;

// How deep expressions may be: what reads them recurs.
inline constexpr int kMostDepth = 256;

struct Register {
  Type type = Type::I32;
  std::string name;  // for people; may be empty, or that of another too
};

// 20 bytes; nodes refer to what is larger.
struct Expr {
  Op op = Op::I32Const;
  uint8_t alignment = 0;  // of an access: log2 of the bytes that its address is known to be a multiple of
  uint8_t lane = 0;
  // An access: its offset, which is added without wrapping around. LocalGet: the register. Call: the index in
  // `calls`. I32Const, F32Const: the bits. I64Const, F64Const, V128Const, I8x16Shuffle: the index in `wide`.
  uint32_t immediate = 0;
  std::array<ExprId, 3> operands = {};
};

struct CallSite {
  FunctionId callee;
  std::vector<ExprId> arguments;
};

enum class StatementKind : uint8_t {
  Set,       // reg = expr
  Effect,    // expr, which has no result: a store, a call
  Drop,      // expr, whose result is not used
  Block,     // begins what is up to its End; a branch to its label goes behind that
  Loop,      // likewise; a branch to its label begins it anew, and where its end is reached it is left
  If,        // begins what is done if expr is not 0, up to its Else or End; a branch goes behind its End
  Else,      // begins what is done if it was 0
  End,       // of the innermost Block, Loop or If
  Branch,    // to the label
  BranchIf,  // likewise if expr is not 0
  Return,    // with expr where the function has a result
  Unreachable,
};

// Bodies are flat lists in which Block, Loop and If nest by End, as in wasm.
struct Statement {
  StatementKind kind = StatementKind::End;
  RegisterId reg = {};
  ExprId expr = {};
  LabelId label = {};  // of Block, Loop and If their own, which an If without branches need not have
};

struct Function {
  std::string name;  // unique in its module
  bool exported = false;
  uint32_t parameters = 0;  // the first registers
  Type result = Type::None;
  std::vector<Register> registers = {};
  std::vector<Expr> exprs = {};
  std::vector<CallSite> calls = {};
  std::vector<V128> wide = {};  // of constants of 8 bytes the first half
  std::vector<Statement> body = {};
  uint32_t labels = 0;

  const Register& operator[](RegisterId id) const { return registers[id.index]; }
  const Expr& operator[](ExprId id) const { return exprs[id.index]; }
};

// Imports its memory from "env" "memory". A shared one is declared with the largest maximum there is, which
// links to every maximum; one that is not shared with none.
struct Module {
  bool shared_memory = false;
  std::vector<Function> functions = {};

  const Function& operator[](FunctionId id) const { return functions[id.index]; }
};

}  // namespace fuselane::low
