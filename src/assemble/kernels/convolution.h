// Convolutions as their planners see them.
#pragma once

#include "assemble/kernels/planners.h"
#include "library/conv.h"

namespace fuselane {

struct Convolution {
  Window window;
  uint32_t features;
  uint32_t groups;
  uint32_t depth;  // channels of a group
};

// Whether it can be done with all of the group's steps: an addition of what is as large, an activation.
bool winograd_finishes(const Site& site);
// False where there is no kernel for the products. The site is one that it finishes.
Result<bool> plan_winograd(Site& site, const Convolution& c, uint32_t size);

}  // namespace fuselane
