// What assembly may do.
#pragma once

#include <cstdint>

#include "assemble/kernel_store.h"

namespace fuselane {

struct AssembleOptions {
  bool kernels = true;           // false: references only
  uint32_t threads = 1;          // that will walk the plan
  KernelStore* store = nullptr;  // outlives the assembler; without one no kernels are generated
  bool vertical = true;          // false: each node is a step of its own
  bool horizontal = true;        // false: parts of values are copied out of them, and into them
  bool tiling = true;            // false: products are cut into no blocks, their tiles have one row
  bool layout = true;            // false: every result is laid row-major when it is there
  bool winograd = true;          // false: all convolutions are direct
  bool relaxed = true;           // false: kernels use no relaxed SIMD, whose sums may be rounded less often
  double memory = 2;             // times the constants' bytes that packed weights may take
};

}  // namespace fuselane
