// Modules with inputs and what the interpreter makes of them, for tests/node/emit.test.mjs, which runs the
// emitted bytes in an engine and compares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "low/build.h"

namespace fuselane::emit_cases {

// What is given and compared of the memory, from its begin. All of it has one page.
inline constexpr size_t kWindow = 256;
inline constexpr size_t kPage = 65536;

struct Call {
  std::string function;  // exported, without parameters and results
  std::vector<uint8_t> before;
};

struct Case {
  std::string name;
  low::Module module;
  std::vector<Call> calls;
};

// One function for each instruction that is relaxed, or for each that is not.
Case every_instruction(bool relaxed, Rng& rng);
// Functions with random statements and expressions; with madd and nmadd where `relaxed`.
Case random_module(bool relaxed, Rng& rng);

// Bytes that are often special: numbers at the ends of their ranges, infinities, NaN.
std::vector<uint8_t> random_bytes(size_t count, Rng& rng);

// The value; where it is a NaN that an instruction made, whose sign and payload are the engine's choice, the
// canonical one. Adds a statement.
low::ExprId with_one_nan(low::Builder& b, low::Op op, low::Type type, low::ExprId value);

// The plain load and store of a type.
low::Op load_of(low::Type type);
low::Op store_of(low::Type type);

}  // namespace fuselane::emit_cases
