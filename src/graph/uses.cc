#include "graph/uses.h"

#include <numeric>

namespace fuselane {

// One is made for every patch, so that it must not cost more than a walk: uses are counted, then each goes
// where those of the values before it end.
Uses::Uses(const Graph& graph)
    : graph_(graph),
      first_(graph.value_count() + 1),
      places_(graph.node_count()),
      input_of_(graph.value_count()) {
  walk(Graph::kMain);
  for (const Use& use : uses_) ++first_[use.value.index + 1];
  std::inclusive_scan(first_.begin(), first_.end(), first_.begin());
  std::vector<size_t> next(first_.begin(), first_.end());
  std::vector<Use> ordered(uses_.size());
  for (const Use& use : uses_) ordered[next[use.value.index]++] = use;
  uses_ = std::move(ordered);
}

void Uses::walk(BlockId id) {
  const Block& block = graph_[id];
  for (ValueId input : block.inputs) input_of_[input.index] = id;
  for (size_t position = 0; position < block.nodes.size(); ++position) {
    NodeId node = block.nodes[position];
    Place place{id, position};
    places_[node.index] = place;
    const auto& inputs = graph_[node].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i]) uses_.push_back({inputs[i], node, place, i});
    }
    for (BlockId inner : graph_[node].blocks) walk(inner);
  }
  for (size_t i = 0; i < block.outputs.size(); ++i) {
    uses_.push_back({block.outputs[i], NodeId(), {id, block.nodes.size()}, i});
  }
}

std::span<const Use> Uses::of(ValueId value) const {
  return std::span(uses_).subspan(first_[value.index], first_[value.index + 1] - first_[value.index]);
}

std::optional<Place> Uses::place_of(NodeId node) const {
  if (!node || node.index >= places_.size() || !places_[node.index].block) return std::nullopt;
  return places_[node.index];
}

std::optional<size_t> Uses::position_within(BlockId block, Place place) const {
  while (place.block != block) {
    auto owner = place_of(graph_[place.block].owner);
    if (!owner) return std::nullopt;
    place = *owner;
  }
  return place.position;
}

bool Uses::is_defined_at(ValueId value, Place place) const {
  if (graph_[value].constant) return true;
  if (BlockId block = input_of_[value.index]) return position_within(block, place).has_value();
  auto definition = place_of(graph_[value].producer);
  if (!definition) return false;
  auto position = position_within(definition->block, place);
  return position && *position > definition->position;
}

}  // namespace fuselane
