// What the plain nests of products have in common: each row of a times the columns of a packed matrix.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "loop/kernel.h"
#include "loop/task.h"

namespace fuselane {

// a, w, the operands and c, in their order.
struct ProductBuffers {
  loop::BufferId a, w;
  std::vector<loop::BufferId> operands;
  loop::BufferId c;
};

// `matrix` is from one matrix of w to the next, `depth` its rows. Operands and c have a size argument for the
// stride along each dimension of `outer`, and along rows.
ProductBuffers product_buffers(loop::Kernel& kernel, std::vector<loop::Index> a_strides,
                               const loop::Index& matrix, const loop::Index& depth,
                               std::span<const std::string_view> outer, std::span<const uint8_t> strides);

// Where the elements are that a term and a result need.
struct ProductPlaces {
  std::vector<loop::Index> a;
  loop::Index matrix, k;           // of w
  std::vector<loop::Index> outer;  // of operands and c, and the row
  loop::Index j;
};

// What is computed in the nest's loops.
void add_product(loop::Kernel& kernel, loop::Nest nest, const ProductBuffers& buffers,
                 const ProductPlaces& places, std::span<const uint8_t> strides,
                 std::span<const loop::Step> finish);

// Columns of w.
loop::Index product_columns(const loop::Index& whole_panels, uint8_t tail);

}  // namespace fuselane
