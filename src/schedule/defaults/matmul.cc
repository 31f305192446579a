#include "base/printer.h"
#include "schedule/defaults/product.h"
#include "schedule/families.h"

namespace fuselane {
namespace {

// Panels that a product of one row reads side by side. It reads each weight once and is as fast as these
// come: several streams are fetched ahead at a time, and their sums are chains of additions that do not wait
// for each other. `npm run bench:sweep -- --family row`: four are 1.1 to 1.5 times as fast as one with four
// partial sums, six no faster, eight spill.
constexpr int64_t kPanels = 4;
constexpr int64_t kSteps = 2;

std::string one_row(const loop::MatMulTask& task, const Target& target) {
  // Scalars have no registers for more than one panel, whose chains partial sums cut.
  const bool is_scalar = target.simd == SimdLevel::None;
  const int64_t panels = is_scalar || !target.tiling ? 1 : kPanels;
  return cat(default_columns("matmul", task.columns_tail, is_scalar ? 4 : kSteps, panels),
             is_scalar ? "partial k1\n" : "unroll k1\n", panels == 1 ? "" : "unroll jn\n",
             "order b, jg, j0, k0, k1, ", panels == 1 ? "" : "jn, ",
             "j2, j3\n"
             "parallel b, jg\n"
             "call j0\n");
}

}  // namespace

std::string default_matmul(const loop::MatMulTask& task, const Target& target) {
  if (task.one_row) return one_row(task, target);
  return default_tiles("matmul", task.columns_tail, "b", "k0", target);
}

}  // namespace fuselane
