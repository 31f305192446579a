// A segment as text: buffers, steps, ending. A step that does not need the one before it is marked with a
// bar.
#pragma once

#include <functional>
#include <string>

#include "plan/plan.h"

namespace fuselane {

// `name_of_step` says what a step calls, such as "Conv node 'conv1'" with the kernel's name.
std::string print(const Segment& segment, const std::function<std::string(const Step&)>& name_of_step);

}  // namespace fuselane
