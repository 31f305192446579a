// Nodes that compute the same are computed once; equal constants are one.
//
// Two nodes compute the same when operator, operands, attributes (as they hold, stated or by default) and
// blocks are the same, since no operator has a state. The one that stays comes first in the same block or in
// one around it, so that its results may be read wherever the other's were.
#include <unordered_map>

#include "graph/ops.h"
#include "graph/patch.h"
#include "optimize/passes.h"

namespace fuselane {
namespace {

// Constants in memory of more bytes are equal only when they share their memory: looking at all the weights
// of a model costs more than a duplicate is worth.
constexpr size_t kMostBytesCompared = size_t{1} << 16;

void append_attribute(std::string& key, const Node& node, Attr attr) {
  switch (kind_of(attr)) {
    case AttrKind::Int:
      return append(key, node.integer(attr));
    case AttrKind::Float:
      return append(key, node.number(attr));
    case AttrKind::Text:
      return append_quoted(key, node.text(attr));
    case AttrKind::Type:
      return append(key, text_of(node.dtype(attr)));
    case AttrKind::Ints:
      return append(key, join(node.integers(attr)));
    case AttrKind::Floats:
      return append(key, join(node.numbers(attr)));
    case AttrKind::Texts:
      for (const std::string& text : node.texts(attr)) append_quoted(key, text);
      return;
  }
}

// A text of a constant: equal texts, equal constants. Empty when it is not to be compared.
std::string key_of_constant(const Constant& constant) {
  std::string key = text_of(constant.dtype, constant.dims);
  if (!constant.data) {
    append(key, cat(" ", constant.source, " ", constant.offset, " ", constant.length, " ",
                    static_cast<int>(constant.encoding)));
    return key;
  }
  if (constant.dtype == DType::String) return {};
  std::span<const uint8_t> bytes = constant.data->bytes();
  if (bytes.size() > kMostBytesCompared) return {};
  append(key, ":");
  append(key, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return key;
}

class Merger {
 public:
  explicit Merger(const Graph& graph) : graph_(graph), instead_(graph.value_count()) {
    for (size_t i = 0; i < instead_.size(); ++i) instead_[i] = ValueId(i);
    constants();
    block(graph.main());
  }

  Result<size_t> apply(Graph& graph) const {
    if (count_ == 0 || graph.main().nodes.empty()) return 0;
    Patch patch(graph, "merge_duplicates", graph.main().nodes[0]);
    for (size_t i = 0; i < instead_.size(); ++i) {
      if (instead_[i] != ValueId(i)) patch.replace(ValueId(i), instead_[i]);
    }
    TRY(std::move(patch).apply(graph));
    return count_;
  }

 private:
  // Looked up, never walked.
  using Scope = std::unordered_map<std::string, NodeId>;

  void constants() {
    std::unordered_map<std::string, ValueId> seen;
    for (size_t i = 0; i < instead_.size(); ++i) {
      const Constant* constant = graph_.constant_of(ValueId(i));
      if (!constant) continue;
      std::string key = key_of_constant(*constant);
      if (key.empty()) continue;
      instead_[i] = seen.emplace(std::move(key), ValueId(i)).first->second;
      if (instead_[i] != ValueId(i)) ++count_;
    }
  }

  void block(const Block& block) {
    scopes_.emplace_back();
    for (NodeId id : block.nodes) {
      for (BlockId inner : graph_[id].blocks) this->block(graph_[inner]);
      node(id);
    }
    scopes_.pop_back();
  }

  void node(NodeId id) {
    std::string key = key_of_node(graph_[id]);
    for (const Scope& scope : scopes_) {
      auto found = scope.find(key);
      if (found == scope.end()) continue;
      merge(graph_[found->second], graph_[id]);
      return;
    }
    scopes_.back().emplace(std::move(key), id);
  }

  void merge(const Node& kept, const Node& duplicate) {
    for (size_t i = 0; i < duplicate.outputs.size(); ++i) {
      if (duplicate.outputs[i]) instead_[duplicate.outputs[i].index] = kept.outputs[i];
    }
    ++count_;
  }

  std::string key_of_node(const Node& node) const {
    std::string key;
    std::unordered_map<uint32_t, size_t> numbers;
    append_node(key, node, numbers);
    return key;
  }

  // Values of the node's own blocks by their number there, all others by their id.
  void append_node(std::string& key, const Node& node, std::unordered_map<uint32_t, size_t>& numbers) const {
    append(key, text_of(node.op));
    for (ValueId input : node.inputs) append_operand(key, input, numbers);
    append(key, "{");
    for (const AttrSpec& spec : row_of(node.op).attributes) {
      append_attribute(key, node, spec.attr);
      append(key, ";");
    }
    append(key, "}");
    for (BlockId inner : node.blocks) {
      append(key, "do{");
      for (NodeId id : graph_[inner].nodes) append_node(key, graph_[id], numbers);
      append(key, "yield");
      for (ValueId output : graph_[inner].outputs) append_operand(key, output, numbers);
      append(key, "}");
    }
    // Results that only one of two nodes gives make them different.
    append(key, "=");
    for (ValueId output : node.outputs) append(key, output ? "w" : "_");
    for (ValueId output : node.outputs) {
      if (output) numbers.emplace(output.index, numbers.size());
    }
  }

  void append_operand(std::string& key, ValueId value,
                      const std::unordered_map<uint32_t, size_t>& numbers) const {
    if (!value) return append(key, " _");
    auto local = numbers.find(value.index);
    append(key, local == numbers.end() ? cat(" %", instead_[value.index].index) : cat(" #", local->second));
  }

  const Graph& graph_;
  std::vector<ValueId> instead_;
  std::vector<Scope> scopes_;
  size_t count_ = 0;
};

}  // namespace

Result<size_t> merge_duplicates(Graph& graph, PassContext&) { return Merger(graph).apply(graph); }

}  // namespace fuselane
