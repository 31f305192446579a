// What is executed: segments of steps over buffers. Needs none of the IRs.
//
// A segment's shapes are known when it starts. It ends with the model's results, or where values have to be
// read before what follows can be known (a branch, a shape that depends on data): then whoever runs the plan
// asks for the segment that follows those values. Buffers in the arena that outlive a segment keep their
// offsets in the following ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/id.h"
#include "types/tensor.h"

namespace fuselane {

using BufferId = Id<struct BufferTag>;

enum class Storage : uint8_t {
  Arena,    // at an offset of the arena
  Weight,   // a constant of the model, by its index there
  Feed,     // an input of the model, by its index
  Literal,  // a value that became known while planning; lies in the segment
};

struct PlanBuffer {
  Storage storage = Storage::Arena;
  DType dtype = DType::Float32;
  Dims dims;
  uint64_t bytes = 0;
  uint64_t offset = 0;  // in the arena
  uint32_t index = 0;   // of the weight, feed or literal
};

// One call of an operator's reference.
struct Step {
  uint32_t node = 0;             // of the graph: what is called, and what messages name
  std::vector<BufferId> inputs;  // an id that names nothing is an absent operand
  std::vector<BufferId> outputs;
};

enum class Ending : uint8_t {
  Return,  // `results` are the model's outputs
  Read,    // `results` are to be read; the next segment depends on them
};

struct Segment {
  std::vector<PlanBuffer> buffers;
  std::vector<std::shared_ptr<const Tensor>> literals;
  std::vector<Step> steps;
  Ending ending = Ending::Return;
  std::vector<BufferId> results;  // of Return, one for each output; one that is not wanted names nothing
  uint64_t arena_bytes = 0;
};

}  // namespace fuselane
