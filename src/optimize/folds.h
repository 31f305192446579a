// Values found to be constant, put into the graph together.
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"

namespace fuselane {

class Folds {
 public:
  explicit Folds(const Graph& graph) : graph_(graph), tensors_(graph.value_count()) {}

  // The value is computed by a node, and always has these elements.
  void add(ValueId value, Tensor tensor) {
    tensors_[value.index] = std::make_unique<Tensor>(std::move(tensor));
  }
  // The elements of a value that was added, or of a constant in memory; null otherwise.
  const Tensor* find(ValueId value) const {
    return tensors_[value.index] ? tensors_[value.index].get() : graph_.known(value);
  }

  // Makes constants of those that a node reads which computes anything else, or a block gives, and takes out
  // the nodes that computed them. Returns how many.
  Result<size_t> apply(Graph& graph, std::string_view rule) &&;

 private:
  bool is_folded(NodeId node) const;

  const Graph& graph_;
  std::vector<std::unique_ptr<Tensor>> tensors_;  // of each value; null while it is not known
};

}  // namespace fuselane
