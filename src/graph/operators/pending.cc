// Families not written yet. Each line goes when its family's file comes; then this file goes.
#include "graph/operators/operators.h"

namespace fuselane {

#define PENDING_SHAPE(name) \
  Status shape_of_##name(Inference& i) { return i.refuse("is not supported yet"); }
#define PENDING_REFERENCE(name)                                                                   \
  Status reference_##name(const ReferenceCall& call) {                                            \
    return fail(ErrorCode::UnsupportedModel, cat(describe(call.node), ": is not supported yet")); \
  }

PENDING_SHAPE(lstm)
PENDING_SHAPE(gru)

PENDING_REFERENCE(lstm)
PENDING_REFERENCE(gru)

}  // namespace fuselane
