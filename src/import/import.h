// From a model's bytes to a verified graph. The format is told by content.
#pragma once

#include <string_view>

#include "base/byte_source.h"
#include "graph/graph.h"

namespace fuselane {

// `source_name` is how messages and the graph's source table call the file. Constants of 4 kB and more stay
// references into `source`. Errors: read-failed, invalid-model, unsupported-model (all unsupported operators
// at once).
Result<Graph> import_model(ByteSource& source, std::string_view source_name);

}  // namespace fuselane
