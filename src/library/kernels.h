// The library's kernels by number and by name, from the table in kernels.def.
#pragma once

#include <cstdint>
#include <string_view>

#include "library/kernel.h"

namespace fuselane {

enum class KernelId : uint8_t {
#define KERNEL(id, function) id,
#include "library/kernels.def"
#undef KERNEL
};

// Numbers from here on are those of generated kernels.
inline constexpr uint32_t kLibraryKernels = 0
#define KERNEL(id, function) +1
#include "library/kernels.def"
#undef KERNEL
    ;

Kernel function_of(KernelId id);
std::string_view name_of(KernelId id);  // "matmul_pack"

}  // namespace fuselane
