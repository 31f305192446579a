// Operators whose results are the memory of their operands, read in another way.
#include <algorithm>

#include "assemble/kernels/copying.h"
#include "assemble/kernels/planners.h"

namespace fuselane {
namespace {

constexpr Layout kLayouts[] = {Layout::ChannelsLast, Layout::RowMajor};

bool is_dense(DimsView dims, DimsView strides) {
  return std::ranges::any_of(
      kLayouts, [&](Layout layout) { return same_strides(dims, strides, dense_strides(dims, layout)); });
}

// A copy to channels last, where neighbours among the operand's elements become channels of one position.
bool reshape_to_channels_last(Site& site) {
  const Dims& x = site.dims(0);
  const Dims& y = site.result_dims(0);
  if (y.size() < 3 || !is_copyable(site, 0, 0)) return false;
  auto to = reshaped_strides(y, dense_strides(y, Layout::ChannelsLast), x);
  if (!to) return false;
  Layout layout = site.layout(0);
  Dims from = site.strides(0, layout);
  bool stay_near = false;
  for (size_t i = 0; i < x.size(); ++i)
    stay_near = stay_near || (x[i] > 1 && from[i] == 1 && (*to)[i] < y[1]);
  auto nest = copy_nest(x, {*to}, {from});
  if (!stay_near || !nest) return false;
  BufferId x_buffer = site.strided(0, layout);
  call_copy(site, x_buffer, 0, site.output(0, Layout::ChannelsLast), 0, *nest, copy_size(site.dtype(0)));
  return true;
}

}  // namespace

bool is_reshape(Op op) {
  return op == Op::Identity || op == Op::Reshape || op == Op::Flatten || op == Op::Squeeze ||
         op == Op::Unsqueeze;
}

bool view_of(Site& site, size_t output, Layout layout, int64_t start, Dims strides) {
  const Dims& y = site.result_dims(output);
  if (!site.lies(0, layout) || !is_copyable(site, 0, output) || element_count(y) == 0) return false;
  if (std::ranges::any_of(strides, [](int64_t stride) { return stride < 0; })) return false;
  if (!site.options().horizontal && !(start == 0 && is_dense(y, strides))) return false;
  // Whoever needs it dense can have it.
  for (Layout dense : kLayouts) {
    if (!copy_nest(y, {dense_strides(y, dense)}, {strides})) return false;
  }
  site.view(output, 0, layout, start, std::move(strides));
  return true;
}

bool plan_reshape(Site& site) {
  if (!is_reshape(site.node().op) || !site.in_memory(0)) return false;
  const Dims& x = site.dims(0);
  const Dims& y = site.result_dims(0);
  if (element_count(y).value_or(0) > 0) {
    for (Layout layout : kLayouts) {
      auto strides = site.lies(0, layout) ? reshaped_strides(x, site.strides(0, layout), y) : std::nullopt;
      if (strides && view_of(site, 0, layout, 0, *std::move(strides))) return true;
    }
    if (site.options().horizontal && reshape_to_channels_last(site)) return true;
  }
  site.input(0);
  site.view(0, 0, Layout::RowMajor, 0, strides_of(y));
  return true;
}

bool view_transposed(Site& site) {
  const std::vector<size_t> permutation = permutation_of(site.node(), site.dims(0).size());
  std::optional<std::pair<Layout, Dims>> found;
  for (Layout layout : kLayouts) {
    if (!site.lies(0, layout)) continue;
    Dims from = site.strides(0, layout);
    Dims strides;
    for (size_t axis : permutation) strides.push_back(from[axis]);
    bool dense = is_dense(site.result_dims(0), strides);
    if (!found || dense) found = {layout, std::move(strides)};
    if (dense) break;
  }
  return found && view_of(site, 0, found->first, 0, found->second);
}

bool view_of_parts(Site& site, size_t axis) {
  for (Layout layout : kLayouts) {
    int64_t start = 0;
    bool adjacent = true;
    for (size_t i = 0; i < site.input_count() && adjacent; ++i) {
      adjacent = site.lies(i, layout) && site.is_next_to(i, 0, layout, axis, start);
      start += site.dims(i)[axis];
    }
    if (adjacent && view_of(site, 0, layout, 0, site.strides(0, layout))) return true;
  }
  return false;
}

}  // namespace fuselane
