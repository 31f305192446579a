// How every kernel is called, library or generated: a plain struct of arguments and a range of its parallel
// loop.
//
// Ranges of one call may run on different threads in any order; together they cover [0, extent) once. A
// kernel writes only what its range stands for, allocates nothing, and reads its arguments only. It returns
// kDone, or kBadData when values (an index) are not allowed; then the operator's reference is asked what is
// wrong.
#pragma once

#include <cstdint>

namespace fuselane {

inline constexpr uint32_t kDone = 0;
inline constexpr uint32_t kBadData = 1;

using Kernel = uint32_t (*)(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
