// Reading constants into memory.
#pragma once

#include <span>

#include "base/byte_source.h"
#include "graph/graph.h"

namespace fuselane {

// The files of a graph's constants, in the order of Graph::sources. They outlive whoever reads through them.
using Sources = std::span<ByteSource* const>;

// The constant's elements as a tensor of its own. Errors: read-failed, invalid-model (a file too short,
// varints that are too few or malformed), out-of-memory.
Result<Tensor> read_constant(const Constant& constant, Sources sources);

// Whether stretches of the constant's elements can be read by themselves: those in a file as they are in
// memory.
inline bool can_read_part(const Constant& constant) {
  return !constant.data && constant.encoding == ConstantEncoding::Raw;
}
// Elements from `offset` bytes on. Errors: those of read_constant; invalid-data when the stretch does not lie
// in the constant.
Status read_part(const Constant& constant, Sources sources, uint64_t offset, std::span<uint8_t> destination);

}  // namespace fuselane
