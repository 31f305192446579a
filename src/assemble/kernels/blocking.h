// How a product is cut into the iterations of its parallel loop.
#pragma once

#include <algorithm>
#include <cstdint>

#include "library/product_tile.h"

namespace fuselane {

struct Blocking {
  uint32_t rows;    // in a block: a multiple of kTileRows
  uint32_t panels;  // in a column group
};

// A block's rows of A, which every panel passes over again, take at most 512 kB, a share of the second-level
// cache: of 128, 256, 384 and 512 kB the last was the fastest for the products of resnet50 and vit_tiny16 (an
// AMD EPYC with 1 MB, Chromium 156), and more was slower again. The panels, which lie further away, pass once
// for each block. With several threads there are at least 4 iterations for each, so that a slow one does not
// hold up the rest. Blocks are as even as multiples of the library's tile can be, whose last bits depend on
// how many rows it has: so they do not depend on the threads. Without `tiling` each row is a block of its own
// and all panels are one group.
inline Blocking block_product(uint64_t rows, uint32_t panels, uint64_t depth, uint32_t threads, bool tiling) {
  if (!tiling) return {1, std::max(panels, 1u)};
  constexpr uint64_t kBlockFloats = 128 * 1024, kLeastRows = 24;
  rows = std::max<uint64_t>(rows, 1);
  uint64_t most = std::max(kBlockFloats / std::max<uint64_t>(depth, 1), kLeastRows);
  uint64_t wanted = threads == 1 ? 1 : uint64_t{threads} * 4;
  uint64_t blocks =
      std::max((rows + most - 1) / most, std::min(wanted, (rows + kLeastRows - 1) / kLeastRows));
  uint64_t block = ((rows + blocks - 1) / blocks + kTileRows - 1) / kTileRows * kTileRows;
  blocks = (rows + block - 1) / block;
  uint64_t groups = std::clamp<uint64_t>((wanted + blocks - 1) / blocks, 1, std::max(panels, 1u));
  return {static_cast<uint32_t>(block), static_cast<uint32_t>((panels + groups - 1) / groups)};
}

}  // namespace fuselane
