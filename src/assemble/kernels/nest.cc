#include "assemble/kernels/nest.h"

namespace fuselane {
namespace {

// Whether the innermost axis in memory is walked element by element.
bool has_plain_row(DimsView dims, DimsView strides, Layout layout) {
  Dims extents = memory_dims(dims, layout), order = memory_dims(strides, layout);
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i] > 1) return order[i] == 1;
  }
  return true;
}

std::optional<NestPlan> plan_in(const Site& site, std::span<const size_t> operands, const Dims& y,
                                Layout layout) {
  NestPlan plan{.nest = {}, .layout = layout, .operands = {}, .strided = {}};
  Dims result = site.output_strides(0, layout);
  if (!has_plain_row(y, result, layout)) result = dense_strides(y, layout);
  std::vector<Dims> strides = {memory_dims(result, layout)};
  for (size_t operand : operands) {
    const Dims& x = site.dims(operand);
    const bool full = x == y;
    Dims by_dim = full ? site.strides(operand, layout) : broadcast_strides(x, y);
    const bool as_it_lies = full && has_plain_row(y, by_dim, layout);
    if (full && !as_it_lies) by_dim = dense_strides(y, layout);
    plan.operands.push_back(full ? layout : Layout::RowMajor);
    plan.strided.push_back(as_it_lies);
    strides.push_back(memory_dims(by_dim, layout));
  }
  auto nest = collapse(memory_dims(y, layout), strides);
  if (!nest || !has_plain_rows(*nest, static_cast<uint32_t>(strides.size()))) return std::nullopt;
  plan.nest = *nest;
  return plan;
}

}  // namespace

BufferId take_operand(Site& site, const NestPlan& plan, std::span<const size_t> operands, size_t index) {
  const size_t operand = operands[index];
  return plan.strided[index] ? site.strided(operand, plan.operands[index])
                             : site.input(operand, plan.operands[index]);
}

BufferId make_result(Site& site, const NestPlan& plan, std::span<const size_t> over) {
  const bool strided = has_plain_row(site.result_dims(0), site.output_strides(0, plan.layout), plan.layout);
  return strided ? site.output_strided_over(0, over, plan.layout) : site.output(0, plan.layout);
}

std::optional<NestPlan> plan_nest(const Site& site, std::span<const size_t> operands) {
  const Dims& y = site.result_dims(0);
  if (element_count(y) == 0) return std::nullopt;
  bool last = false;
  for (size_t operand : operands) {
    last = last || (site.dims(operand) == y && site.layout(operand) == Layout::ChannelsLast && y.size() > 2);
  }
  if (last) {
    if (auto plan = plan_in(site, operands, y, Layout::ChannelsLast)) return plan;
  }
  return plan_in(site, operands, y, Layout::RowMajor);
}

}  // namespace fuselane
