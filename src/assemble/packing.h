// Constants rearranged once for a kernel: what assembly asks the model's store for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/node.h"

namespace fuselane {

// Calls of a packing kernel that together fill one block. Each call is a part, which reads a stretch of the
// operands' elements: so a large constant is never in memory beside its packed form.
struct Packing {
  // What a part's kernel reads of a constant.
  struct Operand {
    uint32_t at;  // where in the arguments the address of the first element goes
    ConstantId constant;
    uint64_t offset = 0;  // bytes before that element
    uint64_t bytes = 0;
    bool operator==(const Operand&) const = default;
  };
  struct Part {
    std::vector<uint8_t> args;  // the kernel's argument struct, addresses left null
    std::vector<Operand> operands;
    uint64_t result_offset = 0;  // bytes of the block before what the kernel takes for its result
    uint32_t extent = 0;         // of the kernel's loop
    bool operator==(const Part&) const = default;
  };
  uint32_t kernel = 0;
  uint32_t result_at = 0;  // where in the arguments the address of the result goes
  uint64_t bytes = 0;      // of the block
  std::vector<Part> parts;
  bool operator==(const Packing&) const = default;
};

// The largest stretch a planner lets a part read, unless the kernel needs more at once: small beside a large
// model, large beside the cost of a read.
inline constexpr uint64_t kPartBytes = uint64_t{4} << 20;

class PackStore {
 public:
  virtual ~PackStore() = default;
  // The index of the block this packing makes, made now unless it was before. Errors: read-failed,
  // out-of-memory.
  virtual Result<uint32_t> pack(const Packing& packing) = 0;
};

}  // namespace fuselane
