// The nodes that a run goes through, up to where its values decide how it goes on.
//
// The tracer walks the nodes in order and learns of every value what can be known before it is computed: its
// type and shape, its elements where they follow from shapes and constants alone. Where it cannot go on
// without values that only a run gives (the condition of a branch, an operand that a shape depends on), the
// trace ends and asks for them; next() continues from there. So whoever plans the trace knows all of it
// beforehand.
#pragma once

#include <memory>
#include <vector>

#include "assemble/demand.h"
#include "assemble/facts.h"
#include "plan/plan.h"

namespace fuselane {

enum class EventKind : uint8_t {
  Compute,  // the node's results are to be made
  Fold,     // they are known
  Enter,    // the node is a branch that goes through `block`
  Leave,    // the results of `block` are those of the node
};

struct Event {
  EventKind kind;
  NodeId node;
  BlockId block;
};

struct Trace {
  std::vector<Event> events;
  Ending ending = Ending::Return;
  std::vector<ValueId> results;  // the model's outputs, or what is asked for
};

class Tracer {
 public:
  // The graph outlives the tracer.
  Tracer(const Graph& graph, std::shared_ptr<const Demand> demand)
      : graph_(&graph), demand_(std::move(demand)), frames_{{Graph::kMain}} {}

  // The first trace, or the one that follows when `values` are what the last one asked for, in its order.
  // Everything it goes through is defined in `facts` then, which already have the graph's inputs. Errors:
  // those of shape rules, with the node; unsupported-model for a shape that no value decides.
  Result<Trace> next(Facts& facts, std::vector<std::shared_ptr<const Tensor>> values);

 private:
  struct Frame {
    BlockId block;
    size_t position = 0;
  };
  enum class Progress : uint8_t { Stepped, NeedsValues };

  bool is_used(ValueId id) const { return id && demand_->uses[id.index] > 0; }
  Result<Progress> branch(Facts& facts, NodeId id);
  void finish_block(Facts& facts);
  Result<Progress> compute(Facts& facts, NodeId id);
  Result<Progress> ask_for(Facts& facts, const Node& node, uint64_t missing);

  const Graph* graph_;
  std::shared_ptr<const Demand> demand_;
  std::vector<Frame> frames_;
  std::vector<ValueId> asked_;
  Trace trace_;  // the one that is being made
};

}  // namespace fuselane
