#include "assemble/winograd_sizes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "graph/operators/window.h"
#include "library/winograd.h"

namespace fuselane {
namespace {

// Times are in units of a multiply-add at the peak (28 a nanosecond). With these the products of resnet18's
// layers take what was measured to within 7% (an AMD EPYC, Chromium 156): tiles of 4 x 4 1.1 ms at 56x56, 1.3
// at 28x28, 1.9 at 14x14 and 3.5 at 7x7; of 2 x 2 2.35 at 14x14 and 3.55 at 7x7; direct 4.3, and 4.8 at 7x7.
constexpr double kWeight = 6;         // of a packed weight, from memory: once for each block
constexpr double kPlaneElement = 10;  // written or read by a transform
// Products of fewer rows take as long as of so many.
constexpr double kLeastRows = 4;

double time_of(const FilteredConv& c, uint32_t size) {
  auto number = [](int64_t value) { return static_cast<double>(value); };
  const double weights = number(c.depth) * number(c.features);
  if (size == 0) return 9 * weights * (number(c.images) * number(c.rows) * number(c.columns) + kWeight);
  const int64_t side = size;
  const double tiles =
      number(c.images) * number((c.rows + side - 1) / side) * number((c.columns + side - 1) / side);
  const double products = weights * (std::max(tiles, kLeastRows) + kWeight * std::ceil(tiles / kLeastTiles));
  return winograd_planes(size) * (products + kPlaneElement * tiles * number(c.depth + c.features));
}

int64_t weights_of(const FilteredConv& c, uint32_t size) {
  return c.depth * c.features * (size == 0 ? 9 : winograd_planes(size));
}

// A convolution that can be computed so; what is not known of its results is 0.
std::optional<FilteredConv> filtered_conv(const Graph& graph, const Node& node) {
  if (node.op != Op::Conv || node.integer(Attr::Group) != 1) return std::nullopt;
  const Constant* filter = graph.constant_of(node.inputs[1]);
  if (!filter || filter->dtype != DType::Float32 || filter->dims.size() != 4) return std::nullopt;
  const Dims& dims = filter->dims;
  auto attributes = window_attributes(node, 2);
  auto is_one = [](int64_t value) { return value == 1; };
  const bool fits = attributes && dims[2] == 3 && dims[3] == 3 && dims[0] > 0 && dims[0] % 4 == 0 &&
                    dims[1] > 0 && dims[1] % 4 == 0 && std::ranges::all_of(attributes->strides, is_one) &&
                    std::ranges::all_of(attributes->dilations, is_one);
  if (!fits) return std::nullopt;
  FilteredConv conv{.images = 1, .rows = 0, .columns = 0, .depth = dims[1], .features = dims[0]};
  const auto& y = graph[node.outputs[0]].type.dims;
  if (!y || y->size() != 4) return conv;
  auto known = [&](size_t axis, int64_t otherwise) {
    return (*y)[axis].known() ? (*y)[axis].extent : otherwise;
  };
  conv.images = known(0, 1);
  conv.rows = known(2, 0);
  conv.columns = known(3, 0);
  return conv;
}

struct Layer {
  size_t node;
  FilteredConv conv;
  int64_t results;   // of a feature in an image; 0 where that is not known
  uint32_t largest;  // size that may be the fastest
};

std::vector<Layer> layers_of(const Graph& graph) {
  std::vector<Layer> layers;
  for (size_t n = 0; n < graph.node_count(); ++n) {
    auto conv = filtered_conv(graph, graph[NodeId(n)]);
    if (!conv) continue;
    const auto results = element_count(Dims{conv->rows, conv->columns}).value_or(0);
    const uint32_t largest = results > 0 ? winograd_size(*conv, 4) : 4;
    if (largest > 0) layers.push_back({n, *conv, results, largest});
  }
  std::ranges::sort(layers, {}, [](const Layer& layer) {
    return std::tuple(-layer.results, weights_of(layer.conv, 0), layer.node);
  });
  return layers;
}

int64_t constant_bytes(const Graph& graph) {
  int64_t all = 0;
  for (size_t c = 0; c < graph.constant_count(); ++c) {
    const Constant& constant = graph[ConstantId(c)];
    auto count = element_count(constant.dims);
    all += count ? bytes_of(constant.dtype, *count).value_or(0) : 0;
  }
  return all;
}

}  // namespace

uint32_t winograd_size(const FilteredConv& conv, uint32_t largest) {
  uint32_t best = 0;
  for (uint32_t size : {2u, 4u}) {
    if (size <= largest && time_of(conv, size) < time_of(conv, best)) best = size;
  }
  return best;
}

std::vector<uint8_t> winograd_sizes(const Graph& graph, double memory) {
  std::vector<uint8_t> sizes(graph.node_count());
  // What direct ones take is among the constants' bytes.
  double left = (memory - 1) * static_cast<double>(constant_bytes(graph));
  const std::vector<Layer> layers = layers_of(graph);
  // Small tiles for all, then large ones: the first take the fewest bytes for the time they save.
  for (uint8_t size : {uint8_t{2}, uint8_t{4}}) {
    for (const Layer& layer : layers) {
      const auto more =
          static_cast<double>((weights_of(layer.conv, size) - weights_of(layer.conv, sizes[layer.node])) *
                              int64_t{sizeof(float)});
      if (size > layer.largest || more > left) continue;
      left -= more;
      sizes[layer.node] = size;
    }
  }
  return sizes;
}

}  // namespace fuselane
