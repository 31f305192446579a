// A loaded model: its graph, weights and plans, and the run under way. To the walk it is the host.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "engine/engine_state.h"
#include "engine/plans.h"
#include "engine/weights.h"
#include "optimize/passes.h"
#include "run/walk.h"

namespace fuselane {

struct Model::State final : public Host {
  explicit State(Engine::State& engine) : engine(engine), walk(*this, engine.crew) {}

  Engine::State& engine;  // outlives the model
  std::unique_ptr<ByteSource> source;
  Graph graph;
  std::unique_ptr<Weights> weights;
  AssembleOptions options;
  PlanCache plans;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::string name;
  PassSet passes = PassSet::all();
  int64_t nodes_imported = 0;
  Preparation preparation;  // what report() does not take from plans and weights

  Plan* plan = nullptr;           // of the run under way, or of the last one
  std::vector<TensorView> feeds;  // these three are kept between runs so that a run allocates nothing
  std::vector<TensorView> given;
  std::vector<bool> wanted;
  std::vector<std::shared_ptr<const Tensor>> held;  // the feeds' tensors: results may be the same memory
  Walk walk;

  Status call_reference(uint32_t node, std::span<const TensorView> operands,
                        std::span<const TensorView> results) override;
  Result<const Segment*> next_segment(const Segment& ended, std::span<const TensorView> values) override;
  Result<Callee> generated_kernel(uint32_t node, uint32_t number) override;
  bool awaits_kernels() override { return engine.kernels.pending() != nullptr; }
  Result<uint8_t*> arena(uint64_t bytes) override { return engine.arena.reserve(bytes); }
  uint8_t* weight(uint32_t index) override { return weights->weight(index).as<uint8_t>(); }
  uint8_t* packed(uint32_t index) override { return weights->packed(index); }
  uint8_t* feed(uint32_t index) override { return feeds[index].as<uint8_t>(); }
  Error error_at(uint32_t node, ErrorCode code, std::string_view sentence) override;
  double now_ms() override { return fuselane::now_ms(); }
  bool cancelled() override { return engine.cancelled && engine.cancelled(); }

  // What the plan needs of kernels that were new to the engine.
  void close_batch();
  std::string_view kernel_name(uint32_t number) const;
  // The graph as text after the last run of a pass; reads the model again.
  Result<std::string> graph_after(std::string_view pass) const;
};

// Nodes that compute, those of branches included.
int64_t count_nodes(const Graph& graph);

}  // namespace fuselane
