// A model's constants in memory, by their index in the graph.
#pragma once

#include <memory>
#include <vector>

#include "graph/constants.h"

namespace fuselane {

class Weights {
 public:
  // Reads every constant that some node or output of the graph reads and that is not in memory yet.
  // Errors: those of read_constant, naming the constant.
  static Result<Weights> read(const Graph& graph, Sources sources);

  TensorView view(uint32_t constant) const {
    const auto& tensor = tensors_[constant];
    return tensor ? tensor->view() : TensorView();
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::vector<std::shared_ptr<const Tensor>> tensors_;
  int64_t bytes_ = 0;
};

}  // namespace fuselane
