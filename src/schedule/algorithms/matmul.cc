// A matrix product over a packed right operand: loops b, i, j, and k, which sums up.
#include "schedule/algorithms/product.h"
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

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
  constexpr std::string_view kOuter[] = {"batch"};
  ProductBuffers buffers = product_buffers(kernel, {a_batch, a_row, 1}, w_batch, depth, kOuter, task.strides);

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
  nest.loops.push_back({.symbol = j, .extent = product_columns(whole_panels, task.columns_tail)});
  nest.loops.push_back({.symbol = k, .kind = LoopKind::Reduce, .extent = depth});
  add_product(kernel, std::move(nest), buffers,
              {.a = {b, i, k}, .matrix = b, .k = k, .outer = {b, i}, .j = j}, task.strides, task.finish);
  return kernel;
}

}  // namespace fuselane
