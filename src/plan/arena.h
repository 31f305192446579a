// Where in one block of memory values lie that live at different times.
#pragma once

#include <cstdint>
#include <span>

namespace fuselane {

// Bytes that are in use from step `first` to step `last`, both included.
struct Lifetime {
  uint64_t bytes = 0;
  uint32_t first = 0;
  uint32_t last = 0;
  uint64_t offset = 0;
  bool fixed = false;  // it has its offset already
};

inline constexpr uint64_t kArenaAlignment = 64;  // a cache line

// Gives every lifetime that is not fixed an offset, a multiple of kArenaAlignment, so that no two that
// overlap in time overlap in space. Returns the bytes the block needs. Largest first, each at the lowest
// offset that is free: within a few percent of the largest sum alive at one time on the networks we looked
// at.
uint64_t lay_out(std::span<Lifetime> lifetimes);

}  // namespace fuselane
