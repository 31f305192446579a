#include "schedule/defaults/product.h"

#include "base/printer.h"

namespace fuselane {
namespace {

// Rows of the tile, by what measured fastest (GFLOP/s of a peak of 54, Chromium 156): with multiply-add 6 (54
// to 56), apart 4 (50; 27 with 6, whose sums do not fit the registers). Scalars fill them with a row.
int64_t rows_of(const Target& target) {
  if (!target.tiling) return 1;
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
// to 2 hundredths faster (matmul_256, minilm_s128, mobilenet_v2 in Chromium 156).
int64_t steps_of(const Target& target) { return target.simd == SimdLevel::Relaxed ? 2 : 4; }

}  // namespace

std::string default_columns(std::string_view algorithm, uint8_t columns_tail, int64_t steps, int64_t panels) {
  const std::string side_by_side =
      cat("split jp group_panels rest as jg, jo\nsplit jo ", panels, " even as j0, jn\n");
  return cat("algorithm ", algorithm,
             "\n"
             "split j 8 ",
             columns_tail == 0 ? "exact" : "padded", " as jp, j1\n",
             panels == 1 ? "split jp group_panels rest as jg, j0\n" : std::string_view(side_by_side),
             "split j1 4 exact as j2, j3\n"
             "split k ",
             steps,
             " rest as k0, k1\n"
             "unroll j2\n"
             "vector j3\n");
}

std::string default_tiles(std::string_view algorithm, uint8_t columns_tail, std::string_view outer,
                          std::string_view sums, const Target& target) {
  return cat(default_columns(algorithm, columns_tail, steps_of(target)),
             "split i block_rows rest as ib, ii\n"
             "split ii ",
             rows_of(target),
             " even as i0, i1\n"
             "unroll i1, k1\n"
             "order ",
             outer, ", ib, jg, j0, i0, ", sums, ", k1, i1, j2, j3\n", "parallel ", outer,
             ", ib, jg\n"
             "call i0\n");
}

}  // namespace fuselane
