// From a graph and the concrete shapes of its inputs to the segments of a plan.
//
// The assembler walks the nodes in order with what is known of every value: its type and shape, its elements
// where they follow from shapes and constants alone, its places in memory otherwise. Nodes whose results are
// known cost nothing at run time; the others become steps, calls of library kernels where a kernel planner
// takes them and of references otherwise. Where it cannot go on without values that only a run gives (the
// condition of a branch, an operand that a shape depends on), the segment ends and asks for them; next()
// continues from there, so a copy taken at that point can be continued again for other values.
//
// Layout is a property of places, not of operators: a value may lie row-major, channels last, or both.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assemble/demand.h"
#include "assemble/expression.h"
#include "assemble/kernel_store.h"
#include "assemble/site.h"
#include "graph/graph.h"
#include "plan/arena.h"
#include "plan/plan.h"

namespace fuselane {

struct AssembleOptions {
  bool kernels = true;           // false: references only
  uint32_t threads = 1;          // that will walk the plan
  KernelStore* store = nullptr;  // outlives the assembler; without one no kernels are generated
  bool vertical = true;          // false: each node is a step of its own
  bool tiling = true;            // false: products are cut into no blocks, their tiles have one row
  bool layout = true;            // false: every result is laid row-major when it is there
};

class Assembler {
 public:
  // `feed_dims` fit the graph's inputs; `wanted` says which outputs are asked for. Graph and store outlive
  // the assembler.
  Assembler(const Graph& graph, PackStore& packs, const std::vector<Dims>& feed_dims,
            std::vector<bool> wanted, const AssembleOptions& options);

  // The first segment, or the one that follows when `values` are what the last segment asked for, in its
  // order. Errors: those of shape rules and of reading constants, with the node; unsupported-model for a
  // shape that no value decides.
  Result<Segment> next(std::vector<std::shared_ptr<const Tensor>> values);

 private:
  friend class Site;
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
    PlaceId places[2];    // by Layout
    BufferId buffers[2];  // of the segment being made, by Layout
  };

  struct Frame {
    BlockId block;
    size_t position = 0;
  };

  // A value that is made as part of its reader's step, or before it.
  struct Waiting {
    ValueId value;
    NodeId node;
    std::optional<Expression> expression;  // with what waits for it; none for a product
  };

  enum class Progress : uint8_t { Stepped, NeedsValues };

  // The walk (assembler.cc).
  ValueState& state(ValueId id) { return values_[id.index]; }
  ValueState& resolve(ValueId id);
  Known known_of(ValueId id) { return id ? resolve(id).known : nullptr; }
  bool is_used(ValueId id) const { return id && demand_->uses[id.index] > 0; }
  Result<Progress> visit(NodeId id);
  Result<Progress> branch(NodeId id);
  Result<Progress> compute(NodeId id);
  Result<Progress> ask_for(const Node& node, uint64_t missing);
  bool can_fold(const Node& node, const std::vector<ValueType>& types);
  Status fold(NodeId id, const std::vector<ValueType>& types);
  Status place_results(NodeId id, const std::vector<ValueType>& types);
  Status plan_node(Site& site);
  void call_reference(Site& site);
  void finish_block();
  void drop_block(BlockId id);

  // Groups (groups.cc).
  const Waiting* waiting(ValueId id) const;
  Waiting take(const Waiting* waiting);
  bool may_wait(const Node& node);
  Result<bool> wait(NodeId id, const std::vector<ValueType>& types);
  Result<std::optional<Expression>> expression_of_group(NodeId id, const std::vector<ValueType>& types);
  Status make(ValueId id);
  Status plan_alone(NodeId id, const std::vector<ValueType>& types);
  Result<bool> plan_group(const Expression& expression, NodeId last, const std::vector<ValueType>& types);
  Result<bool> plan_product_group(const Expression& expression, ValueId product, NodeId last,
                                  const std::vector<ValueType>& types);
  Group group_of(const Expression& expression, NodeId last) const;
  void leave(NodeId id);
  uint32_t group_number(const std::vector<NodeId>& nodes);
  uint64_t multiply_adds(NodeId id);

  // Memory (memory.cc).
  void consume(ValueId id);
  void consume_inputs(const Node& node);
  PlaceId add_place(Storage storage, uint32_t index, uint64_t bytes, uint32_t uses);
  void define(ValueId id, DType dtype, Dims dims);
  bool may_overwrite(std::span<const ValueId> reads, ValueId operand, ValueId result, Layout layout);
  void end_scratch();
  BufferId add_buffer(PlanBuffer buffer, PlaceId place);
  BufferId buffer_of(ValueId id, Layout layout);
  void lay(ValueId id, Layout layout, NodeId node);
  void settle(const std::vector<ValueId>& results, NodeId node);
  BufferId in_layout(ValueId id, Layout layout, NodeId node);
  void convert_layout(NodeId node, BufferId from, BufferId to);
  void emit(NodeId node, uint32_t group, uint32_t kernel, std::span<const uint8_t> args,
            std::span<const Slot> slots, std::vector<BufferId> reads, std::vector<BufferId> writes,
            uint32_t extent, uint32_t grain);
  // A value that lies both ways at one place has it once.
  template <class Visit>
  void for_each_place(const ValueState& value, Visit visit) {
    if (value.places[0]) visit(places_[value.places[0].index]);
    if (value.places[1] && value.places[1] != value.places[0]) visit(places_[value.places[1].index]);
  }
  Result<Segment> close(Ending ending, const std::vector<ValueId>& results);

  const Graph* graph_;
  PackStore* packs_;
  AssembleOptions options_;
  std::shared_ptr<const Demand> demand_;
  std::vector<bool> wanted_;
  std::vector<ValueState> values_;
  std::vector<uint32_t> uses_left_;  // by ValueId
  std::vector<Place> places_;
  std::vector<Frame> frames_;
  std::vector<ValueId> asked_;
  std::vector<Waiting> waiting_;
  // Of the segment being made:
  Segment segment_;
  std::vector<PlaceId> buffer_places_;  // by BufferId
  std::vector<PlaceId> scratch_;        // of the node being planned
};

}  // namespace fuselane
