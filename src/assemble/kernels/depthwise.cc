// Conv with a filter for each channel: a generated kernel over x as it lies, channels last, which leaves out
// what is in the padding. The sums of a row's first and last columns, where windows reach beyond x, are code
// of their own, made for this padding where the borders do not overlap.
#include <array>
#include <cstddef>

#include "assemble/kernels/planners.h"
#include "base/printer.h"

namespace fuselane {
namespace {

// y's columns: those whose windows begin before x, those that lie inside, the rest; and how far the first and
// the last window reach beyond x.
struct Columns {
  uint32_t left, inner, right;
  uint32_t before, behind;
};

Columns columns_of(const Window& w) {
  const uint64_t reach = uint64_t{w.kernel_w - 1} * w.dilation_w + 1;
  const uint64_t end = uint64_t{w.w} + w.pad_left;
  auto at_most = [&](uint64_t columns) { return static_cast<uint32_t>(std::min<uint64_t>(columns, w.ow)); };
  const uint32_t left = at_most((uint64_t{w.pad_left} + w.stride_w - 1) / w.stride_w);
  const uint32_t until = end < reach ? 0 : at_most((end - reach) / w.stride_w + 1);
  const uint64_t last = uint64_t{w.ow - 1} * w.stride_w + reach;
  return {.left = left,
          .inner = until > left ? until - left : 0,
          .right = w.ow - std::max(left, until),
          .before = w.pad_left,
          .behind = static_cast<uint32_t>(last > end ? last - end : 0)};
}

// Nothing where a window reaches beyond both sides, or lies beside x as a whole.
std::optional<loop::DepthwiseTask::Borders> borders_of(const Window& w, const Columns& columns) {
  const uint32_t most = std::min((w.kernel_w - 1) * w.dilation_w, 255u);
  if (columns.before > most || columns.behind > most) return std::nullopt;
  auto beyond = [&](uint32_t columns) { return (columns + w.stride_w - 1) / w.stride_w; };
  const bool overlap = beyond(columns.before) + beyond(columns.behind) > w.ow;
  if (overlap) return std::nullopt;
  return loop::DepthwiseTask::Borders{static_cast<uint8_t>(columns.before),
                                      static_cast<uint8_t>(columns.behind)};
}

// Where an operand's or the result's elements lie.
struct Image {
  bool strided = false;               // taken as it lies
  std::array<uint64_t, 3> strides{};  // from batch to batch, row to row, column to column
};

// Channels last with the given strides by dimension, or dense where its channels are not.
Image image_of(const Dims& dims, const Dims& strides) {
  // One spatial axis is a row of height 1.
  const bool has_rows = dims.size() == 4;
  auto gathered = [&](const Dims& from) {
    auto stride = [&](size_t axis) { return dims[axis] == 1 ? 0 : static_cast<uint64_t>(from[axis]); };
    return std::array{stride(0), has_rows ? stride(2) : 0, stride(has_rows ? 3 : 2)};
  };
  const bool as_it_lies = (dims[1] == 1 || strides[1] == 1) &&
                          std::ranges::all_of(strides, [](int64_t stride) { return fits32(stride); });
  return {.strided = as_it_lies,
          .strides = gathered(as_it_lies ? strides : dense_strides(dims, Layout::ChannelsLast))};
}

struct ImageOperand {
  size_t index;
  Layout layout;
  Image image;
  uint8_t channel;  // its stride
};

// An element for each of the result's, or for each channel, or a single one.
std::optional<ImageOperand> operand_of(const Site& site, size_t index) {
  if (site.dtype(index) != DType::Float32) return std::nullopt;
  const Dims& dims = site.dims(index);
  const Dims& y = site.result_dims(0);
  constexpr Layout kLayout = Layout::ChannelsLast;
  if (dims == y) return ImageOperand{index, kLayout, image_of(dims, site.strides(index, kLayout)), 1};
  const auto count = element_count(dims);
  if (count == 1) return ImageOperand{index, Layout::RowMajor, {}, 0};
  const bool is_of_channels = count == y[1] && broadcast_strides(dims, y)[1] == 1;
  if (!is_of_channels) return std::nullopt;
  return ImageOperand{index, Layout::RowMajor, {}, 1};
}

// All but the addresses: nothing where there is no kernel for it.
struct DepthwiseCall {
  GeneratedCall call;
  Image x, y;
  std::vector<ImageOperand> operands;
  std::vector<size_t> over;  // operands that the result may overwrite
  std::optional<FinishCall> finish;
};

std::optional<DepthwiseCall> prepare_depthwise(Site& site, const Window& w) {
  const Columns columns = columns_of(w);
  loop::DepthwiseTask task{.channels_tail = static_cast<uint8_t>(w.channels % kLanes),
                           .width = static_cast<uint8_t>(w.kernel_w),
                           .stride = static_cast<uint8_t>(w.stride_w),
                           .dilation = static_cast<uint8_t>(w.dilation_w),
                           .borders = borders_of(w, columns),
                           .strides = {},
                           .finish = {}};
  std::vector<SizeArgument> sizes = {{"batches", w.n},
                                     {"rows", w.oh},
                                     {"left_columns", columns.left},
                                     {"inner_columns", columns.inner},
                                     {"right_columns", columns.right},
                                     {"whole_blocks", w.channels / kLanes},
                                     {"kernel_height", w.kernel_h},
                                     {"stride_height", w.stride_h},
                                     {"dilation_height", w.dilation_h},
                                     {"pad_top", w.pad_top},
                                     {"height", w.h},
                                     {"pad_left", w.pad_left},
                                     {"width", w.w},
                                     {"w_batch", 0}};
  auto add_strides = [&](const std::string& name, const Image& image) {
    constexpr const char* kNames[] = {"_batch", "_row", "_column"};
    for (size_t i = 0; i < std::size(kNames); ++i) sizes.push_back({name + kNames[i], image.strides[i]});
  };
  DepthwiseCall made{.call = {},
                     .x = image_of(site.dims(0), site.strides(0, Layout::ChannelsLast)),
                     .y = image_of(site.result_dims(0), site.output_strides(0, Layout::ChannelsLast)),
                     .operands = {},
                     .over = {},
                     .finish = {}};
  add_strides("x", made.x);
  add_strides("y", made.y);
  for (size_t i = site.input_count(); i < site.operand_count(); ++i) {
    const auto operand = operand_of(site, i);
    if (!operand) return std::nullopt;
    add_strides(cat("x", task.strides.size()), operand->image);
    task.strides.push_back(operand->channel);
    made.operands.push_back(*operand);
    // Other windows read x when an element of y is there.
    if (site.dims(i) == site.result_dims(0) && !site.share_memory(i, 0)) made.over.push_back(i);
  }
  task.finish = finish_of(site, task.strides.size());
  made.finish = take_apart(site, task.finish, task.strides.size(), Layout::ChannelsLast, made.y.strided);
  auto call = prepare_generated(site, task, sizes);
  if (!call) return std::nullopt;
  made.call = *std::move(call);
  return made;
}

BufferId take(Site& site, size_t index, Layout layout, const Image& image) {
  return image.strided ? site.strided(index, layout) : site.input(index, layout);
}

}  // namespace

bool has_depthwise(const Window& window) {
  return std::max({window.kernel_w, window.stride_w, window.dilation_w}) <= 255;
}

Result<bool> plan_depthwise(Site& site, const Window& window) {
  const auto made = prepare_depthwise(site, window);
  if (!made) return false;
  const DepthwisePackArgs pack{.channels = window.channels, .positions = window.positions()};
  std::vector<Packing::Operand> constants = {whole_constant(site, 1, offsetof(DepthwisePackArgs, weights))};
  if (site.has(2)) constants.push_back(whole_constant(site, 2, offsetof(DepthwisePackArgs, bias)));
  const BufferId packed = TRY(site.packed(
      packing_of(KernelId::DepthwisePack, offsetof(DepthwisePackArgs, packed),
                 depthwise_packed_size(pack.channels, pack.positions) * sizeof(float),
                 {packing_part(pack, std::move(constants), (pack.channels + kLanes - 1) / kLanes)})));
  std::vector<BufferId> buffers = {take(site, 0, Layout::ChannelsLast, made->x), packed};
  for (const ImageOperand& operand : made->operands)
    buffers.push_back(take(site, operand.index, operand.layout, operand.image));
  buffers.push_back(made->y.strided ? site.output_strided_over(0, made->over, Layout::ChannelsLast)
                                    : site.output(0, Layout::ChannelsLast));
  call_generated(site, made->call, buffers, 1);
  if (made->finish) call_finish(site, *made->finish, buffers.back());
  return true;
}

}  // namespace fuselane
