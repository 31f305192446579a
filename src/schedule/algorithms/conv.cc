// A convolution as a product of windows and a packed matrix for each group: loops b, g, i over windows, j,
// and ky, kx, k, which sum up. What a window reads along k lies dense, and a window's place is a quotient and
// a remainder: nothing is copied into rows, and no addresses are stored.
#include "schedule/algorithms/product.h"
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

Kernel plain_conv(const ConvTask& task) {
  Kernel kernel;
  kernel.name = "conv";
  Index batches = kernel.size("batches");
  Index groups = kernel.size("groups");
  Index rows = kernel.size("rows");
  Index columns = kernel.size("columns");
  Index kernel_lines = kernel.size("kernel_lines");
  Index kernel_columns = kernel.size("kernel_columns");
  Index depth = kernel.size("depth");
  Index whole_panels = kernel.size("whole_panels");
  std::vector<Index> a_strides;
  for (const char* along : {"a_batch", "a_group", "a_line", "a_column", "a_kernel_line", "a_kernel_column"})
    a_strides.push_back(kernel.size(along));
  a_strides.push_back(1);
  Index w_group = kernel.size("w_group");
  constexpr std::string_view kOuter[] = {"batch", "group"};
  ProductBuffers buffers = product_buffers(kernel, std::move(a_strides), w_group,
                                           kernel_lines * kernel_columns * depth, kOuter, task.strides);

  SymbolId b = kernel.variable("b"), g = kernel.variable("g"), i = kernel.variable("i");
  SymbolId j = kernel.variable("j");
  SymbolId ky = kernel.variable("ky"), kx = kernel.variable("kx"), k = kernel.variable("k");
  Nest nest;
  nest.name = "conv";
  nest.loops = {{.symbol = b, .extent = batches},
                {.symbol = g, .extent = groups},
                {.symbol = i, .extent = rows},
                {.symbol = j, .extent = product_columns(whole_panels, task.columns_tail)},
                {.symbol = ky, .kind = LoopKind::Reduce, .extent = kernel_lines},
                {.symbol = kx, .kind = LoopKind::Reduce, .extent = kernel_columns},
                {.symbol = k, .kind = LoopKind::Reduce, .extent = depth}};
  add_product(kernel, std::move(nest), buffers,
              {.a = {b, g, kernel.quotient(i, columns), kernel.remainder(i, columns), ky, kx, k},
               .matrix = g,
               .k = (Index(ky) * kernel_columns + kx) * depth + k,
               .outer = {b, g, i},
               .j = j},
              task.strides, task.finish);
  return kernel;
}

}  // namespace fuselane
