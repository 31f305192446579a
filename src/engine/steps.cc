// What the steps of the last run are and, where it was timed, how long they took.
#include <algorithm>

#include "engine/model_state.h"
#include "graph/ops.h"
#include "library/copy.h"
#include "library/kernels.h"

namespace fuselane {
namespace {

struct Traffic {
  uint64_t read = 0;
  uint64_t written = 0;
};

// Of buffers, each once.
uint64_t bytes_of(const Segment& segment, const std::vector<BufferId>& ids) {
  uint64_t bytes = 0;
  for (auto id = ids.begin(); id != ids.end(); ++id) {
    if (*id && std::find(ids.begin(), id, *id) == id) bytes += segment.buffers[id->index].bytes;
  }
  return bytes;
}

uint64_t bytes_of(const LoopNest& nest, uint32_t element_size) {
  uint64_t bytes = element_size;
  for (uint32_t i = 0; i < nest.loops; ++i) bytes *= nest.extent[i];
  return bytes;
}

// Whole buffers, except for kernels that move elements: these often touch a part.
Traffic traffic_of(const Segment& segment, const Step& step) {
  const void* args = reinterpret_cast<const uint8_t*>(segment.args.data()) + step.args;
  Traffic traffic = {bytes_of(segment, step.inputs), bytes_of(segment, step.outputs)};
  if (step.kernel == static_cast<uint32_t>(KernelId::Copy)) {
    const auto& copy = *static_cast<const CopyArgs*>(args);
    traffic.written = bytes_of(copy.nest, copy.element_size);
    traffic.read = std::min(traffic.read, traffic.written);
  } else if (step.kernel == static_cast<uint32_t>(KernelId::Fill)) {
    const auto& fill = *static_cast<const FillArgs*>(args);
    traffic.written = bytes_of(fill.nest, fill.element_size);
  } else if (step.kernel == static_cast<uint32_t>(KernelId::Gather)) {
    const uint64_t indices = segment.buffers[step.inputs[1].index].bytes;
    traffic.read = indices + std::min(traffic.read - indices, traffic.written);
  }
  return traffic;
}

NodeName name_of(const Node& node) { return {.name = node.name, .op = text_of(node.op)}; }

// Whether the step is what a group's sums are computed by; names begin with the task's.
bool is_product(const StepReport& report) {
  return report.kind == "generated" && !report.kernel.starts_with("map");
}

// The products have a group's arithmetic, alike where there are several; where there are none, its last step.
void place_arithmetic(std::vector<StepReport>& reports, const std::vector<size_t>& group, int64_t all) {
  std::vector<size_t> products;
  for (size_t i : group) {
    if (is_product(reports[i])) products.push_back(i);
  }
  if (products.empty()) products.push_back(group.back());
  const auto count = static_cast<int64_t>(products.size());
  for (int64_t k = 0; k < count; ++k)
    reports[products[static_cast<size_t>(k)]].multiply_adds = all / count + (k < all % count ? 1 : 0);
}

}  // namespace

Result<std::vector<StepReport>> Model::steps() const {
  const State& state = *state_;
  if (!state.plan || state.walk.path().empty()) {
    return fail(ErrorCode::InvalidArgument, "steps are planned for the shapes of a run; run the model first");
  }
  const std::vector<double>& times = state.walk.times();
  std::vector<StepReport> reports;
  int64_t groups_before = 0;
  int64_t stages_before = 0;
  for (const Segment* segment : state.walk.path()) {
    std::vector<std::vector<size_t>> steps_of(segment->groups.size());
    for (const Step& step : segment->steps) {
      const size_t i = reports.size();
      StepReport& report = reports.emplace_back();
      report.node = name_of(state.graph[NodeId(size_t{step.node})]);
      report.kernel = state.kernel_name(step.kernel);
      if (step.kernel != kNoKernel && step.kernel >= kLibraryKernels) {
        report.kind = "generated";
        report.schedule = state.engine.kernels.schedule(step.kernel);
      } else {
        report.kind = step.kernel == kNoKernel ? "reference" : "library";
      }
      report.stage = stages_before + step.stage;
      const Traffic traffic = traffic_of(*segment, step);
      report.bytes_read = static_cast<int64_t>(traffic.read);
      report.bytes_written = static_cast<int64_t>(traffic.written);
      if (step.kernel != kNoKernel && step.extent > 0) {
        const uint32_t chunk = state.engine.crew.chunk_of(step.extent, step.grain);
        report.chunks = (step.extent - 1) / chunk + 1;
      }
      if (i < times.size()) report.milliseconds = times[i];
      if (step.group == kNoGroup) continue;
      const StepGroup& group = segment->groups[step.group];
      report.group = groups_before + step.group;
      for (uint32_t node : group.nodes) report.nodes.push_back(name_of(state.graph[NodeId(size_t{node})]));
      steps_of[step.group].push_back(i);
    }
    for (size_t group = 0; group < steps_of.size(); ++group) {
      if (steps_of[group].empty()) continue;
      place_arithmetic(reports, steps_of[group], static_cast<int64_t>(segment->groups[group].multiply_adds));
    }
    groups_before += static_cast<int64_t>(segment->groups.size());
    if (!segment->steps.empty()) stages_before += segment->steps.back().stage + 1;
  }
  return reports;
}

}  // namespace fuselane
