// How a product is cut into the iterations of its parallel loop.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fuselane {

struct Blocking {
  uint32_t rows;    // in a block: a multiple of the tile's, so that none but the last has tiles that are cut
  uint32_t panels;  // in a column group
};

// A block's rows of A, which every panel passes over again, take at most 128 kB, a share of the second-level
// cache. With several threads there are at least 4 iterations for each, so that a slow one does not hold up
// the rest.
inline constexpr uint32_t kRowsStep = 12;  // a multiple of the rows of all tiles: 4 and 6

inline Blocking block_product(uint64_t rows, uint32_t panels, uint64_t depth, uint32_t threads) {
  constexpr uint64_t kBlockFloats = 32 * 1024;
  uint64_t fitting =
      std::max<uint64_t>(kBlockFloats / std::max<uint64_t>(depth, 1) / kRowsStep, 1) * kRowsStep;
  uint64_t block = std::min(fitting, (rows + kRowsStep - 1) / kRowsStep * kRowsStep);
  if (threads == 1) return {static_cast<uint32_t>(block), std::max(panels, 1u)};
  uint64_t wanted = uint64_t{threads} * 4;
  uint64_t even = (rows + wanted - 1) / wanted;
  block = std::min(block, std::max<uint64_t>((even + kRowsStep - 1) / kRowsStep, 4) * kRowsStep);
  uint64_t blocks = (rows + block - 1) / std::max<uint64_t>(block, 1);
  uint64_t groups =
      std::clamp<uint64_t>((wanted + blocks - 1) / std::max<uint64_t>(blocks, 1), 1, std::max(panels, 1u));
  return {static_cast<uint32_t>(block), static_cast<uint32_t>((panels + groups - 1) / groups)};
}

}  // namespace fuselane
