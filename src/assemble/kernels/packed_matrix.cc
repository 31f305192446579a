#include "assemble/kernels/packed_matrix.h"

#include <cstddef>

#include "assemble/kernels/planners.h"

namespace fuselane {
namespace {

// The rows from pack.first and the columns from `column` on, as many as `pack` says, of matrix `index`; of
// all matrices where there is one part for all.
Packing::Part part_of(const Site& site, const ConstantMatrix& matrix, const PackArgs& pack, uint32_t index,
                      uint32_t column, uint32_t matrices) {
  uint64_t before =
      uint64_t{index} * pack.packed_batch + uint64_t{column / kPanelColumns} * panel_size(1, pack.all_rows);
  uint64_t first = matrix.first + uint64_t{index} * matrix.columns * matrix.depth +
                   uint64_t{pack.first} * pack.row_stride + uint64_t{column} * pack.column_stride;
  std::vector<Packing::Operand> operands = {
      {.at = offsetof(PackArgs, b),
       .constant = site.constant(matrix.input),
       .offset = first * sizeof(float),
       .bytes = uint64_t{matrices} * pack.depth * pack.columns * sizeof(float)}};
  if (matrix.bias) {
    operands.push_back({.at = offsetof(PackArgs, bias),
                        .constant = site.constant(*matrix.bias),
                        .offset = (matrix.bias_first + column) * sizeof(float),
                        .bytes = uint64_t{pack.columns} * sizeof(float)});
  }
  return packing_part(pack, std::move(operands), matrices * panel_count(pack.columns),
                      before * sizeof(float));
}

}  // namespace

PackArgs ConstantMatrix::pack_args() const {
  return {.columns = columns,
          .depth = depth,
          .all_rows = depth,
          .row_stride = transposed ? 1 : columns,
          .column_stride = transposed ? depth : 1,
          .b_batch = columns * depth,
          .packed_batch = static_cast<uint32_t>(packed_size(columns, 1, depth))};
}

Result<BufferId> pack_constant(Site& site, const ConstantMatrix& matrix) {
  PackArgs pack = matrix.pack_args();
  uint64_t bytes = uint64_t{pack.packed_batch} * matrix.matrices * sizeof(float);
  std::vector<Packing::Part> parts;
  if (bytes <= kPartBytes) {
    parts.push_back(part_of(site, matrix, pack, 0, 0, matrix.matrices));
  } else {
    // A stretch of the file is some rows, or some columns if transposed, in whole panels.
    uint32_t lines = matrix.transposed ? matrix.columns : matrix.depth;
    uint64_t line_bytes = (matrix.transposed ? matrix.depth : matrix.columns) * sizeof(float);
    uint32_t unit = matrix.transposed ? kPanelColumns : 1;
    auto step = static_cast<uint32_t>(std::max<uint64_t>(kPartBytes / line_bytes / unit, 1)) * unit;
    for (uint32_t index = 0; index < matrix.matrices; ++index) {
      for (uint32_t first = 0; first < lines; first += step) {
        PackArgs part = pack;
        (matrix.transposed ? part.columns : part.depth) = std::min(step, lines - first);
        part.first = matrix.transposed ? 0 : first;
        parts.push_back(part_of(site, matrix, part, index, matrix.transposed ? first : 0, 1));
      }
    }
  }
  return site.packed(packing_of(KernelId::MatMulPack, offsetof(PackArgs, packed), bytes, std::move(parts)));
}

}  // namespace fuselane
