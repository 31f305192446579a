#include "import/onnx/import_onnx.h"

#include "graph/verify.h"
#include "import/onnx/build.h"
#include "import/onnx/operators.h"

namespace fuselane {
namespace {

Status check_model(const ModelDef& model) {
  if (!model.graph) {
    return fail(ErrorCode::InvalidModel,
                "the file holds no graph: it is not an ONNX model, or it is cut short or damaged");
  }
  // Versions after 3 add fields, which are read or skipped; what they add for operators shows in the opset.
  if (model.ir_version < 3) {
    return fail(ErrorCode::UnsupportedModel,
                cat("the model's IR version is ", model.ir_version, "; 3 and newer are supported"));
  }
  for (const OpsetDef& opset : model.opsets) {
    if (opset.version == *model.opset_of(opset.domain)) continue;
    return fail(ErrorCode::InvalidModel,
                cat("the model imports domain '", opset.domain, "' in two versions, ",
                    *model.opset_of(opset.domain), " and ", opset.version));
  }
  auto version = model.opset_of("");
  if (!version) {
    return fail(ErrorCode::InvalidModel,
                "the model does not say which opset of ai.onnx its operators are from; it may be cut short");
  }
  if (*version >= kOldestOpset && *version <= kNewestOpset) return {};
  return fail(ErrorCode::UnsupportedModel, cat("the model uses opset ", *version, " of ai.onnx; opsets ",
                                               kOldestOpset, " to ", kNewestOpset, " are supported"));
}

}  // namespace

Result<Graph> import_onnx(ByteSource& source, std::string_view source_name) {
  WireWindow window(source);
  ModelDef model = TRY(read_model(window));
  TRY(check_model(model));
  TRY(check_operators(model));
  Graph graph;
  graph.sources.emplace_back(source_name);
  TRY(GraphBuilder(model, window, graph).run());
  TRY(verify(graph));
  return graph;
}

}  // namespace fuselane
