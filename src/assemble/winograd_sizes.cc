#include "assemble/winograd_sizes.h"

#include <algorithm>

#include "graph/operators/window.h"

namespace fuselane {
namespace {

// With fewer channels times features transforms take longer than they save.
constexpr int64_t kLeastProducts = 256;

bool is_eligible(const Graph& graph, const Node& node) {
  if (node.op != Op::Conv) return false;
  const Constant* filter = graph.constant_of(node.inputs[1]);
  if (!filter || filter->dtype != DType::Float32 || filter->dims.size() != 4) return false;
  const Dims& dims = filter->dims;
  auto attributes = window_attributes(node, 2);
  auto is_one = [](int64_t value) { return value == 1; };
  return attributes && dims[2] == 3 && dims[3] == 3 && node.integer(Attr::Group) == 1 && dims[0] % 4 == 0 &&
         dims[1] % 4 == 0 && dims[0] * dims[1] >= kLeastProducts &&
         std::ranges::all_of(attributes->strides, is_one) &&
         std::ranges::all_of(attributes->dilations, is_one);
}

// Gives layers the size as long as what it takes is left, those with the fewest weights first.
void grow(std::vector<int64_t> bytes, uint8_t size, int64_t ninths, int64_t& left,
          std::vector<uint8_t>& sizes) {
  while (true) {
    size_t least = bytes.size();
    for (size_t n = 0; n < bytes.size(); ++n) {
      if (bytes[n] > 0 && (least == bytes.size() || bytes[n] < bytes[least])) least = n;
    }
    if (least == bytes.size() || bytes[least] / 9 * ninths > left) return;
    left -= bytes[least] / 9 * ninths;
    sizes[least] = size;
    bytes[least] = 0;
  }
}

}  // namespace

std::vector<uint8_t> winograd_sizes(const Graph& graph) {
  std::vector<uint8_t> sizes(graph.node_count());
  int64_t left = 0;
  for (size_t c = 0; c < graph.constant_count(); ++c) {
    const Constant& constant = graph[ConstantId(c)];
    auto count = element_count(constant.dims);
    left += count ? bytes_of(constant.dtype, *count).value_or(0) : 0;
  }
  std::vector<int64_t> bytes(graph.node_count());  // of the weights of layers that may
  for (size_t n = 0; n < bytes.size(); ++n) {
    const Node& node = graph[NodeId(n)];
    if (!is_eligible(graph, node)) continue;
    const Dims& filter = graph.constant_of(node.inputs[1])->dims;
    bytes[n] = filter[0] * filter[1] * 9 * static_cast<int64_t>(sizeof(float));
  }
  // Ninths of the weights' bytes that come on top: of small tiles for all layers, then for larger ones.
  grow(bytes, 2, 7, left, sizes);
  grow(bytes, 4, 20, left, sizes);
  return sizes;
}

}  // namespace fuselane
