// Constants rearranged once for a kernel: what assembly asks the model's store for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/node.h"

namespace fuselane {

// A call of a packing kernel whose operands are constants and whose only result is the packed block.
struct Packing {
  uint32_t kernel = 0;
  std::vector<uint8_t> args;  // the kernel's argument struct, addresses left null
  struct Operand {
    uint32_t at;  // where in the arguments the address of its elements goes
    ConstantId constant;
    bool operator==(const Operand&) const = default;
  };
  std::vector<Operand> operands;
  uint32_t result_at = 0;  // where the address of the block goes
  uint64_t bytes = 0;      // of the block
  uint32_t extent = 0;     // of the kernel's loop
  bool operator==(const Packing&) const = default;
};

class PackStore {
 public:
  virtual ~PackStore() = default;
  // The index of the block this packing makes, made now unless it was before. Errors: read-failed,
  // out-of-memory.
  virtual Result<uint32_t> pack(const Packing& packing) = 0;
};

}  // namespace fuselane
