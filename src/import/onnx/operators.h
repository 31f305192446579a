// What is known of ONNX's operators: the rows of operators.def.
#pragma once

#include "base/result.h"
#include "import/onnx/model.h"

namespace fuselane {

class NodeImport;  // import/onnx/node_import.h

// The opsets of ai.onnx that models may import.
inline constexpr int64_t kOldestOpset = 7;
inline constexpr int64_t kNewestOpset = 22;

struct OnnxOperator {
  std::string_view name;
  int64_t first;
  int64_t last;
  Status (*import)(NodeImport&);  // null for control flow and constants
};

const OnnxOperator* find_onnx_operator(std::string_view name);

// Checks every node of the model and of its subgraphs against the table before anything is built. One error
// lists all operators that are not supported: name, domain, version, how many nodes and the first one's name.
Status check_operators(const ModelDef& model);

}  // namespace fuselane
