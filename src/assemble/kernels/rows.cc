// Softmax, reductions, ArgMax and normalisations: kernels over [outer][axis][inner] or over rows.
#include <algorithm>
#include <cstddef>

#include "assemble/kernels/generated.h"
#include "assemble/kernels/planners.h"
#include "library/arg_max.h"
#include "library/layer_norm.h"
#include "library/softmax.h"

namespace fuselane {
namespace {

// A tensor seen as three axes: before, of, and behind the axes that a kernel treats as one.
struct Split3 {
  uint32_t outer = 1;
  uint32_t middle = 1;
  uint32_t inner = 1;
};

// Axes [first, last) of extents in memory order become the middle.
Split3 split_at(DimsView dims, size_t first, size_t last) {
  Split3 split;
  for (size_t i = 0; i < dims.size(); ++i) {
    uint32_t& part = i < first ? split.outer : i < last ? split.middle : split.inner;
    part *= static_cast<uint32_t>(dims[i]);
  }
  return split;
}

bool plannable(const Site& site) {
  return site.dtype(0) == DType::Float32 && fits32(site.dims(0)) && *element_count(site.dims(0)) > 0;
}

loop::ReduceTask reduce_task(Op op, uint32_t reduced, uint32_t inner) {
  using enum loop::Function;
  loop::ReduceTask task;
  task.contiguous = inner == 1;
  if (op == Op::ReduceMean) {
    task.finish = {{.function = Constant, .number = static_cast<float>(reduced)},
                   {.function = Div, .a = 0, .b = 1}};
  }
  if (op == Op::ReduceMax) task.combine = loop::Combine::Max;
  if (op == Op::ReduceMin) task.combine = loop::Combine::Min;
  if (op == Op::ReduceL2) {
    task.prologue = {{.function = Square}};
    task.finish = {{.function = Sqrt}};
  }
  return task;
}

// Which axes are reduced, by axis; nothing while they are not known.
std::optional<std::vector<bool>> reduced_axes(const Site& site) {
  auto rank = static_cast<int64_t>(site.dims(0).size());
  bool listed = site.has(1) && *element_count(site.dims(1)) > 0;
  if (!listed)
    return std::vector<bool>(static_cast<size_t>(rank), !site.node().flag(Attr::NoopWithEmptyAxes));
  const Tensor* axes = site.known(1);
  if (!axes) return std::nullopt;
  std::vector<bool> reduced(static_cast<size_t>(rank));
  for (int64_t axis : axes->integers()) reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  return reduced;
}

// The same for the order in memory.
std::vector<bool> in_memory(const std::vector<bool>& axes, Layout layout) {
  Dims flags(axes.begin(), axes.end());
  Dims order = memory_dims(flags, layout);
  return std::vector<bool>(order.begin(), order.end());
}

// `channels` as in LayerNormArgs.
void call_layer_norm(Site& site, const Split3& split, uint32_t channels) {
  BufferId x = site.input(0);
  const size_t over[] = {0};
  BufferId y = site.output_over(0, over);
  LayerNormArgs args{.rows = split.outer,
                     .length = split.middle,
                     .channels = channels,
                     .epsilon = static_cast<float>(site.node().number(Attr::Epsilon)),
                     .centered = site.node().op != Op::RMSNormalization};
  std::vector<Slot> slots = {{offsetof(LayerNormArgs, x), x}, {offsetof(LayerNormArgs, y), y}};
  std::vector<BufferId> reads = {x};
  size_t places[] = {offsetof(LayerNormArgs, scale), offsetof(LayerNormArgs, bias)};
  for (size_t i = 0; i < 2; ++i) {
    if (!site.has(i + 1)) continue;
    reads.push_back(site.input(i + 1));
    slots.push_back({places[i], reads.back()});
  }
  site.call(row(KernelId::LayerNorm), args, slots, std::move(reads), {y}, args.rows, 4);
}

// Whether operands 1 and 2, as far as there are such, are `count` float32 each.
bool has_scale_and_bias(const Site& site, int64_t count) {
  for (size_t i = 1; i <= 2; ++i) {
    if (site.has(i) && (site.dtype(i) != DType::Float32 || element_count(site.dims(i)) != count))
      return false;
  }
  return true;
}

}  // namespace

Result<bool> plan_softmax(Site& site) {
  if (!plannable(site)) return false;
  const Dims& dims = site.dims(0);
  if (dims.empty()) return false;
  auto axis = static_cast<size_t>(
      *normalize_axis(site.node().integer(Attr::Axis), static_cast<int64_t>(dims.size())));
  Split3 split = split_at(dims, axis, axis + 1);
  SoftmaxArgs args{.outer = split.outer,
                   .axis = split.middle,
                   .inner = split.inner,
                   .logarithm = site.node().op == Op::LogSoftmax};
  BufferId x = site.input(0);
  const size_t over[] = {0};
  BufferId y = site.output_over(0, over);
  site.call(row(KernelId::Softmax), args, {{offsetof(SoftmaxArgs, x), x}, {offsetof(SoftmaxArgs, y), y}}, {x},
            {y}, softmax_extent(args), 1);
  return true;
}

namespace {

// Columns that a claim sums up at once.
constexpr uint32_t kReduceChunk = 4096;

}  // namespace

Result<bool> plan_reduce(Site& site) {
  auto axes = plannable(site) ? reduced_axes(site) : std::nullopt;
  if (!axes) return false;
  const Dims& dims = site.dims(0);
  Layout layout = site.layout(0);
  // The result is written row-major: with every position reduced, channels last is the same.
  auto positions_reduced = [&] {
    for (size_t i = 2; i < dims.size(); ++i) {
      if (!(*axes)[i] && dims[i] != 1) return false;
    }
    return true;
  };
  if (layout == Layout::ChannelsLast && !positions_reduced()) layout = Layout::RowMajor;
  Dims order = memory_dims(dims, layout);
  std::vector<bool> reduced = in_memory(*axes, layout);
  // One group of neighbours; an axis of extent 1 may count as either.
  size_t first = 0;
  while (first < order.size() && (!reduced[first] || order[first] == 1)) ++first;
  size_t last = order.size();
  while (last > first && (!reduced[last - 1] || order[last - 1] == 1)) --last;
  for (size_t i = first; i < last; ++i) {
    if (!reduced[i] && order[i] != 1) return false;
  }
  Split3 split = split_at(order, first, last);
  const SizeArgument sizes[] = {{"outer", split.outer},
                                {"reduced", split.middle},
                                {"inner", split.inner},
                                {"chunk", std::min(split.inner, kReduceChunk)}};
  auto call = prepare_generated(site, reduce_task(site.node().op, split.middle, split.inner), sizes);
  if (!call) return false;
  BufferId x = site.input(0, layout);
  call_generated(site, *call, {x, site.output(0)}, std::max(kReduceChunk / split.middle, 1u));
  return true;
}

Result<bool> plan_arg_max(Site& site) {
  if (!plannable(site)) return false;
  const Dims& dims = site.dims(0);
  auto rank = static_cast<int64_t>(dims.size());
  if (rank == 0 || normalize_axis(site.node().integer(Attr::Axis), rank) != rank - 1) return false;
  Split3 split = split_at(dims, dims.size() - 1, dims.size());
  ArgMaxArgs args{
      .rows = split.outer, .length = split.middle, .last = site.node().flag(Attr::SelectLastIndex)};
  BufferId x = site.input(0);
  BufferId y = site.output(0);
  site.call(row(KernelId::ArgMax), args, {{offsetof(ArgMaxArgs, x), x}, {offsetof(ArgMaxArgs, y), y}}, {x},
            {y}, args.rows, 4);
  return true;
}

Result<bool> plan_layer_normalization(Site& site) {
  if (!plannable(site) || site.wants(1) || site.wants(2) || !site.wants(0)) return false;
  const Dims& dims = site.dims(0);
  auto axis = static_cast<size_t>(
      *normalize_axis(site.node().integer(Attr::Axis), static_cast<int64_t>(dims.size())));
  Split3 split = split_at(dims, axis, dims.size());
  // Scale and bias of a whole row; smaller ones would have to be spread first.
  if (!has_scale_and_bias(site, split.middle)) return false;
  call_layer_norm(site, split, 0);
  return true;
}

Result<bool> plan_instance_normalization(Site& site) {
  const Dims& dims = site.dims(0);
  if (!plannable(site) || !has_scale_and_bias(site, dims[1])) return false;
  Split3 split = split_at(dims, 2, dims.size());
  call_layer_norm(site, split, static_cast<uint32_t>(dims[1]));
  return true;
}

}  // namespace fuselane
