#include "graph/verify.h"

#include "graph/ops.h"
#include "graph/print.h"

namespace fuselane {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), state_(graph.value_count(), State::Undefined) {}

  Status run() {
    for (size_t i = 0; i < graph_.value_count(); ++i) TRY(value(ValueId(i)));
    for (size_t i = 0; i < graph_.constant_count(); ++i) TRY(constant(graph_[ConstantId(i)]));
    if (graph_.output_names.size() != graph_.main().outputs.size()) return wrong("every output needs a name");
    return block(Graph::kMain);
  }

 private:
  enum class State : uint8_t { Undefined, InScope, OutOfScope };

  std::unexpected<Error> wrong(std::string message) const {
    return fail(ErrorCode::InvalidModel, std::move(message));
  }

  Status value(ValueId id) {
    const Value& value = graph_[id];
    if (value.name.empty()) return wrong("a value has no name");
    if (graph_.find(value.name) != id) return wrong(cat("two values are named '", value.name, "'"));
    if (value.constant) {
      if (value.constant.index >= graph_.constant_count())
        return wrong(cat("'", value.name, "' has no constant"));
      state_[id.index] = State::InScope;
    }
    return {};
  }

  Status constant(const Constant& constant) {
    auto count = element_count(constant.dims);
    auto bytes = count ? bytes_of(constant.dtype, *count) : std::nullopt;
    if (!bytes) return wrong(cat("a constant ", text_of(constant.dtype, constant.dims), " is too large"));
    if (constant.data) {
      if (constant.data->dtype() == constant.dtype && constant.data->dims() == constant.dims) return {};
      return wrong("a constant's elements do not fit its type");
    }
    if (constant.source >= graph_.sources.size())
      return wrong("a constant lies in a file that is not declared");
    if (constant.encoding == ConstantEncoding::Raw && constant.length != static_cast<uint64_t>(*bytes)) {
      return wrong(
          cat("a constant ", text_of(constant.dtype, constant.dims), " has ", constant.length, " bytes"));
    }
    return {};
  }

  Status define(ValueId id) {
    if (!id) return {};
    if (id.index >= graph_.value_count()) return wrong("a value's id is out of range");
    if (state_[id.index] != State::Undefined) return wrong(cat("'", graph_[id].name, "' is defined twice"));
    state_[id.index] = State::InScope;
    scope_.push_back(id);
    return {};
  }

  Status use(ValueId id, std::string_view by) {
    if (id && id.index < graph_.value_count() && state_[id.index] == State::InScope) return {};
    if (!id || id.index >= graph_.value_count()) return wrong(cat(by, " reads a value that does not exist"));
    return wrong(cat(by, " reads '", graph_[id].name, "', which is not defined before it"));
  }

  Status block(BlockId id) {
    size_t outer = scope_.size();
    const Block& block = graph_[id];
    for (ValueId input : block.inputs) TRY(define(input));
    for (NodeId node_id : block.nodes) {
      if (node_id.index >= graph_.node_count()) return wrong("a node's id is out of range");
      TRY(node(node_id));
    }
    for (ValueId output : block.outputs) TRY(use(output, "a block's result"));
    for (; scope_.size() > outer; scope_.pop_back()) state_[scope_.back().index] = State::OutOfScope;
    return {};
  }

  Status node(NodeId id) {
    const Node& node = graph_[id];
    for (ValueId input : node.inputs) {
      if (input) TRY(use(input, describe(node)));
    }
    TRY(attributes(node));
    size_t blocks = node.op == Op::If ? 2 : 0;
    if (node.blocks.size() != blocks) return wrong(cat(describe(node), " must have ", blocks, " blocks"));
    for (BlockId inner : node.blocks) {
      if (inner.index >= graph_.block_count() || graph_[inner].owner != id) {
        return wrong(cat(describe(node), " does not own its block"));
      }
      TRY(block(inner));
    }
    return types(id);
  }

  Status attributes(const Node& node) {
    const OpRow& row = row_of(node.op);
    for (const auto& [attr, value] : node.attributes.all()) {
      if (!row.find(attr)) return wrong(cat(describe(node), " has no attribute '", text_of(attr), "'"));
      if (value.index() != static_cast<size_t>(kind_of(attr))) {
        return wrong(cat(describe(node), ": attribute '", text_of(attr), "' is of the wrong kind"));
      }
    }
    if (row.find(Attr::FusedActivation) && !activation_of_text(node.text(Attr::FusedActivation))) {
      return wrong(cat(describe(node), ": '", node.text(Attr::FusedActivation), "' is not an activation"));
    }
    for (const AttrSpec& spec : row.attributes) {
      if (spec.required && !node.attributes.find(spec.attr)) {
        return wrong(cat(describe(node), ": attribute '", text_of(spec.attr), "' is missing"));
      }
    }
    return {};
  }

  Status types(NodeId id) {
    const Node& node = graph_[id];
    auto derived = TRY(infer(node, operands_of(graph_, node), block_results_of(graph_, node)));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      ValueId output = node.outputs[i];
      if (!output) continue;
      TRY(define(output));
      if (graph_[output].producer != id)
        return wrong(cat("'", graph_[output].name, "' does not know its producer"));
      if (!fits(graph_[output].type, derived[i])) {
        return wrong(cat(describe(node), " computes '", graph_[output].name, "' as ",
                         print(graph_, derived[i]), ", recorded is ", print(graph_, graph_[output].type)));
      }
    }
    return {};
  }

  const Graph& graph_;
  std::vector<State> state_;
  std::vector<ValueId> scope_;
};

}  // namespace

bool fits(const ValueType& expected, const ValueType& actual) {
  if (expected.kind != actual.kind || expected.dtype != actual.dtype) return false;
  if (!expected.dims || !actual.dims) return true;
  if (expected.dims->size() != actual.dims->size()) return false;
  for (size_t i = 0; i < expected.dims->size(); ++i) {
    const Dim& a = (*expected.dims)[i];
    const Dim& b = (*actual.dims)[i];
    if (a.known() && b.known() && a.extent != b.extent) return false;
  }
  return true;
}

ValueType refined(const ValueType& type, const ValueType& other) {
  if (!other.dims) return type;
  ValueType both = type;
  if (!both.dims) {
    both.dims = other.dims;
    return both;
  }
  for (size_t i = 0; i < both.dims->size(); ++i) {
    Dim& dim = (*both.dims)[i];
    const Dim& more = (*other.dims)[i];
    if (!dim.known() && (more.known() || !dim.symbol)) dim = more;
  }
  return both;
}

Status verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace fuselane
