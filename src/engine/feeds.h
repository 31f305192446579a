// Checking what a caller gives against what the model asks for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace fuselane {

// The name among `names` with the fewest edits to `wanted`, if that is at most a third of its length; else
// empty.
std::string nearest_name(std::string_view wanted, std::span<const Port> ports);

// "float32[1,3,?,width]" or "float32 of any shape"
std::string text_of(const Port& port);

// Puts the feeds' views into `matched`, in the order of `inputs`. Every input must be there once, of its type
// and of a shape that fits; a symbol means the same extent everywhere. Errors: invalid-input, with the input
// as subject.
Status match_feeds(std::span<const Port> inputs, const std::vector<Feed>& feeds,
                   const std::vector<TensorView>& views, std::vector<TensorView>& matched);

// Marks the outputs that are wanted; all if none is named. Errors: invalid-argument.
Status match_outputs(std::span<const Port> outputs, const std::vector<std::string>& names,
                     std::vector<bool>& wanted);

}  // namespace fuselane
