// MatMul and Gemm as products over packed matrices. A constant right operand is packed when the model is
// prepared, a computed one in a step of its own.
#include <cstddef>

#include "assemble/kernels/blocking.h"
#include "assemble/kernels/generated.h"
#include "assemble/kernels/packed_matrix.h"
#include "assemble/kernels/planners.h"
#include "base/checked.h"

namespace fuselane {
namespace {

// c [batches][rows][columns] = activation(a [batches][rows][depth] times packed matrices), all dense.
struct Matrices {
  uint32_t batches;
  uint32_t rows;
  uint32_t columns;
  uint32_t depth;
  Activation activation;
};

struct Product {
  int64_t batches = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  bool batched = false;     // the right operand has as many matrices as the left
  bool transposed = false;  // the right operand is [columns][depth]
};

Result<BufferId> pack_right(Site& site, const Product& product, size_t bias) {
  ConstantMatrix matrix{.input = 1,
                        .matrices = static_cast<uint32_t>(product.batched ? product.batches : 1),
                        .columns = static_cast<uint32_t>(product.columns),
                        .depth = static_cast<uint32_t>(product.depth),
                        .transposed = product.transposed};
  if (site.has(bias)) matrix.bias = bias;
  if (site.constant(1)) return pack_constant(site, matrix);
  PackArgs pack = matrix.pack_args();
  BufferId from = site.input(1);
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

std::optional<GeneratedCall> prepare_matmul(const Site& site, const Matrices& m) {
  Blocking blocking = block_product(m.rows, panel_count(m.columns), m.depth, site.threads());
  loop::MatMulTask task{.activation = m.activation,
                        .columns_tail = static_cast<uint8_t>(m.columns % kPanelColumns),
                        .one_row = m.rows == 1};
  const SizeArgument sizes[] = {{"batches", m.batches},
                                {"rows", m.rows},
                                {"depth", m.depth},
                                {"whole_panels", m.columns / kPanelColumns},
                                {"a_batch", uint64_t{m.rows} * m.depth},
                                {"a_row", m.depth},
                                {"w_batch", packed_size(m.columns, 1, m.depth)},
                                {"c_batch", uint64_t{m.rows} * m.columns},
                                {"c_row", m.columns},
                                {"block_rows", blocking.rows},
                                {"group_panels", blocking.panels}};
  return prepare_generated(site, task, sizes);
}

Result<bool> plan_product(Site& site, const Product& product, size_t bias) {
  if (!fits32(product.batches * product.rows) || !fits32(product.depth * product.columns)) return false;
  if (product.rows == 0 || product.columns == 0 || product.batches == 0) return false;
  // One matrix for all batches: the batches are rows of one product.
  int64_t rows = product.batched ? product.rows : product.rows * product.batches;
  auto call = prepare_matmul(site, {.batches = static_cast<uint32_t>(product.batched ? product.batches : 1),
                                    .rows = static_cast<uint32_t>(rows),
                                    .columns = static_cast<uint32_t>(product.columns),
                                    .depth = static_cast<uint32_t>(product.depth),
                                    .activation = activation_of(site.node())});
  if (!call) return false;
  BufferId packed = TRY(pack_right(site, product, bias));
  BufferId a = site.input(0);
  call_generated(site, *call, {a, packed, site.output(0)}, 1);
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

std::optional<GeneratedCall> prepare_product(const Site& site, uint32_t rows, uint32_t columns,
                                             uint32_t depth, const Activation& activation) {
  return prepare_matmul(
      site, {.batches = 1, .rows = rows, .columns = columns, .depth = depth, .activation = activation});
}

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
  Product product{.rows = site.dims(0)[0], .columns = site.result_dims(0)[1], .depth = site.dims(0)[1]};
  product.transposed = node.flag(Attr::TransB);
  if (!bias_fits(site, 2, product.columns)) return false;
  return plan_product(site, product, 2);
}

}  // namespace fuselane
