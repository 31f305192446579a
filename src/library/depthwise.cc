#include <algorithm>

#include "library/conv.h"

namespace fuselane {
namespace {

uint32_t padded(uint32_t channels) { return (channels + kLanes - 1) / kLanes * kLanes; }

struct Row {
  const float* weights;  // [positions][padded channels], past the biases
  const float* bias;
  const float* const* inputs;  // for each kernel row its input row, null in the padding
  float* y;                    // of the first output pixel of the row
};

// Up to `kPixels` output pixels side by side share each weight that is loaded.
template <uint32_t kPixels>
[[gnu::noinline]] void pixels(const DepthwiseArgs& args, const Row& row, uint32_t column, uint32_t channel,
                              uint32_t lanes) {
  const Window& window = args.window;
  uint32_t weight_stride = padded(window.channels);
  v128_t sums[kPixels];
  for (uint32_t i = 0; i < kPixels; ++i) sums[i] = wasm_v128_load(row.bias + channel);
  const float* weights = row.weights + channel;
  for (uint32_t kh = 0; kh < window.kernel_h; ++kh) {
    const float* input = row.inputs[kh];
    if (!input) {
      weights += size_t{window.kernel_w} * weight_stride;
      continue;
    }
    for (uint32_t kw = 0; kw < window.kernel_w; ++kw, weights += weight_stride) {
      v128_t weight = wasm_v128_load(weights);
      for (uint32_t i = 0; i < kPixels; ++i) {
        uint32_t at = (column + i) * window.stride_w + kw * window.dilation_w - window.pad_left;
        if (kPixels == 1 && at >= window.w) continue;  // only single pixels may reach into the padding
        const float* x = input + size_t{at} * window.channels + channel;
        sums[i] = mul_add(load_lanes(x, lanes), weight, sums[i]);
      }
    }
  }
  for (uint32_t i = 0; i < kPixels; ++i) {
    float* y = row.y + size_t{column + i} * args.y_stride + channel;
    v128_t result = apply(args.activation, sums[i]);
    store_lanes(y, result, lanes);
  }
}

template <uint32_t kPixels>
void all_channels(const DepthwiseArgs& args, const Row& row, uint32_t column) {
  for (uint32_t channel = 0; channel < args.window.channels; channel += kLanes) {
    pixels<kPixels>(args, row, column, channel, std::min(kLanes, args.window.channels - channel));
  }
}

}  // namespace

uint64_t depthwise_packed_size(uint32_t channels, uint32_t positions) {
  return uint64_t{padded(channels)} * (positions + 1);
}

uint32_t depthwise(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const DepthwiseArgs*>(raw);
  const Window& window = args.window;
  constexpr uint32_t kMostRows = 64;  // more kernel rows than this are not planned with this kernel
  const float* inputs[kMostRows];
  uint32_t reach = (window.kernel_w - 1) * window.dilation_w;
  for (uint32_t i = begin; i < end; ++i) {
    const float* image = args.x + size_t{i / window.oh} * window.h * window.w * window.channels;
    for (uint32_t kh = 0; kh < window.kernel_h; ++kh) {
      uint32_t in_row = i % window.oh * window.stride_h + kh * window.dilation_h - window.pad_top;
      inputs[kh] = in_row < window.h ? image + size_t{in_row} * window.w * window.channels : nullptr;
    }
    Row row{.weights = args.packed + padded(window.channels),
            .bias = args.packed,
            .inputs = inputs,
            .y = args.y + size_t{i} * window.ow * args.y_stride};
    uint32_t column = 0;
    while (column < window.ow) {
      // Four at a time where all of their windows lie inside the row.
      bool inside = column * window.stride_w >= window.pad_left && column + 4 <= window.ow &&
                    (column + 3) * window.stride_w + reach - window.pad_left < window.w;
      if (inside) {
        all_channels<4>(args, row, column);
        column += 4;
      } else {
        all_channels<1>(args, row, column);
        ++column;
      }
    }
  }
  return kDone;
}

uint32_t depthwise_pack(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const DepthwisePackArgs*>(raw);
  uint32_t stride = padded(args.channels);
  for (uint32_t channel = begin * kLanes; channel < end * kLanes; ++channel) {
    bool real = channel < args.channels;
    args.packed[channel] = args.bias && real ? args.bias[channel] : 0;
    for (uint32_t p = 0; p < args.positions; ++p) {
      args.packed[(p + 1) * stride + channel] = real ? args.weights[size_t{channel} * args.positions + p] : 0;
    }
  }
  return kDone;
}

}  // namespace fuselane
