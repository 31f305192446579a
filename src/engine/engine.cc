#include "engine/engine.h"

#include <algorithm>

#include "engine/model_state.h"
#include "import/import.h"
#include "optimize/optimize.h"

namespace fuselane {
namespace {

Port port_of(const Graph& graph, std::string_view name, const ValueType& type) {
  Port port{.name = std::string(name), .dtype = type.dtype, .ranked = type.dims.has_value(), .dims = {}};
  for (size_t i = 0; type.dims && i < type.dims->size(); ++i) {
    const Dim& dim = (*type.dims)[i];
    port.dims.push_back({dim.extent, dim.symbol ? std::string(graph.name_of(dim.symbol)) : std::string()});
  }
  return port;
}

// Sequences and optionals are in the IR; runs exchange tensors only.
Status check_port(std::string_view what, std::string_view name, const ValueType& type) {
  if (type.kind == ValueKind::Tensor && is_number(type.dtype)) return {};
  std::string_view kind = type.kind != ValueKind::Tensor ? "sequences and optionals" : name_of(type.dtype);
  return fail_about(ErrorCode::UnsupportedModel, name,
                    cat(what, " '", name, "': ", kind, " cannot be exchanged with a model yet"));
}

}  // namespace

static_assert(Engine::kMostThreads == Crew::kMostThreads);

Engine::Engine(const EngineOptions& options) : state_(std::make_unique<State>(options)) {}
Engine::~Engine() = default;

Result<Model*> Engine::load(std::unique_ptr<ByteSource> source, const LoadOptions& options) {
  auto load = [&]() -> Result<Model*> {
    auto model = std::make_unique<Model::State>(*state_);
    model->source = std::move(source);
    {
      const Stopwatch importing(model->preparation.import_ms);
      model->graph = TRY(import_model(*model->source, options.name));
    }
    model->options = {.kernels = options.knobs.kernels,
                      .threads = state_->crew.threads(),
                      .store = options.knobs.generated ? &state_->kernels : nullptr,
                      .vertical = options.knobs.vertical,
                      .horizontal = options.knobs.horizontal,
                      .tiling = options.knobs.tiling,
                      .layout = options.knobs.layout,
                      .winograd = options.knobs.winograd && !options.strict,
                      .relaxed = !options.strict,
                      .memory = options.knobs.memory};
    model->name = options.name;
    model->passes = TRY(pass_set_of_text(options.knobs.passes));
    const Graph& graph = model->graph;
    model->nodes_imported = count_nodes(graph);
    for (ValueId input : graph.main().inputs) {
      TRY(check_port("input", graph[input].name, graph[input].type));
      model->inputs.push_back(port_of(graph, graph[input].name, graph[input].type));
    }
    for (size_t i = 0; i < graph.main().outputs.size(); ++i) {
      const ValueType& type = graph[graph.main().outputs[i]].type;
      TRY(check_port("output", graph.output_names[i], type));
      model->outputs.push_back(port_of(graph, graph.output_names[i], type));
    }
    // Ports are what the file says: passes may learn more about a type, or make an output of an input.
    ByteSource* const sources[] = {model->source.get()};
    {
      const Stopwatch optimizing(model->preparation.optimize_ms);
      TRY(optimize(model->graph, {.sources = sources, .passes = model->passes}));
    }
    model->weights =
        std::make_unique<Weights>(graph, std::vector<ByteSource*>{model->source.get()}, state_->crew);
    state_->models.emplace_back(new Model(std::move(model)));
    return state_->models.back().get();
  };
  Result<Model*> model = nullptr;
  if (has_memory_for([&] { model = load(); })) return model;
  return fail(ErrorCode::OutOfMemory, cat("there is no room for the model '", options.name, "'"));
}

void Engine::dispose(Model* model) {
  std::erase_if(state_->models, [&](const std::unique_ptr<Model>& held) { return held.get() == model; });
}

Result<TensorId> Engine::allocate(DType dtype, Dims dims) {
  if (!is_number(dtype)) {
    return fail(ErrorCode::InvalidInput,
                cat("tensors of ", name_of(dtype), " cannot be exchanged with a model yet"));
  }
  Result<TensorId> id = TensorId();
  bool enough = has_memory_for([&] {
    auto tensor = Tensor::allocate(dtype, std::move(dims));
    if (tensor) {
      id = state_->tensors.add(*std::move(tensor));
    } else {
      id = std::unexpected(std::move(tensor.error()));
    }
  });
  if (!enough) return fail(ErrorCode::OutOfMemory, "there is no room for a tensor");
  if (!id && id.error().code == ErrorCode::InvalidData) id.error().code = ErrorCode::InvalidInput;
  return id;
}

TensorView Engine::view(TensorId id) const {
  auto tensor = state_->tensors.find(id);
  return tensor ? tensor->view() : TensorView();
}

void Engine::release(TensorId id) { state_->tensors.remove(id); }

const Install* Engine::pending() const { return state_->kernels.pending(); }
void Engine::installed(uint32_t first) { state_->kernels.installed(first); }
void Engine::refused(std::string_view reason) { state_->kernels.refused(reason); }

void Engine::help(uint32_t thread) { state_->crew.help(thread); }
void Engine::help_trapped(uint32_t thread) { state_->crew.help_trapped(thread); }
void Engine::dismiss() { state_->crew.dismiss(); }
void Engine::trap_on(uint32_t thread) { state_->crew.trap_on(thread); }

}  // namespace fuselane
