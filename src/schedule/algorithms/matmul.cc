// A matrix product over a packed right operand: loops b, i, j, and k, which sums up.
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

namespace {

// Columns of a panel, which are packed together (library/product_tile.h).
constexpr int64_t kPanel = 8;

}  // namespace

Kernel plain_matmul(const MatMulTask& task) {
  Kernel kernel;
  kernel.name = "matmul";
  Index batches = kernel.size("batches");
  Index rows = kernel.size("rows");
  Index depth = kernel.size("depth");
  Index whole_panels = kernel.size("whole_panels");
  Index a_batch = kernel.size("a_batch");
  Index a_row = kernel.size("a_row");
  Index w_batch = kernel.size("w_batch");
  Index c_batch = kernel.size("c_batch");
  Index c_row = kernel.size("c_row");
  Buffer description;
  description.name = "a";
  description.strides = {a_batch, a_row, 1};
  BufferId a = kernel.buffer(description);
  description.name = "w";
  description.strides = {w_batch, Index(kPanel) * (depth + 1), kPanel, 1};
  description.padded = kPanel;
  BufferId w = kernel.buffer(description);
  description.name = "c";
  description.strides = {c_batch, c_row, 1};
  description.padded = 1;
  description.written = true;
  BufferId c = kernel.buffer(description);

  SymbolId b = kernel.variable("b");
  SymbolId j = kernel.variable("j");
  SymbolId k = kernel.variable("k");
  Nest nest;
  nest.name = "matmul";
  nest.loops.push_back({.symbol = b, .extent = batches});
  Index i = 0;
  if (!task.one_row) {
    SymbolId row = kernel.variable("i");
    nest.loops.push_back({.symbol = row, .extent = rows});
    i = row;
  }
  nest.loops.push_back({.symbol = j, .extent = Index(kPanel) * whole_panels + Index(task.columns_tail)});
  nest.loops.push_back({.symbol = k, .kind = LoopKind::Reduce, .extent = depth});
  Index panel = kernel.quotient(j, kPanel);
  Index column = kernel.remainder(j, kPanel);
  nest.init = kernel.load(w, {b, panel, 0, column});
  nest.term = kernel.apply(Operation::Mul, kernel.load(a, {b, i, k}),
                           kernel.load(w, {b, panel, Index(k) + 1, column}));
  nest.stores.push_back({c, {b, i, j}, activate(kernel, task.activation, kernel.result())});
  kernel.nests.push_back(std::move(nest));
  return kernel;
}

}  // namespace fuselane
