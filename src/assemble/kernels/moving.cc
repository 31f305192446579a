// Operators that move elements: views of their operands, or copies under a loop nest. Channels-last operands
// stay so where the operator allows.
#include <cstddef>

#include "assemble/kernels/copying.h"
#include "assemble/kernels/planners.h"
#include "library/gather.h"

namespace fuselane {
Result<bool> plan_transpose(Site& site) {
  const Dims& x = site.dims(0);
  if (element_count(x) == 0) return false;
  if (view_transposed(site)) return true;
  if (!is_copyable(site, 0, 0)) return false;
  Layout layout = keep_layout(site, 0);
  Dims y = site.result_dims(0);
  Dims from_strides = site.strides(0, layout);
  End from;
  for (size_t axis : permutation_of(site.node(), x.size())) from.strides.push_back(from_strides[axis]);
  auto nest = copy_nest(y, {strides_of(y)}, from);
  if (!nest) return false;
  BufferId x_buffer = site.strided(0, layout);
  call_copy(site, x_buffer, 0, site.output(0), 0, *nest, copy_size(site.dtype(0)));
  return true;
}

Result<bool> plan_concat(Site& site) {
  const Dims& y = site.result_dims(0);
  auto axis =
      static_cast<size_t>(*normalize_axis(site.node().integer(Attr::Axis), static_cast<int64_t>(y.size())));
  const std::optional<Layout> reserved = site.reserved(0);
  if (!reserved && view_of_parts(site, axis)) return true;
  Layout layout = reserved.value_or(keep_layout(site, 0));
  End to{.strides = site.output_strides(0, layout)};
  struct Copy {
    size_t input;
    int64_t start;
    LoopNest nest;
  };
  std::vector<Copy> copies;
  int64_t start = 0;
  for (size_t i = 0; i < site.input_count(); start += site.dims(i)[axis], ++i) {
    const Dims& x = site.dims(i);
    if (!is_copyable(site, i, 0)) return false;
    if (element_count(x) == 0 || site.is_part(i, 0, layout, axis, start)) continue;
    auto nest = copy_nest(x, to, {site.strides(i, layout)});
    if (!nest) return false;
    copies.push_back({i, start, *nest});
  }
  std::vector<BufferId> inputs;
  for (const Copy& copy : copies) inputs.push_back(site.strided(copy.input, layout));
  BufferId y_buffer = site.output_strided(0, layout);
  for (size_t i = 0; i < copies.size(); ++i) {
    call_copy(site, inputs[i], 0, y_buffer, copies[i].start * to.strides[axis], copies[i].nest,
              copy_size(site.dtype(0)));
  }
  // Nothing to copy: the result has no elements or is there already, and needs no step.
  return true;
}

Result<bool> plan_split(Site& site) {
  const Dims& x = site.dims(0);
  Layout layout = keep_layout(site, 0);
  auto axis =
      static_cast<size_t>(*normalize_axis(site.node().integer(Attr::Axis), static_cast<int64_t>(x.size())));
  End from{.strides = site.strides(0, layout)};
  std::vector<std::optional<LoopNest>> nests(site.output_count());
  std::vector<int64_t> starts(site.output_count());
  int64_t before = 0;
  for (size_t i = 0; i < site.output_count(); ++i) {
    // Results nobody wants still take their share of the axis.
    if (!site.knows_result(i)) return false;
    const Dims& y = site.result_dims(i);
    starts[i] = before * from.strides[axis];
    before += y[axis];
    if (!is_copyable(site, 0, i) || element_count(y) == 0) return false;
    nests[i] = copy_nest(y, {dense_strides(y, layout)}, from);
    if (!nests[i]) return false;
  }
  for (size_t i = 0; i < nests.size(); ++i) {
    if (!site.wants(i) || view_of(site, i, layout, starts[i], from.strides)) continue;
    BufferId x_buffer = site.strided(0, layout);
    call_copy(site, x_buffer, starts[i], site.output(i, layout), 0, *nests[i], copy_size(site.dtype(0)));
  }
  return true;
}

Result<bool> plan_slice(Site& site) {
  const Dims& x = site.dims(0);
  const Dims& y = site.result_dims(0);
  if (!is_copyable(site, 0, 0) || element_count(y) == 0) return false;
  for (size_t i = 1; i < 5; ++i) {
    if (site.has(i) && !site.known(i)) return false;
  }
  Layout layout = keep_layout(site, 0);
  End from{.strides = site.strides(0, layout)};
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
  if (view_of(site, 0, layout, from.offset, from.strides)) return true;
  auto nest = copy_nest(y, {dense_strides(y, layout)}, from);
  if (!nest) return false;
  BufferId x_buffer = site.strided(0, layout);
  call_copy(site, x_buffer, from.offset, site.output(0, layout), 0, *nest, copy_size(site.dtype(0)));
  return true;
}

Result<bool> plan_expand(Site& site) {
  const Dims& x = site.dims(0);
  Dims y = site.result_dims(0);
  if (!is_copyable(site, 0, 0) || element_count(y) == 0) return false;
  auto nest = copy_nest(y, {strides_of(y)}, {broadcast_strides(x, y)});
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
  auto nest = copy_nest(extents, {std::move(to)}, {std::move(from)});
  if (!nest) return false;
  BufferId x_buffer = site.input(0);
  call_copy(site, x_buffer, 0, site.output(0), 0, *nest, copy_size(site.dtype(0)));
  return true;
}

namespace {

// One index that is known: a slice of one, whose axis may be gone.
bool view_of_slice(Site& site, size_t axis) {
  const Tensor* index = site.known(1);
  if (!index || index->count() != 1) return false;
  const int64_t extent = site.dims(0)[axis];
  const int64_t at = index->integer(0) < 0 ? index->integer(0) + extent : index->integer(0);
  if (at < 0 || at >= extent) return false;
  Layout layout = keep_layout(site, 0);
  Dims strides = site.strides(0, layout);
  const int64_t start = at * strides[axis];
  auto place = strides.erase(strides.begin() + static_cast<ptrdiff_t>(axis));
  strides.insert(place, index->dims().size(), 0);
  return view_of(site, 0, layout, start, std::move(strides));
}

}  // namespace

Result<bool> plan_gather(Site& site) {
  const Dims& x = site.dims(0);
  uint32_t size = copy_size(site.dtype(0));
  if (!is_copyable(site, 0, 0) || element_count(site.result_dims(0)) == 0 || element_count(x) == 0)
    return false;
  auto axis =
      static_cast<size_t>(*normalize_axis(site.node().integer(Attr::Axis), static_cast<int64_t>(x.size())));
  if (view_of_slice(site, axis)) return true;
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
