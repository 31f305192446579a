// What the shape rules of Conv and ConvTranspose check alike.
#pragma once

#include "graph/inference.h"

namespace fuselane {

struct ConvOperands {
  DimVector x;  // [N, C, spatial extents], of one rank with the weights
  DimVector w;
  Dim bias;  // how many elements it has; unknown without one
  int64_t group = 1;

  std::span<const Dim> spatial() const { return std::span(x).subspan(2); }
  std::span<const Dim> kernel() const { return std::span(w).subspan(2); }
};

// Nothing when neither operand's rank is known. Errors: types, ranks and `group` that are not allowed.
Result<std::optional<ConvOperands>> conv_operands(const Inference& i);

}  // namespace fuselane
