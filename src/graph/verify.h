// What holds of a graph between passes. An error of a pass is our bug; of an importer, the model's.
#pragma once

#include "graph/graph.h"

namespace fuselane {

// Checks that ids are in range, every operand is in scope and defined before it is read, names are unique and
// not empty, operators have the operands, attributes (stated kinds, required ones) and blocks their row says,
// constants fit their types, and every recorded type agrees with what the shape rule derives. Code:
// invalid-model.
Status verify(const Graph& graph);

// Whether a value of type `actual` may stand where `expected` was promised: same kind and dtype, and no
// dimension (where both are known) that differs.
bool fits(const ValueType& expected, const ValueType& actual);

// What is known of a value that has both types, which fit each other: `type`, with what `other` adds.
ValueType refined(const ValueType& type, const ValueType& other);

}  // namespace fuselane
