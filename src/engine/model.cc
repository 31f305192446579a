#include "engine/feeds.h"
#include "engine/model_state.h"
#include "graph/ops.h"
#include "graph/print.h"
#include "import/import.h"
#include "library/kernels.h"
#include "optimize/optimize.h"
#include "plan/print.h"

namespace fuselane {
namespace {

template <class T, class Body>
Result<T> guarded(Body body) {
  Result<T> result = fail(ErrorCode::OutOfMemory, "the memory is used up");
  (void)has_memory_for([&] { result = body(); });
  return result;
}

}  // namespace

int64_t count_nodes(const Graph& graph) {
  size_t count = 0;
  for (size_t b = 0; b < graph.block_count(); ++b) count += graph[BlockId(b)].nodes.size();
  return static_cast<int64_t>(count);
}

Status Model::State::call_reference(uint32_t node, std::span<const TensorView> operands,
                                    std::span<const TensorView> results) {
  return run_reference({.node = graph[NodeId(size_t{node})], .inputs = operands, .outputs = results});
}

Error Model::State::error_at(uint32_t node, ErrorCode code, std::string_view sentence) {
  const Node& called = graph[NodeId(size_t{node})];
  Error error(code, cat(describe(called), ": ", sentence));
  error.node = called.name;
  return error;
}

Result<Callee> Model::State::generated_kernel(uint32_t node, uint32_t number) {
  auto callee = engine.kernels.callee(number);
  if (callee) return callee;
  return std::unexpected(error_at(node, callee.error().code, callee.error().message));
}

Result<const Segment*> Model::State::next_segment(const Segment& ended, std::span<const TensorView> values) {
  const Segment* next = TRY(plan->next(ended, values));
  close_batch();
  return next;
}

void Model::State::close_batch() {
  if (!engine.kernels.has_batch()) return;
  const Stopwatch emitting(preparation.emit_ms);
  engine.kernels.close_batch();
}

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::~Model() {
  if (state_->engine.arena_owner == state_.get()) state_->engine.arena_owner = nullptr;
}

const std::vector<Port>& Model::inputs() const { return state_->inputs; }
const std::vector<Port>& Model::outputs() const { return state_->outputs; }

Status Model::start(const std::vector<Feed>& feeds, const RunOptions& options) {
  return guarded<void>([&]() -> Status {
    State& state = *state_;
    state.engine.arena_owner = nullptr;
    state.held.clear();
    state.given.clear();
    for (const Feed& feed : feeds) {
      state.held.push_back(state.engine.tensors.find(feed.tensor));
      state.given.push_back(state.held.back() ? state.held.back()->view() : TensorView());
    }
    TRY(match_feeds(state.inputs, feeds, state.given, state.feeds));
    TRY(match_outputs(state.outputs, options.outputs, state.wanted));
    state.plan = nullptr;
    state.plan = TRY(state.plans.get(state.graph, *state.weights, state.feeds, state.wanted, state.options));
    state.close_batch();
    return state.walk.start(state.plan->first(), options.timed);
  });
}

Result<bool> Model::advance(double budget_ms) {
  return guarded<bool>([&]() -> Result<bool> {
    bool done = TRY(state_->walk.advance(budget_ms));
    if (done) state_->engine.arena_owner = state_.get();
    return done;
  });
}

Error Model::trapped() { return state_->walk.trapped(); }

int64_t Model::steps_done() const { return state_->walk.steps_done(); }
int64_t Model::steps_known() const { return state_->plan ? state_->plan->steps() : 0; }

Result<TensorView> Model::output(std::string_view name) const {
  const State& state = *state_;
  if (state.engine.arena_owner != &state || !state.walk.done()) {
    return fail(ErrorCode::InvalidArgument,
                "results are there from the end of a run to the engine's next one");
  }
  size_t i = 0;
  while (i < state.outputs.size() && state.outputs[i].name != name) ++i;
  TensorView view =
      i < state.outputs.size() ? state.walk.view(state.walk.segment()->results[i]) : TensorView();
  if (view.present()) return view;
  return fail_about(ErrorCode::InvalidArgument, name, cat("the run did not ask for an output '", name, "'"));
}

Result<TensorId> Model::keep(std::string_view name) {
  return guarded<TensorId>([&]() -> Result<TensorId> {
    return state_->engine.tensors.add(TRY(Tensor::copy_of(TRY(output(name)))));
  });
}

Report Model::report() const {
  Report report;
  report.nodes_imported = state_->nodes_imported;
  report.nodes = count_nodes(state_->graph);
  report.plans = state_->plans.count();
  report.segments = state_->plan ? state_->plan->segments() : 0;
  report.steps = state_->plan ? state_->plan->steps() : 0;
  report.weight_bytes = state_->weights->bytes();
  report.arena_bytes = static_cast<int64_t>(state_->engine.arena.size());
  report.kernels = state_->engine.kernels.count();
  report.kernel_bytes = state_->engine.kernels.bytes();
  report.simd = state_->engine.kernels.target().value_or(Target()).simd;
  report.threads = state_->engine.crew.threads();
  report.threads_ready = state_->engine.crew.threads_ready();
  report.preparation = state_->preparation;
  report.preparation.weights_ms = state_->weights->busy_ms();
  report.preparation.plan_ms = state_->plans.planning_ms() - report.preparation.weights_ms;
  return report;
}

std::string_view Model::State::kernel_name(uint32_t number) const {
  if (number == kNoKernel) return "reference";
  return number < kLibraryKernels ? name_of(static_cast<KernelId>(number)) : engine.kernels.key(number);
}

Result<std::string> Model::State::graph_after(std::string_view pass) const {
  bool imported = pass == "import";
  auto asked = pass_of_text(pass);
  if (!imported && !(asked && passes.has(*asked))) {
    std::string names = "import";
    for (size_t i = 0; i < pass_count(); ++i) {
      if (passes.has(static_cast<Pass>(i))) append(names, cat(", ", text_of(static_cast<Pass>(i))));
    }
    return fail_about(ErrorCode::InvalidArgument, pass,
                      cat("no pass '", pass, "' was run; there are ", names));
  }
  Graph again = TRY(import_model(*source, name));
  if (imported) return print(again);
  ByteSource* const sources[] = {source.get()};
  std::string text;
  auto after_pass = [&](Pass ran, const Graph& now) {
    if (ran == *asked) text = print(now);
  };
  TRY(optimize(again, {.sources = sources, .passes = passes, .after_pass = after_pass}));
  return text;
}

Result<std::string> Model::dump(std::string_view level, std::string_view pass) const {
  return guarded<std::string>([&]() -> Result<std::string> {
    if (level == "graph") return pass.empty() ? print(state_->graph) : state_->graph_after(pass);
    if (!pass.empty()) return fail(ErrorCode::InvalidArgument, "passes change the graph: ask for that level");
    if (level != "plan") {
      return fail(ErrorCode::InvalidArgument,
                  cat("there is no level '", level, "'; the levels are graph and plan"));
    }
    if (!state_->plan)
      return fail(ErrorCode::InvalidArgument, "a plan is made for the shapes of a run; run the model first");
    std::string out;
    for (const Segment* segment : state_->plan->all()) {
      append(out, print(*segment, [&](const Step& step) {
               std::string node = describe(state_->graph[NodeId(size_t{step.node})]);
               if (step.kernel == kNoKernel) return node;
               return cat(node, " by ", state_->kernel_name(step.kernel));
             }));
    }
    return out;
  });
}

}  // namespace fuselane
