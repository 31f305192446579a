// What a run that was timed tells.
#include "engine/model_state.h"
#include "graph/ops.h"

namespace fuselane {
namespace {

// Of a node whose result and first operand have these extents; 0 for one that is neither a convolution with
// constant filters nor a matrix product.
int64_t multiply_adds(const Graph& graph, const Node& node, const Dims& x, const Dims& y) {
  const int64_t results = element_count(y).value_or(0);
  if (node.op == Op::MatMul || node.op == Op::Gemm) return x.empty() ? 0 : results * x.back();
  if (node.op != Op::Conv && node.op != Op::ConvTranspose) return 0;
  const Constant* filters = graph.constant_of(node.inputs[1]);
  if (!filters || filters->dims[0] == 0) return 0;
  const int64_t filter = element_count(filters->dims).value_or(0) / filters->dims[0];
  return (node.op == Op::Conv ? results : element_count(x).value_or(0)) * filter;
}

}  // namespace

std::vector<ProfiledStep> Model::profile() const {
  const State& state = *state_;
  const std::vector<StepTime>& times = state.walk.times();
  std::vector<ProfiledStep> steps;
  for (size_t i = 0; i < times.size(); ++i) {
    const auto& [segment, step, milliseconds] = times[i];
    const Node& node = state.graph[NodeId(size_t{step->node})];
    ProfiledStep& profiled = steps.emplace_back(ProfiledStep{.node = node.name,
                                                             .op = text_of(node.op),
                                                             .kernel = state.kernel_name(step->kernel),
                                                             .milliseconds = milliseconds});
    const bool last = i + 1 == times.size() || times[i + 1].step->node != step->node;
    if (!last || !step->inputs[0] || !step->outputs[0]) continue;
    profiled.multiply_adds = multiply_adds(state.graph, node, segment->buffers[step->inputs[0].index].dims,
                                           segment->buffers[step->outputs[0].index].dims);
  }
  return steps;
}

}  // namespace fuselane
