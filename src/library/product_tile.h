// The register tile under matrix products and convolutions: up to 4 rows by 8 columns of
//
//   c[r][j] = activation(bias[j] + sum over positions p, depth d of rows[p][r][d] * weights[p][d][j])
//
// 4 by 8 is 8 accumulators, 2 vectors of weights and one of a row's element: 11 live vectors, under the 15
// from which V8 spills; with multiply and add apart it was the fastest tile in Chromium 156 and Node 20 (50
// and 42-50 GFLOP/s of 54).
#pragma once

#include <cstdint>

#include "library/activation.h"

namespace fuselane {

inline constexpr uint32_t kTileRows = 4;
inline constexpr uint32_t kPanelColumns = 8;

// What the tiles of one call have in common. A panel of packed weights is its 8 biases, then
// [positions][depth][8].
struct TileShape {
  uint32_t positions;
  uint32_t depth;
  Activation activation;
};

// Floats in a panel.
inline uint32_t panel_size(uint32_t positions, uint32_t depth) {
  return kPanelColumns * (1 + positions * depth);
}

// `rows` is [positions][4], of which the first `row_count` of each position are read; `columns` (1 to 8) are
// stored at c, the rows `c_stride` floats apart.
void product_tile(const TileShape& shape, uint32_t row_count, const float* const* rows, const float* panel,
                  float* c, uint32_t c_stride, uint32_t columns);

}  // namespace fuselane
