// What is known of the values of a graph while a plan is made for it: types and concrete shapes, and their
// elements where they follow from shapes and constants, or were read from a run.
#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"

namespace fuselane {

struct Fact {
  bool defined = false;
  DType dtype = DType::Float32;
  Dims dims;
  std::shared_ptr<const Tensor> known;
};

class Facts {
 public:
  // Results of at most this many elements are computed while planning where all operands are known: the
  // arithmetic on shapes that exporters write, not a network's own.
  static constexpr int64_t kMostFolded = 4096;

  // The graph outlives the facts.
  explicit Facts(const Graph& graph) : graph_(&graph), facts_(graph.value_count()) {}

  // Constants enter when they are first asked for.
  const Fact& operator[](ValueId id);
  const Tensor* known(ValueId id) { return id ? (*this)[id].known.get() : nullptr; }

  void define(ValueId id, DType dtype, Dims dims, std::shared_ptr<const Tensor> known = nullptr) {
    facts_[id.index] = {.defined = true, .dtype = dtype, .dims = std::move(dims), .known = std::move(known)};
  }
  void learn(ValueId id, std::shared_ptr<const Tensor> elements) {
    facts_[id.index].known = std::move(elements);
  }
  // What holds of `from` holds of `to`.
  void copy(ValueId from, ValueId to) { facts_[to.index] = (*this)[from]; }

 private:
  const Graph* graph_;
  std::vector<Fact> facts_;  // by ValueId
};

}  // namespace fuselane
