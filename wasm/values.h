// The core's values as plain JavaScript objects. int64 crosses as a double, which is exact below 2^53: far
// beyond what fits a heap of 4 GB.
#pragma once

#include <emscripten/val.h>

#include <vector>

#include "engine/engine.h"

namespace fuselane {

// {code, message, node?, subject?, offset?}
emscripten::val plain(const Error& error);
// {error: plain(error)}
emscripten::val failure(const Error& error);
// [{name, type, dims}]; an open dimension is its symbol's name or null, dims of an open rank null.
emscripten::val plain(const std::vector<Port>& ports);
// {type, dims, pointer, bytes}. Error: unsupported-model for strings, which have no bytes.
Result<emscripten::val> plain(const TensorView& view);
emscripten::val plain(const Report& report);
// [{node, operator, nodes: [{node, operator}], group?, kind, kernel, schedule?, bytesRead, bytesWritten,
// multiplyAdds, chunks, milliseconds?}]
emscripten::val plain(const std::vector<StepReport>& steps);

// An array of whole numbers in [0, 2^53]. Error: invalid-argument.
Result<Dims> dims_of(const emscripten::val& dims);

}  // namespace fuselane
