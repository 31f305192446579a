// How every kernel is called, library or generated: a plain struct of arguments and a range of its parallel
// loop.
//
// Ranges of one call may run on different threads in any order; together they cover [0, extent) once. A
// kernel writes only what its range stands for, allocates nothing, and reads its arguments only. It returns
// kDone, or kBadData when values (an index) are not allowed; then the operator's reference is asked what is
// wrong.
//
// Loops over elements are functions of their own that are not inlined, called for each row or tile: V8
// replaces baseline code by optimized code between calls only, so that a kernel that is one long call would
// stay slow for the whole of its first run.
#pragma once

#include <cstdint>

namespace fuselane {

inline constexpr uint32_t kDone = 0;
inline constexpr uint32_t kBadData = 1;

using Kernel = uint32_t (*)(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
