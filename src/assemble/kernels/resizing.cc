// Resize of the two spatial axes of [n, c, h, w], channels last: nearest and linear, by tables made here.
#include <cstddef>

#include "assemble/kernels/planners.h"
#include "graph/operators/resize_axis.h"
#include "library/resize.h"

namespace fuselane {
namespace {

constexpr size_t kScales = 2;
constexpr size_t kSizes = 3;

std::optional<std::vector<Sample>> samples_for(const Site& site, const ResizeMode& mode, const Dims& y,
                                               size_t axis) {
  ResizeAxis resized{.input = site.dims(0)[axis], .output = y[axis]};
  if (site.has(kScales) && *element_count(site.dims(kScales)) > 0) {
    const Tensor* scales = site.known(kScales);
    if (!scales) return std::nullopt;
    resized.scale = scales->number(static_cast<int64_t>(axis));
  } else if (!site.known(kSizes)) {
    return std::nullopt;
  }
  return samples_of(mode, resized);
}

Result<Tensor> nearest_table(const std::vector<Sample>& samples) {
  Tensor table = TRY(Tensor::allocate(DType::UInt32, {static_cast<int64_t>(samples.size())}));
  for (size_t i = 0; i < samples.size(); ++i) {
    store_int(DType::UInt32, table.bytes().data(), static_cast<int64_t>(i), samples[i].taps[0].index);
  }
  return table;
}

LinearTap linear_tap(const Sample& sample) {
  LinearTap tap{0, 0, 1, 0};
  tap.low = tap.high = static_cast<uint32_t>(sample.taps[0].index);
  tap.low_weight = static_cast<float>(sample.taps[0].weight);
  if (sample.taps.size() > 1 && sample.taps[1].weight != 0) {
    tap.high = static_cast<uint32_t>(sample.taps[1].index);
    tap.high_weight = static_cast<float>(sample.taps[1].weight);
    if (tap.low_weight == 0) tap.low = tap.high;
  }
  return tap;
}

Result<Tensor> linear_table(const std::vector<Sample>& samples) {
  auto bytes = static_cast<int64_t>(samples.size() * sizeof(LinearTap));
  Tensor table = TRY(Tensor::allocate(DType::UInt8, {bytes}));
  auto* taps = reinterpret_cast<LinearTap*>(table.bytes().data());
  for (size_t i = 0; i < samples.size(); ++i) taps[i] = linear_tap(samples[i]);
  return table;
}

// Every position inside the input, of at most two elements each.
bool tables_do(const std::vector<Sample>& samples) {
  return std::ranges::all_of(samples, [](const Sample& s) { return !s.taps.empty() && s.taps.size() <= 2; });
}

Result<bool> plan_nearest(Site& site, const Dims& y, const std::vector<Sample>& rows,
                          const std::vector<Sample>& columns) {
  const Dims& x = site.dims(0);
  BufferId row_table = TRY(site.literal(TRY(nearest_table(rows))));
  BufferId column_table = TRY(site.literal(TRY(nearest_table(columns))));
  ResizeNearestArgs args{.n = static_cast<uint32_t>(x[0]),
                         .h = static_cast<uint32_t>(x[2]),
                         .w = static_cast<uint32_t>(x[3]),
                         .oh = static_cast<uint32_t>(y[2]),
                         .ow = static_cast<uint32_t>(y[3]),
                         .pixel_bytes = static_cast<uint32_t>(x[1] * bits_of(site.dtype(0)) / 8)};
  BufferId from = site.input(0, Layout::ChannelsLast);
  BufferId to = site.output(0, Layout::ChannelsLast);
  site.call(row(KernelId::ResizeNearest), args,
            {{offsetof(ResizeNearestArgs, x), from},
             {offsetof(ResizeNearestArgs, y), to},
             {offsetof(ResizeNearestArgs, rows), row_table},
             {offsetof(ResizeNearestArgs, columns), column_table}},
            {from}, {to}, args.n * args.oh, 1);
  return true;
}

Result<bool> plan_linear(Site& site, const Dims& y, const std::vector<Sample>& rows,
                         const std::vector<Sample>& columns) {
  const Dims& x = site.dims(0);
  BufferId row_table = TRY(site.literal(TRY(linear_table(rows))));
  BufferId column_table = TRY(site.literal(TRY(linear_table(columns))));
  ResizeLinearArgs args{.n = static_cast<uint32_t>(x[0]),
                        .h = static_cast<uint32_t>(x[2]),
                        .w = static_cast<uint32_t>(x[3]),
                        .channels = static_cast<uint32_t>(x[1]),
                        .oh = static_cast<uint32_t>(y[2]),
                        .ow = static_cast<uint32_t>(y[3])};
  BufferId from = site.input(0, Layout::ChannelsLast);
  BufferId to = site.output(0, Layout::ChannelsLast);
  site.call(row(KernelId::ResizeLinear), args,
            {{offsetof(ResizeLinearArgs, x), from},
             {offsetof(ResizeLinearArgs, y), to},
             {offsetof(ResizeLinearArgs, rows), row_table},
             {offsetof(ResizeLinearArgs, columns), column_table}},
            {from}, {to}, args.n * args.oh, 1);
  return true;
}

}  // namespace

Result<bool> plan_resize(Site& site) {
  const Dims& x = site.dims(0);
  Dims y = site.result_dims(0);
  if (x.size() != 4 || x[0] != y[0] || x[1] != y[1] || !fits32(x) || !fits32(y)) return false;
  if (element_count(x) == 0 || element_count(y) == 0) return false;
  ResizeMode mode = TRY(resize_mode(site.node()));
  bool linear = mode.interpolation == Interpolation::Linear && site.dtype(0) == DType::Float32;
  bool nearest = mode.interpolation == Interpolation::Nearest && bits_of(site.dtype(0)) >= 8;
  if ((!linear && !nearest) || mode.coordinates == CoordinateMode::TfCropAndResize) return false;
  auto rows = samples_for(site, mode, y, 2);
  auto columns = samples_for(site, mode, y, 3);
  if (!rows || !columns || !tables_do(*rows) || !tables_do(*columns)) return false;
  return linear ? plan_linear(site, y, *rows, *columns) : plan_nearest(site, y, *rows, *columns);
}

}  // namespace fuselane
