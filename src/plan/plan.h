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
#include "types/layout.h"
#include "types/tensor.h"

namespace fuselane {

using BufferId = Id<struct BufferTag>;

enum class Storage : uint8_t {
  Arena,    // at an offset of the arena
  Weight,   // a constant of the model, by its index there
  Packed,   // constants rearranged for a kernel, by their index in the model's store
  Feed,     // an input of the model, by its index
  Literal,  // a value that became known while planning; lies in the segment
};

struct PlanBuffer {
  Storage storage = Storage::Arena;
  DType dtype = DType::Float32;
  Dims dims;
  Layout layout = Layout::RowMajor;
  Dims strides = {};    // by dimension, in elements; none where it lies dense in its layout
  uint64_t bytes = 0;   // of its elements
  uint64_t offset = 0;  // of the first, in bytes: in the arena, or in what `index` names
  uint32_t index = 0;   // of the weight, block, feed or literal
};

// A step that calls no kernel calls the reference of its node.
inline constexpr uint32_t kNoKernel = 0xffffffffu;

// Nodes whose work one step does, or several.
struct StepGroup {
  std::vector<uint32_t> nodes;  // of the graph, operands' first
  uint64_t multiply_adds =
      0;  // of their convolutions, products and recurrent layers, as the graph states them
};

// A step of no group only lays a value in another layout.
inline constexpr uint32_t kNoGroup = 0xffffffffu;

// One call: of a kernel over its parallel loop, or of an operator's reference.
struct Step {
  uint32_t node = 0;            // of the graph: what messages name, and the reference to call
  uint32_t group = kNoGroup;    // in Segment::groups
  uint32_t kernel = kNoKernel;  // a row of the library's table or, after those, a generated kernel
  uint32_t args = 0;            // where the kernel's arguments start in Segment::args, in bytes
  uint32_t extent = 0;          // of the parallel loop
  uint32_t grain = 1;           // iterations that are worth a claim by a thread
  uint32_t stage = 0;           // steps of one stage, which follow one another, do not need each other
  std::vector<BufferId>
      inputs;  // read; in a reference's order, where an id that names nothing is an absent operand
  std::vector<BufferId> outputs;  // written, likewise
};

// An address in the arguments that is known only when memory is: of `buffer`, plus `offset` bytes.
struct Pointer {
  uint32_t at = 0;  // byte offset in Segment::args
  BufferId buffer;
  uint64_t offset = 0;
};

enum class Ending : uint8_t {
  Return,  // `results` are the model's outputs
  Read,    // `results` are to be read; the next segment depends on them
};

struct Segment {
  std::vector<PlanBuffer> buffers;
  std::vector<std::shared_ptr<const Tensor>> literals;
  std::vector<Step> steps;
  std::vector<StepGroup> groups;
  std::vector<uint64_t> args;  // the kernels' argument structs, one after another, each aligned to 8 bytes
  std::vector<Pointer> pointers;
  Ending ending = Ending::Return;
  std::vector<BufferId> results;  // of Return, one for each output; one that is not wanted names nothing
  uint64_t arena_bytes = 0;
};

}  // namespace fuselane
