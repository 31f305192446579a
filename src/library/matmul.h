// Matrices packed for products, float32.
#pragma once

#include <cstdint>

#include "library/activation.h"
#include "library/kernel.h"
#include "library/product_tile.h"

namespace fuselane {

// Rows [first, first + depth) of the panels of a matrix with `all_rows` rows, from b[k][j] (element (first +
// k, j) at k * row_stride + j * column_stride); with row 0 come the biases. Columns past the last are zero,
// as are the biases where `bias` is null. The loop is over batches x panels.
struct PackArgs {
  const float* b = nullptr;
  const float* bias = nullptr;
  float* packed = nullptr;
  uint32_t columns;
  uint32_t depth;
  uint32_t first = 0;
  uint32_t all_rows;
  uint32_t row_stride;
  uint32_t column_stride;
  uint32_t b_batch;
  uint32_t packed_batch = 0;
};
uint32_t matmul_pack(const void* args, uint32_t begin, uint32_t end);

inline uint32_t panel_count(uint32_t columns) { return (columns + kPanelColumns - 1) / kPanelColumns; }
// Floats of a packed matrix with `columns` columns.
inline uint64_t packed_size(uint32_t columns, uint32_t positions, uint32_t depth) {
  return uint64_t{panel_count(columns)} * kPanelColumns * (1 + uint64_t{positions} * depth);
}

}  // namespace fuselane
