// Where the elements of a value lie: in which block of memory, and how far apart.
#pragma once

#include <optional>

#include "base/id.h"
#include "plan/arena.h"
#include "plan/plan.h"

namespace fuselane {

// A stretch of memory that one or several values share (a reshaped tensor is the same memory).
struct Region {
  Storage storage = Storage::Arena;
  uint32_t index = 0;
  uint32_t uses = 0;  // reads still to come, of all values in it
  Lifetime life;
};
using RegionId = Id<Region>;

struct Location {
  RegionId region;
  uint64_t offset = 0;  // bytes from where the region begins
  Dims strides;         // by dimension, in elements; none where the value lies dense in its layout
  bool operator==(const Location&) const = default;
};

// Strides by dimension, in elements, of a tensor that lies dense in `layout`.
Dims dense_strides(DimsView dims, Layout layout);

// Whether strides say the same: axes of one element take no step, however long that is.
bool same_strides(DimsView dims, DimsView a, DimsView b);

// The stride of neighbouring axes as one: 0 where they have one element together; nothing where no single
// stride walks all elements in their order.
std::optional<int64_t> joint_stride(DimsView dims, DimsView strides);

// Strides of the same elements in the same order under other dimensions; nothing where there are none.
std::optional<Dims> reshaped_strides(DimsView dims, DimsView strides, DimsView to);

}  // namespace fuselane
