#include "import/onnx/operators.h"

#include <unordered_map>

#include "import/onnx/rewrites.h"

namespace fuselane {
namespace {

constexpr OnnxOperator kOperators[] = {
#define DIRECT(name, first, last) {#name, first, last, import_directly},
#define REWRITE(name, first, last, function) {#name, first, last, rewrite_##function},
#define CONTROL(name, first, last) {#name, first, last, nullptr},
#include "import/onnx/operators.def"
#undef DIRECT
#undef REWRITE
#undef CONTROL
};

struct Unsupported {
  const NodeDef* first;
  int64_t count;
  std::string why;
};

class OperatorCheck {
 public:
  explicit OperatorCheck(const ModelDef& model) : model_(model) {}

  void walk(const GraphDef& graph) {
    for (const NodeDef& node : graph.nodes) {
      if (auto why = refusal(node)) note(node, *std::move(why));
      for (const AttributeDef& attribute : node.attributes) {
        if (attribute.graph) walk(*attribute.graph);
      }
    }
  }

  Status report() const {
    if (list_.empty()) return {};
    constexpr size_t kMostLines = 50;
    std::string message = list_.size() == 1
                              ? std::string("the model uses an operator that is not supported:")
                              : cat("the model uses ", list_.size(), " operators that are not supported:");
    for (size_t i = 0; i < list_.size() && i < kMostLines; ++i) append(message, line(list_[i]));
    if (list_.size() > kMostLines) append(message, cat("\n  and ", list_.size() - kMostLines, " more"));
    auto error = fail_about(ErrorCode::UnsupportedModel, list_[0].first->op_type, std::move(message));
    error.error().node = list_[0].first->name;
    return error;
  }

 private:
  // Why the node cannot be imported; nothing when it can. The text may be empty: the operator is not known.
  std::optional<std::string> refusal(const NodeDef& node) const {
    if (!node.domain.empty()) {
      for (const FunctionDef& function : model_.functions) {
        if (function.name == node.op_type && function.domain == node.domain) {
          return ", a function that the model defines";
        }
      }
      return "";
    }
    const OnnxOperator* row = find_onnx_operator(node.op_type);
    if (!row) return "";
    auto version = model_.opset_of("");
    if (!version) return std::nullopt;  // an error of its own
    if (*version < row->first) return cat(", which opset ", row->first, " introduces");
    if (*version > row->last) return cat(", supported up to opset ", row->last);
    return std::nullopt;
  }

  void note(const NodeDef& node, std::string why) {
    auto [at, is_new] = index_.emplace(cat(node.domain, ":", node.op_type), list_.size());
    if (is_new) list_.push_back({&node, 0, std::move(why)});
    ++list_[at->second].count;
  }

  std::string line(const Unsupported& entry) const {
    const NodeDef& node = *entry.first;
    std::string text =
        cat("\n  ", node.op_type, ", domain ", node.domain.empty() ? "ai.onnx" : node.domain, ", opset ");
    if (auto version = model_.opset_of(node.domain)) {
      append(text, *version);
    } else {
      append(text, "not stated");
    }
    append(text, entry.why);
    append(text, entry.count == 1 ? ": 1 node, " : cat(": ", entry.count, " nodes, the first is "));
    append(text, node.name.empty() ? describe(node) : cat("'", node.name, "'"));
    return text;
  }

  const ModelDef& model_;
  std::vector<Unsupported> list_;
  std::unordered_map<std::string, size_t> index_;  // looked up, never walked
};

}  // namespace

const OnnxOperator* find_onnx_operator(std::string_view name) {
  for (const OnnxOperator& row : kOperators) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Status check_operators(const ModelDef& model) {
  OperatorCheck check(model);
  check.walk(*model.graph);
  return check.report();
}

}  // namespace fuselane
