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

}  // namespace fuselane
