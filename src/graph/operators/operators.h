// The shape rules and references that the rows of ops.def name; each family defines its own in a file of this
// folder. A name may serve several operators: the node says which one is meant.
#pragma once

#include "graph/inference.h"
#include "graph/ops.h"

namespace fuselane {

#define OP(id, in_least, in_most, out_least, out_most, rule, reference, attributes) \
  Status shape_of_##rule(Inference& inference);                                     \
  Status reference_##reference(const ReferenceCall& call);
#include "graph/ops.def"
#undef OP

}  // namespace fuselane
