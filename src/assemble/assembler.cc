#include "assemble/assembler.h"

#include <algorithm>

#include "assemble/kernels/planners.h"
#include "assemble/winograd_sizes.h"
#include "graph/ops.h"

namespace fuselane {

Assembler::Assembler(const Graph& graph, PackStore& packs, const std::vector<Dims>& feed_dims,
                     std::vector<bool> wanted, const AssembleOptions& options)
    : graph_(&graph),
      packs_(&packs),
      options_(options),
      demand_(std::make_shared<const Demand>(demand_of(graph, wanted))),
      wanted_(std::move(wanted)),
      tracer_(graph, demand_),
      builder_(graph, demand_, options.horizontal && options.threads > 1) {
  if (options.winograd)
    winograd_ = std::make_shared<const std::vector<uint8_t>>(winograd_sizes(graph, options.memory));
  for (size_t i = 0; i < feed_dims.size(); ++i) {
    ValueId id = graph.main().inputs[i];
    builder_.facts().define(id, graph[id].type.dtype, feed_dims[i]);
    builder_.add_feed(id, static_cast<uint32_t>(i));
  }
}

Result<Segment> Assembler::next(std::vector<std::shared_ptr<const Tensor>> values) {
  Trace trace = TRY(tracer_.next(builder_.facts(), std::move(values)));
  builder_.begin();
  if (options_.kernels && options_.horizontal) direct_values(trace);
  for (const Event& event : trace.events) {
    switch (event.kind) {
      case EventKind::Compute:
        if (!TRY(wait(event.node))) TRY(place_results(event.node));
        break;
      case EventKind::Fold:
        builder_.consume_inputs((*graph_)[event.node]);
        break;
      case EventKind::Enter:
        enter(event.node, event.block);
        break;
      case EventKind::Leave:
        leave_block(event.node, event.block);
        break;
    }
  }
  return builder_.close(trace.ending, trace.results, wanted_);
}

void Assembler::enter(NodeId branch, BlockId taken) {
  const Node& node = (*graph_)[branch];
  builder_.consume(node.inputs[0]);
  drop_block(node.blocks[0] == taken ? node.blocks[1] : node.blocks[0]);
}

void Assembler::leave_block(NodeId branch, BlockId id) {
  const Block& block = (*graph_)[id];
  const Node& owner = (*graph_)[branch];
  for (size_t i = 0; i < block.outputs.size(); ++i) {
    if (builder_.is_used(owner.outputs[i])) builder_.join(block.outputs[i], owner.outputs[i]);
  }
}

// The reads of a branch that does not run will not come.
void Assembler::drop_block(BlockId id) {
  const Block& block = (*graph_)[id];
  const Node& owner = (*graph_)[block.owner];
  for (size_t i = 0; i < block.outputs.size(); ++i) {
    if (builder_.is_used(owner.outputs[i])) builder_.consume(block.outputs[i]);
  }
  for (NodeId node_id : block.nodes) {
    if (!demand_->nodes[node_id.index]) continue;
    builder_.consume_inputs((*graph_)[node_id]);
    for (BlockId inner : (*graph_)[node_id].blocks) drop_block(inner);
  }
}

// The node's results, with what waits for it where there is a kernel for all of them together.
Status Assembler::place_results(NodeId id) {
  const Node& node = (*graph_)[id];
  bool is_awaited =
      std::ranges::any_of(node.inputs, [&](ValueId input) { return waiting(input) != nullptr; });
  std::optional<Expression> expression;
  if (is_awaited && is_function_of_elements(node.op)) expression = TRY(expression_of_group(id));
  if (expression && TRY(plan_group(*expression, id))) return {};
  return plan_alone(id);
}

// Results become steps, or other views of memory that is there.
Status Assembler::plan_node(Site& site) {
  bool is_planned = plan_reshape(site) || (options_.kernels && TRY(plan_with_kernels(site)));
  if (!is_planned) site.call_reference();
  return {};
}

}  // namespace fuselane
