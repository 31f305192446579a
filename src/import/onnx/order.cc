#include "import/onnx/order.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fuselane {
namespace {

// Names that a subgraph reads from the graphs around it.
void collect_captured(const GraphDef& graph, std::vector<std::string_view>& captured) {
  std::unordered_set<std::string_view> own;
  for (const ValueInfoDef& input : graph.inputs) own.insert(input.name);
  for (const TensorDef& tensor : graph.initializers) own.insert(tensor.name);
  for (const NodeDef& node : graph.nodes) own.insert(node.outputs.begin(), node.outputs.end());
  std::vector<std::string_view> reads;
  for (const NodeDef& node : graph.nodes) {
    reads.insert(reads.end(), node.inputs.begin(), node.inputs.end());
    for (const AttributeDef& attribute : node.attributes) {
      if (attribute.graph) collect_captured(*attribute.graph, reads);
    }
  }
  for (const ValueInfoDef& output : graph.outputs) reads.push_back(output.name);
  for (std::string_view name : reads) {
    if (!own.contains(name)) captured.push_back(name);
  }
}

class Sorter {
 public:
  explicit Sorter(const GraphDef& graph) : graph_(graph), state_(graph.nodes.size(), State::New) {}

  Result<std::vector<size_t>> run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::string& output : graph_.nodes[i].outputs) {
        if (output.empty()) continue;
        auto [at, is_new] = producers_.emplace(output, i);
        if (is_new) continue;
        return fail_about(ErrorCode::InvalidModel, output,
                          cat("'", output, "' is computed twice, by ", describe(graph_.nodes[at->second]),
                              " and by ", describe(graph_.nodes[i])));
      }
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (state_[i] == State::New) TRY(place(i));
    }
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { New, Waiting, Placed };
  struct Frame {
    size_t node;
    std::vector<size_t> needs;
    size_t next = 0;
  };

  std::vector<size_t> needs_of(size_t node) const {
    const NodeDef& def = graph_.nodes[node];
    std::vector<std::string_view> reads(def.inputs.begin(), def.inputs.end());
    for (const AttributeDef& attribute : def.attributes) {
      if (attribute.graph) collect_captured(*attribute.graph, reads);
    }
    std::vector<size_t> needs;
    for (std::string_view name : reads) {
      auto at = producers_.find(name);
      if (at != producers_.end()) needs.push_back(at->second);
    }
    return needs;
  }

  // Depth first without recursion: the chain of nodes that wait for one another may be as long as the graph.
  Status place(size_t root) {
    stack_.push_back({root, needs_of(root)});
    state_[root] = State::Waiting;
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next == top.needs.size()) {
        state_[top.node] = State::Placed;
        order_.push_back(top.node);
        stack_.pop_back();
        continue;
      }
      size_t need = top.needs[top.next++];
      if (state_[need] == State::Waiting) return cycle(need);
      if (state_[need] == State::Placed) continue;
      state_[need] = State::Waiting;
      stack_.push_back({need, needs_of(need)});
    }
    return {};
  }

  // The nodes on the stack from `first` on each wait for the next, the last one for the first.
  std::unexpected<Error> cycle(size_t first) const {
    constexpr size_t kMostNames = 8;
    size_t from = 0;
    while (stack_[from].node != first) ++from;
    std::vector<std::string> names;
    for (size_t i = from; i < stack_.size(); ++i) names.push_back(describe(graph_.nodes[stack_[i].node]));
    // Along the flow of data: each computes what the next one reads.
    std::reverse(names.begin() + 1, names.end());
    size_t count = names.size();
    if (count > kMostNames) {
      names.resize(kMostNames);
      names.push_back("...");
    }
    auto error = fail(ErrorCode::InvalidModel,
                      count == 1 ? cat(names[0], " reads what it computes itself")
                                 : cat("the graph has a cycle of ", count, " nodes: ", join(names, " -> ")));
    error.error().node = graph_.nodes[first].name;
    return error;
  }

  const GraphDef& graph_;
  std::vector<State> state_;
  std::unordered_map<std::string_view, size_t> producers_;
  std::vector<Frame> stack_;
  std::vector<size_t> order_;
};

}  // namespace

Result<std::vector<size_t>> order_nodes(const GraphDef& graph) { return Sorter(graph).run(); }

}  // namespace fuselane
