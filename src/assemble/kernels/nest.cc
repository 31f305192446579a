#include "assemble/kernels/nest.h"

namespace fuselane {
namespace {

// Numbers that belong to the result's dimensions, in the order in which a layout walks them.
Dims in_order(const Dims& numbers, Layout layout) { return memory_dims(numbers, layout); }

std::optional<NestPlan> plan_in(const Site& site, std::span<const size_t> operands, const Dims& y,
                                Layout layout) {
  NestPlan plan{.nest = {}, .layout = layout, .operands = {}};
  Dims extents = in_order(y, layout);
  std::vector<Dims> strides = {strides_of(extents)};
  for (size_t operand : operands) {
    const Dims& x = site.dims(operand);
    bool full = x == y;
    plan.operands.push_back(full ? layout : Layout::RowMajor);
    strides.push_back(full ? strides[0] : in_order(broadcast_strides(x, y), layout));
  }
  auto nest = collapse(extents, strides);
  if (!nest || !has_plain_rows(*nest, static_cast<uint32_t>(strides.size()))) return std::nullopt;
  plan.nest = *nest;
  return plan;
}

}  // namespace

std::optional<NestPlan> plan_nest(const Site& site, std::span<const size_t> operands) {
  Dims y = site.result_dims(0);
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
