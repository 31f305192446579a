// Rules that look at a node and what is around it, applied all over a graph.
#pragma once

#include <memory>

#include "graph/patch.h"
#include "graph/uses.h"
#include "optimize/passes.h"

namespace fuselane {

// What a rule may ask. It describes the graph as it is now.
class RewriteSite {
 public:
  RewriteSite(const Graph& g, const Uses& u, PassContext& c) : graph(g), uses(u), context(c) {}

  const Graph& graph;
  const Uses& uses;
  PassContext& context;

  // The node that computes the value, where `reader`, in the same block, is all that reads it: the two may
  // become one. Null when there is none. (A result of a block has a reader that is no node.)
  const Node* sole_producer(ValueId value, NodeId reader) const;
  // Whether these nodes, and nothing else, read the value, all in the block of the first.
  bool is_read_only_by(ValueId value, std::span<const NodeId> readers) const;
  // Whether only nodes among these read what all save the first compute, and nothing else: they may become
  // one node in the place of the first.
  bool may_become_one(std::span<const NodeId> nodes) const;
  // The elements of a constant, read from its file where they are not in memory; null for what is no
  // constant, larger than the limits allow, or in no file at hand.
  Result<std::shared_ptr<const Tensor>> elements(ValueId value) const;
};

// Looks at one node. Returns the change, or nothing where it does not apply. An internal-error, which is what
// a patch answers when a shape rule refuses a new node, means the same: in a branch that is never taken types
// may contradict each other.
using Rule = Result<std::optional<Patch>> (*)(const RewriteSite& site, NodeId node);

// Tries the rule at every node, new ones included, and applies what it returns. Returns how often.
Result<size_t> rewrite(Graph& graph, PassContext& context, Rule rule);

}  // namespace fuselane
