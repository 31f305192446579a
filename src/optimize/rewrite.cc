#include "optimize/rewrite.h"

#include <algorithm>

#include "optimize/nodes.h"

namespace fuselane {

bool RewriteSite::is_read_only_by(ValueId value, std::span<const NodeId> readers) const {
  auto block = uses.place_of(readers[0]);
  return block && std::ranges::all_of(uses.of(value), [&](const Use& use) {
           return use.node && use.place.block == block->block && std::ranges::contains(readers, use.node);
         });
}

bool RewriteSite::may_become_one(std::span<const NodeId> nodes) const {
  return std::ranges::all_of(nodes.subspan(1), [&](NodeId id) {
    return graph[id].outputs.size() == 1 && is_read_only_by(graph[id].outputs[0], nodes);
  });
}

const Node* RewriteSite::sole_producer(ValueId value, NodeId reader) const {
  if (!value || uses.of(value).size() != 1 || !is_read_only_by(value, std::span(&reader, 1))) return nullptr;
  NodeId producer = graph[value].producer;
  auto made = uses.place_of(producer);
  if (!made || made->block != uses.place_of(reader)->block) return nullptr;
  return &graph[producer];
}

Result<std::shared_ptr<const Tensor>> RewriteSite::elements(ValueId value) const {
  std::shared_ptr<const Tensor> none;
  const Constant* constant = value ? graph.constant_of(value) : nullptr;
  if (!constant) return none;
  if (constant->data) return constant->data;
  auto bytes = bytes_of(graph[value].type);
  if (!bytes || *bytes > context.limits.value_bytes) return none;
  if (constant->source >= context.sources.size() || !context.sources[constant->source]) return none;
  return std::make_shared<const Tensor>(TRY(read_constant(*constant, context.sources)));
}

Result<size_t> rewrite(Graph& graph, PassContext& context, Rule rule) {
  std::vector<NodeId> pending = nodes_in_order(graph);
  std::ranges::reverse(pending);
  // Every rule makes less of what it replaces; the bound is for a mistake in one.
  size_t most = 4 * pending.size() + 16;
  size_t count = 0;
  auto uses = std::make_unique<Uses>(graph);
  while (!pending.empty() && count < most) {
    NodeId node = pending.back();
    pending.pop_back();
    if (!uses->place_of(node)) continue;
    auto patch = rule(RewriteSite(graph, *uses, context), node);
    if (!patch && patch.error().code == ErrorCode::InternalError) continue;
    if (!patch) return std::unexpected(std::move(patch.error()));
    if (!*patch) continue;
    size_t first_new = graph.node_count();
    TRY(std::move(**patch).apply(graph));
    uses = std::make_unique<Uses>(graph);
    for (size_t i = graph.node_count(); i-- > first_new;) pending.emplace_back(i);
    ++count;
  }
  return count;
}

}  // namespace fuselane
