#include "low/instruction.h"

namespace fuselane::low {
namespace {

constexpr uint16_t bits_of(char letter) {
  constexpr std::string_view kLetters = "_ILFDVT";  // in the order of Type
  return static_cast<uint16_t>(kLetters.find(letter));
}

constexpr uint16_t signature_of(std::string_view result, std::string_view operands) {
  uint16_t signature = bits_of(result[0]);
  for (size_t i = 0; i < operands.size(); ++i) {
    signature = static_cast<uint16_t>(signature | (bits_of(operands[i]) << (3 * (i + 1))));
  }
  return signature;
}

constexpr Instruction kTable[] = {
#define INSTRUCTION(id, text, result, operands, immediate, width, feature, code) \
  {code, signature_of(#result, #operands), Immediate::immediate, width, Feature::feature},
#include "low/instructions.def"
#undef INSTRUCTION
};

}  // namespace

const Instruction& info(Op op) { return kTable[static_cast<size_t>(op)]; }

}  // namespace fuselane::low
