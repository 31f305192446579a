// What an instruction takes and gives, from the table instructions.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fuselane::low {

enum class Type : uint8_t {
  None,  // no result, no operand
  I32,
  I64,
  F32,
  F64,
  V128,
  Any,  // in the table only: the type is known at the use
};

// What an engine must have to run an instruction. Engines got them in this order: one that has one has those
// before it.
enum class Feature : uint8_t { Mvp, SignExtension, SaturatingFloat, Simd, RelaxedSimd };

// What an instruction holds beside its operands.
enum class Immediate : uint8_t {
  None,
  Register,
  Function,
  I32,
  I64,
  F32,
  F64,
  V128,
  Memory,      // offset and alignment
  MemoryLane,  // and the number of a lane
  Lane,
  Shuffle,  // for each byte of the result the byte it is, of the operands' 32
};

enum class Op : uint16_t {
#define INSTRUCTION(id, text, result, operands, immediate, width, feature, code) id,
#include "low/instructions.def"
#undef INSTRUCTION
};

inline constexpr size_t kOpCount = 0
#define INSTRUCTION(id, text, result, operands, immediate, width, feature, code) +1
#include "low/instructions.def"
#undef INSTRUCTION
    ;

// 8 bytes a row: the core holds all of them.
struct Instruction {
  uint16_t code = 0;
  uint16_t signature = 0;  // three bits each: the result, then the operands
  Immediate immediate = Immediate::None;
  uint8_t width = 0;
  Feature feature = Feature::Mvp;

  Type result() const { return static_cast<Type>(signature & 7); }
  // None past the last one, of three.
  Type operand(size_t i) const { return static_cast<Type>((signature >> (3 * (i + 1))) & 7); }
  bool has_memory() const { return immediate == Immediate::Memory || immediate == Immediate::MemoryLane; }
  bool has_lane() const { return immediate == Immediate::Lane || immediate == Immediate::MemoryLane; }
};

const Instruction& info(Op op);

// Wasm's names, such as "f32x4.add"; linked only into what prints or parses.
std::string_view name_of(Op op);
std::string_view name_of(Type type);
std::optional<Op> op_of_name(std::string_view name);
std::optional<Type> type_of_name(std::string_view name);  // of those that registers have

}  // namespace fuselane::low
