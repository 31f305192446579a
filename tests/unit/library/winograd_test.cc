// Convolutions by Winograd's filtering, with products in double precision between the transforms, against
// sums in double: what float32 loses in the transforms stays within bounds of the largest result.
#include "library/winograd.h"

#include "library/matmul.h"
#include "tests/unit/library/kernel_case.h"
#include "tests/unit/library/window_case.h"

namespace fuselane {
namespace {

struct WinogradCase {
  Window window;
  uint32_t features;
  uint32_t x_stride;  // floats from one pixel to the next
  std::vector<float> x, weights, bias;
};

// Floats of pixels that lie so far apart.
size_t spread_size(uint32_t pixels, uint32_t channels, uint32_t stride) {
  return size_t{pixels - 1} * stride + channels;
}

WinogradCase random_winograd_case(Rng& rng) {
  WinogradCase c{.window = {.n = pick(rng, 1, 2),
                            .h = pick(rng, 1, 9),
                            .w = pick(rng, 1, 11),
                            .channels = 4 * pick(rng, 1, 4),
                            .oh = 0,
                            .ow = 0,
                            .kernel_h = 3,
                            .kernel_w = 3,
                            .stride_h = 1,
                            .stride_w = 1,
                            .dilation_h = 1,
                            .dilation_w = 1,
                            .pad_top = pick(rng, 0, 2),
                            .pad_left = pick(rng, 0, 2)},
                 .features = 4 * pick(rng, 1, 5),
                 .x_stride = 0,
                 .x = {},
                 .weights = {},
                 .bias = {}};
  Window& w = c.window;
  w.oh = pick(rng, 1, w.h + 1);
  w.ow = pick(rng, 1, w.w + 1);
  c.x_stride = w.channels + pick_from(rng, {0u, 3u});
  c.x = random_floats(rng, spread_size(w.n * w.h * w.w, w.channels, c.x_stride));
  c.weights = random_floats(rng, size_t{c.features} * w.channels * 9);
  c.bias = random_floats(rng, c.features);
  return c;
}

// Products of each plane: c[p][i][j] = bias + sum over k of a[p][i][k] * w[p][k][j].
std::vector<float> products(const std::vector<float>& a, const std::vector<float>& packed, uint32_t planes,
                            uint32_t rows, uint32_t depth, uint32_t columns, size_t a_plane, size_t w_plane,
                            size_t c_plane) {
  std::vector<float> c(planes * c_plane);
  for (uint32_t at = 0; at < planes * rows * columns; ++at) {
    uint32_t j = at % columns, i = at / columns % rows, p = at / columns / rows;
    const float* w = packed.data() + p * w_plane + size_t{j / 8} * panel_size(1, depth) + j % 8;
    double sum = *w;
    for (uint32_t k = 0; k < depth; ++k) sum += double{a[p * a_plane + size_t{i} * depth + k]} * *(w += 8);
    c[p * c_plane + size_t{i} * columns + j] = static_cast<float>(sum);
  }
  return c;
}

std::vector<double> exact_results(const WinogradCase& c, const std::vector<float>* residual,
                                  uint32_t residual_stride) {
  const Window& w = c.window;
  std::vector<double> results;
  for (uint32_t at = 0; at < w.n * w.oh * w.ow * c.features; ++at) {
    uint32_t f = at % c.features, pixel = at / c.features;
    double sum = c.bias[f] + (residual ? (*residual)[pixel * residual_stride + f] : 0);
    each_position(
        w, {pixel / (w.oh * w.ow), pixel / w.ow % w.oh, pixel % w.ow}, [&](uint32_t position, size_t from) {
          for (uint32_t k = 0; k < w.channels; ++k)
            sum +=
                double{c.x[from * c.x_stride + k]} * c.weights[(size_t{f} * w.channels + k) * 9 + position];
        });
    results.push_back(sum);
  }
  return results;
}

TEST(Winograd, AgreesWithDouble) {
  Rng rng(8);
  for (int round = 0; round < 200; ++round) {
    const WinogradCase c = random_winograd_case(rng);
    const Window& w = c.window;
    const uint32_t size = pick_from(rng, {2u, 4u}), planes = winograd_planes(size), depth = w.channels;
    const auto w_plane = static_cast<uint32_t>(packed_size(c.features, 1, depth)) + pick(rng, 0, 3);
    std::vector<float> packed(planes * w_plane, kUnwritten);
    WinogradPackArgs pack{.weights = c.weights.data(),
                          .bias = c.bias.data(),
                          .packed = nullptr,
                          .features = c.features,
                          .depth = depth,
                          .size = size,
                          .plane = w_plane};
    run_kernel(rng, winograd_pack, pack, &WinogradPackArgs::packed, panel_count(c.features), packed);
    WinogradTiles tiles{.size = size,
                        .tiles_h = (w.oh + size - 1) / size,
                        .tiles_w = (w.ow + size - 1) / size,
                        .first = 0,
                        .plane = 0};
    const uint32_t all = w.n * tiles.tiles_h * tiles.tiles_w, block = pick(rng, 1, all);
    const uint32_t pixels = w.n * w.oh * w.ow;
    const uint32_t y_stride = c.features + pick_from(rng, {0u, 5u});
    const uint32_t residual_stride = c.features + pick_from(rng, {0u, 7u});
    std::vector<float> zeros(depth);
    const std::vector<float> residual = random_floats(rng, spread_size(pixels, c.features, residual_stride));
    const bool has_residual = rng.below(2) == 0;
    const Activation activation = rng.below(2) == 0 ? Activation{ActivationKind::Clamp, 0, 6} : Activation{};
    std::vector<float> y(spread_size(pixels, c.features, y_stride), kUnwritten);
    for (tiles.first = 0; tiles.first < all; tiles.first += block) {
      const uint32_t count = std::min(block, all - tiles.first);
      WinogradInArgs in{.x = c.x.data(),
                        .zeros = zeros.data(),
                        .planes = nullptr,
                        .tiles = tiles,
                        .h = w.h,
                        .w = w.w,
                        .channels = depth,
                        .x_stride = c.x_stride,
                        .pad_top = w.pad_top,
                        .pad_left = w.pad_left};
      const uint32_t a_plane = in.tiles.plane = block * depth + pick(rng, 0, 5);
      std::vector<float> a(size_t{planes} * a_plane, kUnwritten);
      run_kernel(rng, winograd_in, in, &WinogradInArgs::planes, count, a);
      const uint32_t c_plane = block * c.features + pick(rng, 0, 5);
      std::vector<float> sums =
          products(a, packed, planes, count, depth, c.features, a_plane, w_plane, c_plane);
      WinogradOutArgs out{.planes = sums.data(),
                          .residual = has_residual ? residual.data() : nullptr,
                          .y = nullptr,
                          .tiles = tiles,
                          .h = w.oh,
                          .w = w.ow,
                          .features = c.features,
                          .residual_stride = residual_stride,
                          .y_stride = y_stride,
                          .activation = activation};
      out.tiles.plane = c_plane;
      run_kernel(rng, winograd_out, out, &WinogradOutArgs::y, count, y);
    }
    const std::vector<double> wanted = exact_results(c, has_residual ? &residual : nullptr, residual_stride);
    double largest = 0;
    for (double result : wanted) largest = std::max(largest, std::fabs(result));
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t pixel = i / y_stride, f = i % y_stride;
      if (f >= c.features) {
        ASSERT_EQ(y[i], kUnwritten) << "between pixels";
        continue;
      }
      ASSERT_NEAR(y[i], exact(activation, wanted[pixel * c.features + f]),
                  (size == 2 ? 3e-6 : 3e-5) * largest)
          << "pixel " << pixel << " feature " << f;
    }
  }
}

}  // namespace
}  // namespace fuselane
