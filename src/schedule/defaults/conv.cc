// As products, with windows in the place of rows.
#include "schedule/defaults/product.h"
#include "schedule/families.h"

namespace fuselane {

std::string default_conv(const loop::ConvTask& task, const Target& target) {
  return default_tiles("conv", task.columns_tail, "b, g", "ky, kx, k0", target);
}

}  // namespace fuselane
