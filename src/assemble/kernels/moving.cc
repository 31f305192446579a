// Operators that move elements: copies under a loop nest. Channels-last operands stay so where the operator
// allows.
#include <cstddef>

#include "assemble/kernels/copying.h"
#include "assemble/kernels/planners.h"
#include "library/gather.h"

namespace fuselane {
Result<bool> plan_transpose(Site& site) {
  const Dims& x = site.dims(0);
  size_t rank = x.size();
  auto stated = site.node().integers(Attr::Permutation);
  std::vector<size_t> perm(rank);
  for (size_t i = 0; i < rank; ++i) perm[i] = stated.empty() ? rank - 1 - i : static_cast<size_t>(stated[i]);
  if (rank > 2) {
    // To and from channels last is another view of the same memory.
    bool last = perm[0] == 0 && perm[rank - 1] == 1;
    bool first = perm[0] == 0 && perm[1] == rank - 1;
    for (size_t i = 1; i + 1 < rank; ++i) last = last && perm[i] == i + 1;
    for (size_t i = 2; i < rank; ++i) first = first && perm[i] == i - 1;
    if (last && site.in_memory(0) && site.layout(0) == Layout::ChannelsLast) {
      site.alias(0, 0, Layout::ChannelsLast, Layout::RowMajor);
      return true;
    }
    if (first && site.in_memory(0) && site.lies(0, Layout::RowMajor)) {
      site.alias(0, 0, Layout::RowMajor, Layout::ChannelsLast);
      return true;
    }
  }
  if (!is_copyable(site, 0, 0) || element_count(x) == 0) return false;
  Layout layout = keep_layout(site, 0);
  Dims y = site.result_dims(0);
  Dims from_strides = strides_in(x, layout);
  End from{.strides = Dims(rank)};
  for (size_t i = 0; i < rank; ++i) from.strides[i] = from_strides[perm[i]];
  auto nest = copy_nest(y, {strides_of(y)}, from, Layout::RowMajor);
  if (!nest) return false;
  BufferId x_buffer = site.input(0, layout);
  call_copy(site, x_buffer, 0, site.output(0), 0, *nest, copy_size(site.dtype(0)));
  return true;
}

Result<bool> plan_concat(Site& site) {
  Dims y = site.result_dims(0);
  Layout layout = keep_layout(site, 0);
  auto axis =
      static_cast<size_t>(*normalize_axis(site.node().integer(Attr::Axis), static_cast<int64_t>(y.size())));
  End to{.strides = strides_in(y, layout)};
  std::vector<std::optional<LoopNest>> nests;
  for (size_t i = 0; i < site.input_count(); ++i) {
    const Dims& x = site.dims(i);
    if (!is_copyable(site, i, 0)) return false;
    if (element_count(x) == 0) {
      nests.emplace_back();
      continue;
    }
    nests.push_back(copy_nest(x, to, {strides_in(x, layout)}, layout));
    if (!nests.back()) return false;
  }
  std::vector<BufferId> inputs;
  for (size_t i = 0; i < nests.size(); ++i) inputs.push_back(nests[i] ? site.input(i, layout) : BufferId());
  BufferId y_buffer = site.output(0, layout);
  int64_t before = 0;
  for (size_t i = 0; i < nests.size(); ++i) {
    if (nests[i]) {
      call_copy(site, inputs[i], 0, y_buffer, before * to.strides[axis], *nests[i], copy_size(site.dtype(0)));
    }
    before += site.dims(i)[axis];
  }
  // Nothing to copy: the result has no elements, and needs no step either.
  return true;
}

Result<bool> plan_split(Site& site) {
  const Dims& x = site.dims(0);
  Layout layout = keep_layout(site, 0);
  auto axis =
      static_cast<size_t>(*normalize_axis(site.node().integer(Attr::Axis), static_cast<int64_t>(x.size())));
  End from{.strides = strides_in(x, layout)};
  std::vector<std::optional<LoopNest>> nests(site.output_count());
  std::vector<int64_t> starts(site.output_count());
  int64_t before = 0;
  for (size_t i = 0; i < site.output_count(); ++i) {
    // Results nobody wants still take their share of the axis, whose size only a wanted one is sure to have.
    if (!site.wants(i)) return false;
    Dims y = site.result_dims(i);
    starts[i] = before * from.strides[axis];
    before += y[axis];
    if (!is_copyable(site, 0, i) || element_count(y) == 0) return false;
    nests[i] = copy_nest(y, {strides_in(y, layout)}, from, layout);
    if (!nests[i]) return false;
  }
  BufferId x_buffer = site.input(0, layout);
  for (size_t i = 0; i < nests.size(); ++i) {
    call_copy(site, x_buffer, starts[i], site.output(i, layout), 0, *nests[i], copy_size(site.dtype(0)));
  }
  return true;
}

Result<bool> plan_slice(Site& site) {
  const Dims& x = site.dims(0);
  Dims y = site.result_dims(0);
  if (!is_copyable(site, 0, 0) || element_count(y) == 0) return false;
  for (size_t i = 1; i < 5; ++i) {
    if (site.has(i) && !site.known(i)) return false;
  }
  Layout layout = keep_layout(site, 0);
  End from{.strides = strides_in(x, layout)};
  for (int64_t k = 0; k < site.known(1)->count(); ++k) {
    int64_t named = site.has(3) ? site.known(3)->integer(k) : k;
    auto axis = static_cast<size_t>(*normalize_axis(named, static_cast<int64_t>(x.size())));
    int64_t step = site.has(4) ? site.known(4)->integer(k) : 1;
    int64_t start = site.known(1)->integer(k);
    if (start < 0) start += x[axis];
    start = std::clamp<int64_t>(start, 0, step > 0 ? x[axis] : x[axis] - 1);
    from.offset += start * from.strides[axis];
    // An axis with one element left takes no step, however long that is.
    from.strides[axis] = y[axis] > 1 ? from.strides[axis] * step : 0;
  }
  auto nest = copy_nest(y, {strides_in(y, layout)}, from, layout);
  if (!nest) return false;
  BufferId x_buffer = site.input(0, layout);
  call_copy(site, x_buffer, from.offset, site.output(0, layout), 0, *nest, copy_size(site.dtype(0)));
  return true;
}

Result<bool> plan_expand(Site& site) {
  const Dims& x = site.dims(0);
  Dims y = site.result_dims(0);
  if (!is_copyable(site, 0, 0) || element_count(y) == 0) return false;
  auto nest = copy_nest(y, {strides_of(y)}, {broadcast_strides(x, y)}, Layout::RowMajor);
  if (!nest) return false;
  BufferId x_buffer = site.input(0);
  call_copy(site, x_buffer, 0, site.output(0), 0, *nest, copy_size(site.dtype(0)));
  return true;
}

// Each axis as two, the repeats and the extent.
Result<bool> plan_tile(Site& site) {
  const Dims& x = site.dims(0);
  Dims y = site.result_dims(0);
  if (!is_copyable(site, 0, 0) || element_count(y) == 0) return false;
  Dims extents, to, from;
  Dims x_strides = strides_of(x);
  Dims y_strides = strides_of(y);
  for (size_t axis = 0; axis < x.size(); ++axis) {
    extents.insert(extents.end(), {y[axis] / x[axis], x[axis]});
    to.insert(to.end(), {y_strides[axis] * x[axis], y_strides[axis]});
    from.insert(from.end(), {0, x_strides[axis]});
  }
  auto nest = copy_nest(extents, {std::move(to)}, {std::move(from)}, Layout::RowMajor);
  if (!nest) return false;
  BufferId x_buffer = site.input(0);
  call_copy(site, x_buffer, 0, site.output(0), 0, *nest, copy_size(site.dtype(0)));
  return true;
}

Result<bool> plan_gather(Site& site) {
  const Dims& x = site.dims(0);
  uint32_t size = copy_size(site.dtype(0));
  if (!is_copyable(site, 0, 0) || element_count(site.result_dims(0)) == 0 || element_count(x) == 0)
    return false;
  auto axis =
      static_cast<size_t>(*normalize_axis(site.node().integer(Attr::Axis), static_cast<int64_t>(x.size())));
  GatherArgs args{.outer = 1, .axis = static_cast<uint32_t>(x[axis]), .slice_bytes = size};
  args.count = static_cast<uint32_t>(*element_count(site.dims(1)));
  args.wide = site.dtype(1) == DType::Int64;
  for (size_t i = 0; i < axis; ++i) args.outer *= static_cast<uint32_t>(x[i]);
  for (size_t i = axis + 1; i < x.size(); ++i) args.slice_bytes *= static_cast<uint32_t>(x[i]);
  BufferId x_buffer = site.input(0);
  BufferId indices = site.input(1);
  BufferId y = site.output(0);
  site.call(row(KernelId::Gather), args,
            {{offsetof(GatherArgs, x), x_buffer},
             {offsetof(GatherArgs, indices), indices},
             {offsetof(GatherArgs, y), y}},
            {x_buffer, indices}, {y}, args.outer * args.count, 16);
  return true;
}

}  // namespace fuselane
