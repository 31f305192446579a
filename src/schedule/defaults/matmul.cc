#include "base/printer.h"
#include "schedule/defaults/product.h"
#include "schedule/families.h"

namespace fuselane {

std::string default_matmul(const loop::MatMulTask& task, const Target& target) {
  if (!task.one_row) return default_tiles("matmul", task.columns_tail, "b", "k0", target);
  // One row is two chains of additions, each waiting for the last: four partial sums keep the adder busy.
  return cat(default_columns("matmul", task.columns_tail, 4),
             "partial k1\n"
             "order b, jg, j0, k0, k1, j2, j3\n"
             "parallel b, jg\n"
             "call j0\n");
}

}  // namespace fuselane
