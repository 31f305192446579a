// A matrix product over a packed right operand: loops b, i, j, and k, which sums up.
#include "base/printer.h"
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
  Buffer description;
  description.name = "a";
  description.strides = {a_batch, a_row, 1};
  BufferId a = kernel.buffer(description);
  description.name = "w";
  description.strides = {w_batch, Index(kPanel) * (depth + 1), kPanel, 1};
  description.padded = kPanel;
  BufferId w = kernel.buffer(description);
  description.padded = 1;
  // Strides are arguments in the order of the buffers.
  auto rows_of = [&](const std::string& name, bool has_columns) {
    description.name = name;
    description.strides = {kernel.size(cat(name, "_batch")), kernel.size(cat(name, "_row"))};
    if (has_columns) description.strides.push_back(1);
    return kernel.buffer(description);
  };
  std::vector<BufferId> operands;
  for (size_t x = 0; x < task.strides.size(); ++x)
    operands.push_back(rows_of(cat("x", x), task.strides[x] != 0));
  description.written = true;
  BufferId c = rows_of("c", true);

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
  std::vector<ValueId> values = {kernel.result()};
  for (size_t x = 0; x < operands.size(); ++x) {
    std::vector<Index> place = {b, i};
    if (task.strides[x] != 0) place.push_back(j);
    values.push_back(kernel.load(operands[x], std::move(place)));
  }
  nest.stores.push_back({c, {b, i, j}, apply_steps(kernel, task.finish, std::move(values))});
  kernel.nests.push_back(std::move(nest));
  return kernel;
}

}  // namespace fuselane
