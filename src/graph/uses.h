// Who reads which value, and where nodes stand: a snapshot of a graph, which must not change while this is
// used.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace fuselane {

// A point in a block: before the node at `position`, or, at the number of nodes, where the results are read.
struct Place {
  BlockId block;
  size_t position = 0;
};

// One reading of a value: operand `index` of a node, or, where there is no node, result `index` of the block.
struct Use {
  ValueId value;
  NodeId node;
  Place place;
  size_t index = 0;
};

class Uses {
 public:
  explicit Uses(const Graph& graph);

  // In the order of the graph; those in blocks of a node come after its operands.
  std::span<const Use> of(ValueId value) const;
  // Where the node stands; nothing for a node that is in no block.
  std::optional<Place> place_of(NodeId node) const;
  // Whether the value may be read at this place: a constant, or an input or result that is defined before it
  // in the same block or in one around it.
  bool is_defined_at(ValueId value, Place place) const;
  // The position in `block` of the node that `place` lies in, or of the place itself; nothing when it lies
  // outside.
  std::optional<size_t> position_within(BlockId block, Place place) const;

 private:
  void walk(BlockId block);

  const Graph& graph_;
  std::vector<Use> uses_;          // ordered by value
  std::vector<size_t> first_;      // of each value and one more: where its own begin
  std::vector<Place> places_;      // of each node; no block while it is in none
  std::vector<BlockId> input_of_;  // of each value: the block that it is an input of
};

}  // namespace fuselane
