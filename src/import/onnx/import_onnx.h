// ONNX in: see import/import.h.
#pragma once

#include "graph/graph.h"

namespace fuselane {

Result<Graph> import_onnx(ByteSource& source, std::string_view source_name);

}  // namespace fuselane
