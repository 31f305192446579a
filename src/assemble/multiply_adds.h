// How much arithmetic a node is.
#pragma once

#include "assemble/facts.h"

namespace fuselane {

// The multiply-adds of convolutions (as a direct one has them), matrix products and recurrent layers; 0 for
// all others.
uint64_t multiply_adds(const Node& node, Facts& facts);

}  // namespace fuselane
