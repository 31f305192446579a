// What is known of the integers that a graph computes with: lists (rank 1) and single ones (rank 0) of at
// most 64 elements, each a number, a formula of dimensions, or unknown.
#pragma once

#include "optimize/folds.h"
#include "optimize/symbolic.h"

namespace fuselane {

using IntegerList = std::vector<MaybeInt>;

class KnownIntegers {
 public:
  KnownIntegers(const Graph& graph, Folds& folds) : graph_(graph), folds_(folds), atoms_(graph) {
    lists_.resize(graph.value_count());
  }

  // Derives the node's results from what is known of its operands; the types of all of them are recorded
  // before. Results that are numbers throughout are added to the folds.
  Status visit(const Node& node);

  // As many elements as the value has, unknown ones where nothing is known; nothing for a value that is no
  // integer, or of another rank, or longer.
  std::optional<IntegerList> find(ValueId value) const;
  // Its only element.
  MaybeInt find_scalar(ValueId value) const;

  Atoms& atoms() { return atoms_; }

 private:
  std::optional<IntegerList> results_of_arithmetic(const Node& node) const;
  Status move_elements(const Node& node);
  Result<std::optional<Tensor>> constant_operand(ValueId value) const;
  Status record(ValueId value, IntegerList list);

  const Graph& graph_;
  Folds& folds_;
  Atoms atoms_;
  std::vector<std::optional<IntegerList>> lists_;  // of each value
};

}  // namespace fuselane
