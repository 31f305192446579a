// A model's bytes to a graph. Formats are told apart by what the file holds, never by its name.
#pragma once

#include <string_view>

#include "graph/graph.h"

namespace fuselane {

// Reads an ONNX model. The graph passes verify() and refers to `source`, as file 0 under `source_name`, for
// the elements of all but small constants; only the structure of the file is read here, 64 kB at a time at
// most.
//
// Errors: invalid-model (not a model, a damaged one, or one that breaks ONNX's rules), unsupported-model
// (another format, operators or versions that are not supported, all listed at once), read-failed,
// out-of-memory.
Result<Graph> import_model(ByteSource& source, std::string_view source_name);

}  // namespace fuselane
