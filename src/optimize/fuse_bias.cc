// What is added to every channel of a product becomes the product's bias.
//
// Legal where the addend is constant, broadcasts along the channels and no other axis, and does not enlarge
// the result; and where nothing else reads the product without it. The sum is rounded once instead of twice.
#include "graph/ops.h"
#include "optimize/nodes.h"
#include "optimize/products.h"

namespace fuselane {
namespace {

Result<std::optional<Patch>> fuse(const RewriteSite& site, NodeId id) {
  const Node& node = site.graph[id];
  if (node.op != Op::Add && node.op != Op::Sub) return std::nullopt;
  if (activation_of(node).kind != ActivationKind::None) return std::nullopt;
  // Sub has its product on the left only: of c - product the weights change sign, which fold_batch_norm does.
  for (size_t k = 0; k < (node.op == Op::Add ? 2u : 1u); ++k) {
    auto product = product_before(site, node.inputs[k], id);
    if (!product) continue;
    auto shift = TRY(channel_numbers(site, node.inputs[1 - k], *product));
    if (!shift) continue;
    if (node.op == Op::Sub) {
      for (double& number : *shift) number = -number;
    }
    return fold_into_product(site, "fuse_bias", id, *product, {.shift = *std::move(shift)});
  }
  return std::nullopt;
}

}  // namespace

Result<size_t> fuse_bias(Graph& graph, PassContext& context) { return rewrite(graph, context, fuse); }

}  // namespace fuselane
