// From a graph and the concrete shapes of its inputs to the segments of a plan.
//
// The assembler walks the nodes in order with what is known of every value: its type and shape, its elements
// where they follow from shapes and constants alone, its place in memory otherwise. Nodes whose results are
// known cost nothing at run time; the others become steps. Where it cannot go on without values that only a
// run gives (the condition of a branch, an operand that a shape depends on), the segment ends and asks for
// them; next() continues from there, so a copy taken at that point can be continued again for other values.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assemble/demand.h"
#include "graph/graph.h"
#include "plan/arena.h"
#include "plan/plan.h"

namespace fuselane {

class Assembler {
 public:
  // `feed_dims` fit the graph's inputs; `wanted` says which outputs are asked for. The graph must outlive the
  // assembler.
  Assembler(const Graph& graph, const std::vector<Dims>& feed_dims, std::vector<bool> wanted);

  // The first segment, or the one that follows when `values` are what the last segment asked for, in its
  // order. Errors: those of shape rules, with the node; unsupported-model for a shape that no value decides.
  Result<Segment> next(std::vector<std::shared_ptr<const Tensor>> values);

 private:
  using Known = std::shared_ptr<const Tensor>;

  // Memory that one or several values share (a reshaped tensor is the same memory).
  struct Place {
    Storage storage = Storage::Arena;
    uint32_t index = 0;
    uint32_t uses = 0;  // reads still to come
    Lifetime life;
  };
  using PlaceId = Id<Place>;

  struct ValueState {
    bool defined = false;
    DType dtype = DType::Float32;
    Dims dims;
    Known known;
    PlaceId place;
  };

  struct Frame {
    BlockId block;
    size_t position = 0;
  };

  enum class Progress : uint8_t { Stepped, NeedsValues };

  ValueState& state(ValueId id) { return values_[id.index]; }
  ValueState& resolve(ValueId id);
  Known known_of(ValueId id);
  Result<Progress> visit(NodeId id);
  Result<Progress> branch(NodeId id);
  Result<Progress> compute(NodeId id);
  Status fold(NodeId id, const std::vector<ValueType>& types);
  bool can_fold(const Node& node, const std::vector<ValueType>& types);
  void alias(const Node& node, Dims dims);
  void emit(NodeId id, const std::vector<ValueType>& types);
  Result<Progress> ask_for(const Node& node, uint64_t missing);
  Status finish_block();
  void drop_block(BlockId id);
  void consume(ValueId id);
  void consume_inputs(const Node& node);
  BufferId buffer_of(ValueId id);
  Result<Segment> close(Ending ending, const std::vector<ValueId>& results);

  const Graph* graph_;
  std::shared_ptr<const Demand> demand_;
  std::vector<bool> wanted_;
  std::vector<ValueState> values_;
  std::vector<Place> places_;
  std::vector<Frame> frames_;
  std::vector<ValueId> asked_;
  // Of the segment being made:
  Segment segment_;
  std::vector<BufferId> buffers_;       // by ValueId
  std::vector<PlaceId> buffer_places_;  // by BufferId
};

}  // namespace fuselane
