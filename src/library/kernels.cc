#include "library/kernels.h"

#include "library/arg_max.h"
#include "library/cast.h"
#include "library/conv.h"
#include "library/conv_transpose.h"
#include "library/copy.h"
#include "library/elementwise.h"
#include "library/gather.h"
#include "library/layer_norm.h"
#include "library/matmul.h"
#include "library/pool.h"
#include "library/recurrent.h"
#include "library/resize.h"
#include "library/softmax.h"
#include "library/winograd.h"

namespace fuselane {

Kernel function_of(KernelId id) {
  switch (id) {
#define KERNEL(id, function) \
  case KernelId::id:         \
    return function;
#include "library/kernels.def"
#undef KERNEL
  }
  return nullptr;
}

std::string_view name_of(KernelId id) {
  switch (id) {
#define KERNEL(id, function) \
  case KernelId::id:         \
    return #function;
#include "library/kernels.def"
#undef KERNEL
  }
  return {};
}

}  // namespace fuselane
