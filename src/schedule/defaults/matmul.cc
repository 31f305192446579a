// Products: a register tile of rows by 8 columns, blocks of rows that stay in the cache while a group of
// panels passes over them.
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

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

}  // namespace

Schedule default_matmul(const MatMulTask& task, const Target& target) {
  std::vector<Move> moves = {
      split("j", 8, task.columns_tail == 0 ? Tail::Exact : Tail::Padded, "jp", "j1"),
      split("jp", "group_panels", Tail::Rest, "jg", "j0"),
      split("j1", kLanes, Tail::Exact, "j2", "j3"),
      split("k", 4, Tail::Rest, "k0", "k1"),
  };
  if (task.one_row) {
    // One row is two chains of additions, each waiting for the last: partial sums keep the adder busy.
    moves.push_back(mark(Mark::Partial, {"k1"}));
    moves.push_back(mark(Mark::Unroll, {"j2"}));
    moves.push_back(mark(Mark::Vector, {"j3"}));
    moves.push_back(order({"b", "jg", "j0", "k0", "k1", "j2", "j3"}));
    moves.push_back(mark(Mark::Parallel, {"b", "jg"}));
    moves.push_back(mark(Mark::Call, {"j0"}));
    return {"matmul", std::move(moves)};
  }
  moves.push_back(split("i", "block_rows", Tail::Rest, "ib", "ii"));
  moves.push_back(split("ii", rows_of(target), Tail::Even, "i0", "i1"));
  moves.push_back(mark(Mark::Unroll, {"i1", "j2", "k1"}));
  moves.push_back(mark(Mark::Vector, {"j3"}));
  moves.push_back(order({"b", "ib", "jg", "j0", "i0", "k0", "k1", "i1", "j2", "j3"}));
  moves.push_back(mark(Mark::Parallel, {"b", "ib", "jg"}));
  moves.push_back(mark(Mark::Call, {"i0"}));
  return {"matmul", std::move(moves)};
}

}  // namespace fuselane
