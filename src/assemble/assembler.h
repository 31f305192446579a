// From a graph and the concrete shapes of its inputs to the segments of a plan.
//
// The tracer says which nodes come, up to where their values decide how it goes on, and what is known of
// every value. The assembler makes steps of them: calls of kernels where a planner takes the nodes, of
// references otherwise. What is known costs nothing at run time. The segment ends where the trace ends;
// next() continues from there, so a copy taken at that point can be continued again for other values.
#pragma once

#include <memory>
#include <vector>

#include "assemble/expression.h"
#include "assemble/site.h"
#include "assemble/trace.h"
#include "graph/graph.h"
#include "plan/plan.h"

namespace fuselane {

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
  // A value that is made as part of its reader's step, or before it.
  struct Waiting {
    ValueId value;
    NodeId node;
    std::optional<Expression> expression;  // with what waits for it; none for a product
    std::vector<NodeId> reshapes;          // of the product, the last of which gives the value
  };

  // assembler.cc
  Planning planning() { return {*graph_, builder_, *packs_, options_, winograd_.get()}; }
  const Fact& fact(ValueId id) { return builder_.facts()[id]; }
  void enter(NodeId branch, BlockId taken);
  void leave_block(NodeId branch, BlockId block);
  void drop_block(BlockId id);
  Status place_results(NodeId id);
  Status plan_node(Site& site);

  // destinations.cc
  void direct_values(const Trace& trace);
  void direct_parts(NodeId concat, const std::vector<bool>& is_made);
  void direct_permuted(NodeId transpose, const std::vector<bool>& is_made);

  // groups.cc
  const Waiting* waiting(ValueId id) const;
  Waiting take(const Waiting* waiting);
  bool may_wait(const Node& node);
  bool goes_on(ValueId id) const;
  bool wait_reshaped(NodeId id);
  Result<bool> wait(NodeId id);
  Result<std::optional<Expression>> expression_of_group(NodeId id);
  Status make(ValueId id);
  Status plan_alone(NodeId id);
  Result<bool> plan_group(const Expression& expression, NodeId last);
  Result<bool> plan_product_group(const Expression& expression, ValueId product, NodeId last);
  Group group_of(const Expression& expression, NodeId last) const;
  void leave(NodeId id);
  void settle(const std::vector<ValueId>& results, NodeId node);

  const Graph* graph_;
  PackStore* packs_;
  AssembleOptions options_;
  std::shared_ptr<const Demand> demand_;
  std::shared_ptr<const std::vector<uint8_t>> winograd_;  // by NodeId; null where it is switched off
  std::vector<bool> wanted_;
  Tracer tracer_;
  SegmentBuilder builder_;
  std::vector<Waiting> waiting_;
};

}  // namespace fuselane
