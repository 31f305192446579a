#include "plan/arena.h"

#include <algorithm>
#include <vector>

#include "base/checked.h"

namespace fuselane {
namespace {

bool meet(const Lifetime& a, const Lifetime& b) { return a.first <= b.last && b.first <= a.last; }

// `placed` is ordered by offset.
uint64_t lowest_free(const Lifetime& wanted, std::span<const Lifetime* const> placed) {
  uint64_t offset = 0;
  for (const Lifetime* other : placed) {
    if (!meet(wanted, *other)) continue;
    if (offset + wanted.bytes <= other->offset) break;
    offset = std::max(offset, align_up(other->offset + other->bytes, kArenaAlignment));
  }
  return offset;
}

}  // namespace

uint64_t lay_out(std::span<Lifetime> lifetimes) {
  std::vector<const Lifetime*> placed;
  std::vector<Lifetime*> waiting;
  auto by_offset = [](const Lifetime* a, const Lifetime* b) { return a->offset < b->offset; };
  for (Lifetime& lifetime : lifetimes) {
    if (lifetime.bytes == 0) continue;
    if (lifetime.fixed) {
      placed.insert(std::upper_bound(placed.begin(), placed.end(), &lifetime, by_offset), &lifetime);
    } else {
      waiting.push_back(&lifetime);
    }
  }
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Lifetime* a, const Lifetime* b) { return a->bytes > b->bytes; });
  uint64_t peak = 0;
  for (Lifetime* lifetime : waiting) {
    lifetime->offset = lowest_free(*lifetime, placed);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), lifetime, by_offset), lifetime);
  }
  for (const Lifetime* lifetime : placed) peak = std::max(peak, lifetime->offset + lifetime->bytes);
  return align_up(peak, kArenaAlignment);
}

}  // namespace fuselane
