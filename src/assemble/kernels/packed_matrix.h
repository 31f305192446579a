// Constant matrices packed for products.
#pragma once

#include "assemble/site.h"
#include "library/matmul.h"

namespace fuselane {

// Where in the constant operands of a node they lie: `matrices` of them one after another, each [depth]
// [columns], or [columns][depth] if transposed; and a bias for each column, shared by all.
struct ConstantMatrix {
  size_t input;
  uint64_t first = 0;  // elements of the operand before them
  std::optional<size_t> bias = std::nullopt;
  uint64_t bias_first = 0;
  uint32_t matrices = 1;
  uint32_t columns;
  uint32_t depth;
  bool transposed;

  // How their elements are read and where they go; addresses are null.
  PackArgs pack_args() const;
};

// A constant of any size is read in stretches of kPartBytes.
Result<BufferId> pack_constant(Site& site, const ConstantMatrix& matrix);

}  // namespace fuselane
