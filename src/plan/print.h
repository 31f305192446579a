// A segment as text: buffers, steps, ending.
#pragma once

#include <functional>
#include <string>

#include "plan/plan.h"

namespace fuselane {

// `name_of_node` says what a step calls, such as "Conv node 'conv1'".
std::string print(const Segment& segment, const std::function<std::string(uint32_t)>& name_of_node);

}  // namespace fuselane
