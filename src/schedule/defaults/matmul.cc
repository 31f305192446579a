// Products: a register tile of rows by 8 columns, blocks of rows that stay in the cache while a group of
// panels passes over them.
#include "base/printer.h"
#include "schedule/families.h"

namespace fuselane {
namespace {

// Rows of the tile, by what measured fastest (GFLOP/s of a peak of 54, Chromium 156): with multiply-add 6 (54
// to 56), apart 4 (50; 27 with 6, whose sums do not fit the registers). Scalars fill them with a row.
int64_t rows_of(const Target& target) {
  switch (target.simd) {
    case SimdLevel::None:
      return 1;
    case SimdLevel::Baseline:
      return 4;
    case SimdLevel::Relaxed:
      return 6;
  }
}

// Steps of k that are written out. With multiply-add two are as fast as four, in less code; apart, four are 1
// to 2 hundredths faster (matmul_256, minilm_s128, mobilenet_v2 in Chromium 156). One row is two chains of
// additions, each waiting for the last: four partial sums keep the adder busy.
int64_t steps_of(const loop::MatMulTask& task, const Target& target) {
  return target.simd == SimdLevel::Relaxed && !task.one_row ? 2 : 4;
}

}  // namespace

std::string default_matmul(const loop::MatMulTask& task, const Target& target) {
  std::string columns =
      cat("algorithm matmul\n"
          "split j 8 ",
          task.columns_tail == 0 ? "exact" : "padded",
          " as jp, j1\n"
          "split jp group_panels rest as jg, j0\n"
          "split j1 4 exact as j2, j3\n"
          "split k ",
          steps_of(task, target),
          " rest as k0, k1\n"
          "unroll j2\n"
          "vector j3\n");
  if (task.one_row) {
    return cat(columns,
               "partial k1\n"
               "order b, jg, j0, k0, k1, j2, j3\n"
               "parallel b, jg\n"
               "call j0\n");
  }
  return cat(columns,
             "split i block_rows rest as ib, ii\n"
             "split ii ",
             rows_of(target),
             " even as i0, i1\n"
             "unroll i1, k1\n"
             "order b, ib, jg, j0, i0, k0, k1, i1, j2, j3\n"
             "parallel b, ib, jg\n"
             "call i0\n");
}

}  // namespace fuselane
