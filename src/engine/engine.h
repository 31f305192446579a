// The whole core behind one header: an engine owns tensors, models and one arena; a model is loaded from
// bytes and run.
//
//   auto engine = Engine();
//   Model* model = TRY(engine.load(std::move(source), {}));
//   TensorId x = TRY(engine.allocate(DType::Float32, {1, 3, 224, 224}));   // then write engine.view(x)
//   TRY(model->start({{"input", x}}, {}));
//   while (!TRY(model->advance(20.0))) {}                                   // true when the run is done
//   TensorView y = TRY(model->output("output"));                            // valid until the engine's next
//   run
//
// One thread calls an engine at a time: the leader. An engine of several threads is helped by those its host
// starts, which enter help(); a trap is caught by the host, since C++ cannot: it then calls trapped() or
// help_trapped(). Errors leave engine and models usable; out-of-memory included.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/guard.h"
#include "base/id.h"
#include "base/result.h"
#include "types/tensor.h"

namespace fuselane {

// A tensor the engine owns for its caller: a feed, or a result that was kept.
using TensorId = Id<struct TensorTag>;

struct PortDim {
  int64_t extent = -1;  // -1 when not fixed
  std::string symbol;   // its name when the model gives one, such as "batch"
};

// An input or output of a model.
struct Port {
  std::string name;
  DType dtype = DType::Float32;
  bool ranked = true;  // false: the model leaves even the rank open, and dims is empty
  std::vector<PortDim> dims;
};

struct EngineOptions {
  uint32_t threads = 1;           // that run kernels, the leader among them; at most kMostThreads
  bool (*cancelled)() = nullptr;  // asked before every step: whether the run under way is to stop
};

struct LoadOptions {
  std::string name = "model";  // how messages call the source
  bool kernels = true;         // false: every operator runs as its reference, the oracle
  std::string passes =
      "all";  // the graph passes to run, as pass_set_of_text (optimize/optimize.h) reads them
};

struct Feed {
  std::string name;
  TensorId tensor;
};

struct RunOptions {
  std::vector<std::string> outputs;  // the wanted ones; empty: all
};

// Counts and sizes for people; bytes are bytes of the core's memory.
struct Report {
  int64_t nodes_imported = 0;
  int64_t nodes = 0;
  int64_t plans = 0;
  int64_t segments = 0;
  int64_t steps = 0;
  int64_t weight_bytes = 0;
  int64_t arena_bytes = 0;
  int64_t threads = 1;
  int64_t threads_ready = 1;  // those that have come so far
};

class Engine;

class Model {
 public:
  ~Model();

  const std::vector<Port>& inputs() const;
  const std::vector<Port>& outputs() const;

  // Checks the feeds, finds or makes the plan for their shapes and begins a run; a run that was under way is
  // dropped. Feeds must stay allocated until the run is done. Errors: invalid-input (the nearest name is
  // suggested), invalid-argument (an output that does not exist), and those of planning.
  Status start(const std::vector<Feed>& feeds, const RunOptions& options);
  // Walks whole steps for about `budget_ms` (at least one step) and says whether the run is done.
  // After an error the run is over. Errors: those of steps; cancelled; internal-error for a trap.
  Result<bool> advance(double budget_ms);
  // advance() did not return but trapped: ends the run and says at which node it was.
  Error trapped();
  // Steps done in the run under way, and in all segments planned so far: for progress.
  int64_t steps_done() const;
  int64_t steps_known() const;

  // A result of the finished run, in memory that the engine's next run overwrites. Errors: invalid-argument.
  Result<TensorView> output(std::string_view name) const;
  // The same as a tensor of its own.
  Result<TensorId> keep(std::string_view name);

  Report report() const;
  // The model as text at a level: "graph" or "plan" (of the last shapes run). For the graph, `pass` asks for
  // the state after the last run of that pass, or with "import" for what was read. Errors: invalid-argument;
  // those of loading, since an earlier state is made again.
  Result<std::string> dump(std::string_view level, std::string_view pass = {}) const;

 private:
  friend class Engine;
  struct State;
  explicit Model(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class Engine {
 public:
  static constexpr uint32_t kMostThreads = 64;

  explicit Engine(const EngineOptions& options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Reads, checks and prepares a model. The source is read until the model is disposed of.
  Result<Model*> load(std::unique_ptr<ByteSource> source, const LoadOptions& options);
  // Ends the model and frees its memory for reuse; nothing for one that is not there.
  void dispose(Model* model);

  // Uninitialized memory for a tensor. Errors: out-of-memory, invalid-input (a size that overflows, a type
  // without a fixed size).
  Result<TensorId> allocate(DType dtype, Dims dims);
  // The tensor's elements; an absent view for an id that is not (or no longer) there.
  TensorView view(TensorId id) const;
  void release(TensorId id);

  // What thread `thread` of [1, threads) does until dismiss(): it takes its share of the runs' kernels. A
  // thread that comes late, or never, is not waited for.
  void help(uint32_t thread);
  // help() did not return but trapped: the run fails. Call help() again.
  void help_trapped();
  // Lets help() return; end the threads before the engine ends.
  void dismiss();
  // For tests of hosts: the thread traps when it next runs a kernel.
  void trap_on(uint32_t thread);

 private:
  friend class Model;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fuselane
