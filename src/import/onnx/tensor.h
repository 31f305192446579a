// A TensorProto as a constant of the graph.
#pragma once

#include "graph/graph.h"
#include "import/onnx/model.h"

namespace fuselane {

// Constants of fewer bytes are copied into memory: shapes, axes and scalars, which shape rules ask for.
inline constexpr int64_t kCopiedBelow = 4096;

// A reference into file 0 of the graph, or the elements where they are few or lie scattered in the file.
// Errors name the tensor: invalid-model when its elements do not fit its shape and type, unsupported-model
// for elements in other files and in segments.
Result<Constant> constant_of(const TensorDef& tensor, WireWindow& window);

}  // namespace fuselane
