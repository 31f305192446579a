// MatMul and Gemm as products over packed matrices. A constant right operand is packed when the model is
// prepared, a computed one in a step of its own.
#include <cstddef>

#include "assemble/kernels/generated.h"
#include "assemble/kernels/packed_matrix.h"
#include "assemble/kernels/planners.h"
#include "base/checked.h"

namespace fuselane {
namespace {

struct Product {
  int64_t batches = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  bool batched = false;     // the right operand has as many matrices as the left
  bool transposed = false;  // the right operand is [columns][depth]
};

// The strides of a computed right operand, into `pack`, where it can be read as it lies.
bool take_strides(const Site& site, const Product& product, PackArgs& pack) {
  if (!site.in_memory(1)) return false;
  const Dims& dims = site.dims(1);
  Dims strides = site.strides(1, site.layout(1));
  size_t rank = dims.size();
  auto batch = joint_stride(DimsView(dims).first(rank - 2), DimsView(strides).first(rank - 2));
  int64_t row = strides[rank - 2], column = strides[rank - 1];
  if (product.transposed) std::swap(row, column);
  if (!batch || !fits32(*batch) || !fits32(row) || !fits32(column)) return false;
  pack.b_batch = static_cast<uint32_t>(*batch);
  pack.row_stride = static_cast<uint32_t>(row);
  pack.column_stride = static_cast<uint32_t>(column);
  return true;
}

Result<BufferId> pack_right(Site& site, const Product& product, size_t bias) {
  ConstantMatrix matrix{.input = 1,
                        .matrices = static_cast<uint32_t>(product.batched ? product.batches : 1),
                        .columns = static_cast<uint32_t>(product.columns),
                        .depth = static_cast<uint32_t>(product.depth),
                        .transposed = product.transposed};
  if (site.has(bias)) matrix.bias = bias;
  if (site.constant(1)) return pack_constant(site, matrix);
  PackArgs pack = matrix.pack_args();
  const bool as_it_lies = take_strides(site, product, pack);
  BufferId from = as_it_lies ? site.strided(1, site.layout(1)) : site.input(1);
  BufferId to = site.scratch(uint64_t{pack.packed_batch} * matrix.matrices * sizeof(float));
  std::vector<Slot> slots = {{offsetof(PackArgs, b), from}, {offsetof(PackArgs, packed), to}};
  std::vector<BufferId> reads = {from};
  if (site.has(bias)) {
    reads.push_back(site.input(bias));
    slots.push_back({offsetof(PackArgs, bias), reads.back()});
  }
  site.call(row(KernelId::MatMulPack), pack, slots, std::move(reads), {to},
            matrix.matrices * panel_count(matrix.columns), 8);
  return to;
}

// One that has an element for each sum, or for each column, or a single one.
std::optional<SumOperand> operand_of(const Site& site, size_t index, const Matrices& m, Layout layout) {
  if (site.dtype(index) != DType::Float32) return std::nullopt;
  const Dims& dims = site.dims(index);
  const uint64_t group = m.columns / m.groups;
  if (dims == site.result_dims(0)) {
    auto as_it_lies = matrix_strides(dims, site.strides(index, layout), layout, m.batch_axes);
    return SumOperand{.index = index,
                      .layout = layout,
                      .strided = as_it_lies.has_value(),
                      .column = 1,
                      .group = group,
                      .strides = as_it_lies.value_or(dense_matrices(m.rows, m.columns))};
  }
  auto count = element_count(dims);
  if (count == 1) return SumOperand{.index = index, .strides = {}};
  Dims y = memory_dims(site.result_dims(0), layout);
  Dims strides = memory_dims(broadcast_strides(dims, site.result_dims(0)), layout);
  bool is_row = count == m.columns && strides.back() == 1 && y.back() == m.columns;
  if (!is_row) return std::nullopt;
  return SumOperand{.index = index, .column = 1, .group = group, .strides = {}};
}

// A task for the node's sums, or those of windows: what all products have. `sizes` are those that only this
// has.
template <class Task>
std::optional<GeneratedCall> prepare_task(const Site& site, const Matrices& m, Task task, MatrixStrides c,
                                          const Blocking& blocking, std::vector<SizeArgument> sizes) {
  uint32_t columns = m.columns / m.groups;
  task.columns_tail = static_cast<uint8_t>(columns % kPanelColumns);
  const SizeArgument more[] = {{"batches", m.batches},
                               {"rows", m.rows},
                               {"depth", m.depth},
                               {"whole_panels", columns / kPanelColumns},
                               {"c_batch", c.batch},
                               {"c_group", columns},
                               {"c_row", c.row},
                               {"block_rows", blocking.rows},
                               {"group_panels", blocking.panels}};
  sizes.insert(sizes.end(), std::begin(more), std::end(more));
  return prepare_generated(site, task, sizes);
}

std::optional<GeneratedCall> prepare_matmul(const Site& site, const Matrices& m, loop::MatMulTask task,
                                            MatrixStrides c, std::vector<SizeArgument> sizes) {
  task.one_row = m.rows == 1;
  sizes.insert(sizes.end(), {{"a_batch", m.a.batch},
                             {"a_row", m.a.row},
                             {"w_batch", m.shared ? 0 : packed_size(m.columns, 1, m.depth)}});
  // Many batches are enough for all threads.
  const uint32_t threads = m.batches < 4 * site.threads() ? site.threads() : 1;
  const Blocking blocking =
      block_product(m.rows, panel_count(m.columns), m.depth, threads, site.options().tiling);
  return prepare_task(site, m, std::move(task), c, blocking, std::move(sizes));
}

// Puts the operands of the group's steps into product, task and sizes; false where one does not go along.
template <class Task>
bool add_operands(const Site& site, const Matrices& m, ProductCall& product, Task& task,
                  std::vector<SizeArgument>& sizes) {
  for (size_t i = site.input_count(); i < site.operand_count(); ++i) {
    auto operand = operand_of(site, i, m, product.layout);
    if (!operand) return false;
    std::string name = cat("x", task.strides.size());
    task.strides.push_back(operand->column);
    sizes.push_back({name + "_row", operand->strides.row});
    sizes.push_back({name + "_batch", operand->strides.batch});
    sizes.push_back({name + "_group", operand->group});
    product.operands.push_back(*operand);
    // The left operand is read as a whole.
    if (site.dims(i) == site.result_dims(0) && !site.share_memory(i, 0)) product.over.push_back(i);
  }
  task.finish = finish_of(site, task.strides.size());
  return true;
}

// How the result is to lie.
MatrixStrides place_result(const Site& site, const Matrices& m, ProductCall& product) {
  auto c = matrix_strides(site.result_dims(0), site.output_strides(0, product.layout), product.layout,
                          m.batch_axes);
  product.strided = c.has_value();
  return c.value_or(dense_matrices(m.rows, m.columns));
}

}  // namespace

std::optional<ProductCall> prepare_product(const Site& site, const Matrices& m, Layout layout) {
  loop::MatMulTask task;
  std::vector<SizeArgument> sizes;
  ProductCall product{.call = {}, .operands = {}, .over = {}, .layout = layout, .finish = {}};
  if (!add_operands(site, m, product, task, sizes)) return std::nullopt;
  const MatrixStrides c = place_result(site, m, product);
  product.finish = take_apart(site, task.finish, task.strides.size(), layout, product.strided);
  auto call = prepare_matmul(site, m, std::move(task), c, std::move(sizes));
  if (!call) return std::nullopt;
  product.call = *std::move(call);
  return product;
}

std::optional<ProductCall> prepare_windows(const Site& site, const Matrices& m, const Blocking& blocking,
                                           std::vector<SizeArgument> sizes) {
  loop::ConvTask task;
  ProductCall product{.call = {}, .operands = {}, .over = {}, .layout = Layout::ChannelsLast, .finish = {}};
  if (!add_operands(site, m, product, task, sizes)) return std::nullopt;
  const MatrixStrides c = place_result(site, m, product);
  product.finish = take_apart(site, task.finish, task.strides.size(), product.layout, product.strided);
  auto call = prepare_task(site, m, std::move(task), c, blocking, std::move(sizes));
  if (!call) return std::nullopt;
  product.call = *std::move(call);
  return product;
}

std::optional<GeneratedCall> prepare_sums(const Site& site, const Matrices& m, MatrixStrides c) {
  return prepare_matmul(site, m, {}, c, {});
}

void call_product(Site& site, const ProductCall& product, BufferId a, BufferId packed) {
  std::vector<BufferId> buffers = {a, packed};
  for (const SumOperand& operand : product.operands) {
    buffers.push_back(operand.strided ? site.strided(operand.index, operand.layout)
                                      : site.input(operand.index, operand.layout));
  }
  buffers.push_back(product.strided ? site.output_strided_over(0, product.over, product.layout)
                                    : site.output(0, product.layout));
  call_generated(site, product.call, buffers, 1);
  if (product.finish) call_finish(site, *product.finish, buffers.back());
}

namespace {

Result<bool> plan_product(Site& site, const Product& product, size_t bias) {
  if (!fits32(product.batches * product.rows) || !fits32(product.depth * product.columns)) return false;
  if (product.rows == 0 || product.columns == 0 || product.batches == 0) return false;
  // One matrix for all batches: the batches are rows of one product.
  const int64_t rows = product.batched ? product.rows : product.rows * product.batches;
  const size_t batch_axes = product.batched ? site.dims(0).size() - 2 : 0;
  auto a = matrix_strides(site.dims(0), site.strides(0, site.layout(0)), Layout::RowMajor, batch_axes);
  const bool as_it_lies = a && site.in_memory(0);
  auto call = prepare_product(
      site,
      {.batches = static_cast<uint32_t>(product.batched ? product.batches : 1),
       .rows = static_cast<uint32_t>(rows),
       .columns = static_cast<uint32_t>(product.columns),
       .depth = static_cast<uint32_t>(product.depth),
       .batch_axes = batch_axes,
       .a = as_it_lies ? *a
                       : dense_matrices(static_cast<uint64_t>(rows), static_cast<uint64_t>(product.depth))},
      Layout::RowMajor);
  if (!call) return false;
  BufferId left = as_it_lies ? site.strided(0, site.layout(0)) : site.input(0);
  call_product(site, *call, left, TRY(pack_right(site, product, bias)));
  return true;
}

// A bias that a packed matrix can carry: one float32 for each column, constant if the matrix is.
bool bias_fits(Site& site, size_t bias, int64_t columns) {
  if (!site.has(bias)) return true;
  auto count = element_count(site.dims(bias));
  bool row = !site.dims(bias).empty() && site.dims(bias).back() == columns && count == columns;
  return row && site.dtype(bias) == DType::Float32 && (!site.constant(1) || site.constant(bias));
}

}  // namespace

Result<bool> plan_matmul(Site& site) {
  const Dims& a = site.dims(0);
  const Dims& b = site.dims(1);
  if (site.dtype(0) != DType::Float32 || a.size() < 2 || b.size() < 2) return false;
  Product product{.rows = a[a.size() - 2], .columns = b.back(), .depth = a.back()};
  for (size_t i = 0; i + 2 < a.size(); ++i) product.batches *= a[i];
  if (b.size() > 2) {
    DimsView a_batch = DimsView(a).first(a.size() - 2);
    DimsView b_batch = DimsView(b).first(b.size() - 2);
    if (!std::ranges::equal(a_batch, b_batch)) return false;
    product.batched = product.batches != 1;
  }
  if (!bias_fits(site, 2, product.columns)) return false;
  return plan_product(site, product, 2);
}

Result<bool> plan_gemm(Site& site) {
  const Node& node = site.node();
  if (site.dtype(0) != DType::Float32 || node.flag(Attr::TransA) || node.number(Attr::Alpha) != 1)
    return false;
  if (site.has(2) && node.number(Attr::Beta) != 1) return false;
  Product product{.rows = site.dims(0)[0], .depth = site.dims(0)[1]};
  product.transposed = node.flag(Attr::TransB);
  product.columns = site.dims(1)[product.transposed ? 0 : 1];
  if (!bias_fits(site, 2, product.columns)) return false;
  return plan_product(site, product, 2);
}

}  // namespace fuselane
