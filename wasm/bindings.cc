// What JavaScript calls (web/core.ts declares the same): the functions of one engine, which is all of this
// instance; begin() makes it and is called first. Models and tensors are numbers. Nothing is thrown: a result
// is an object, {error} when the call failed.

#include <emscripten/bind.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "host_source.h"
#include "install.h"
#include "threads.h"
#include "values.h"

namespace fuselane {
namespace {

using emscripten::val;

struct Session {
  explicit Session(const EngineOptions& options) : engine(options) {}

  Engine engine;
  std::vector<Model*> models;  // by number; null when disposed of
};

Session* the_session = nullptr;
Session& session() { return *the_session; }

#ifdef __EMSCRIPTEN_PTHREADS__
constexpr bool kSharedMemory = true;
#else
constexpr bool kSharedMemory = false;
bool (*const is_cancelled)() = nullptr;
void start_threads(Engine&, uint32_t) {}
#endif

// `simd` is a level that the host has found to be there; `names` are in generated code for profilers.
void begin(uint32_t threads, std::string simd, bool names) {
  const SimdLevel level = simd_level_of_text(simd).value_or(SimdLevel::None);
  the_session = new Session({.threads = threads,
                             .cancelled = is_cancelled,
                             .target = Target{.simd = level, .shared_memory = kSharedMemory},
                             .kernel_names = names,
                             .install_here = install_here});
  start_threads(the_session->engine, threads);
}

// Ends the threads that begin() started, where the instance does not end with its worker.
void end() {
#ifdef __EMSCRIPTEN_PTHREADS__
  end_threads();
#endif
}

Result<Model*> find_model(uint32_t number) {
  const auto& models = session().models;
  if (number < models.size() && models[number]) return models[number];
  return fail(ErrorCode::InvalidArgument, cat("there is no model ", number));
}

// Large blocks say no by a Result; the small ones of strings and vectors throw, and end here.
[[gnu::noinline]] val answer_of(Result<val> (*call)(const void* body), const void* body) {
  Result<val> result = fail(ErrorCode::OutOfMemory,
                            "the engine's memory is full: dispose of models that are not needed, or use "
                            "smaller inputs");
  (void)has_memory_for([&] { result = call(body); });
  return result ? *result : failure(result.error());
}

template <class Body>
val answer(const Body& body) {
  const auto call = [](const void* any) -> Result<val> { return (*static_cast<const Body*>(any))(); };
  return answer_of(call, &body);
}

val object(const char* key, const val& value) {
  val result = val::object();
  result.set(key, value);
  return result;
}

// {kernels: whether there are some to be installed before a run goes on}
val kernels_pending() { return object("kernels", val(session().engine.pending() != nullptr)); }

// Those that are left out have their defaults; the host has checked names and types.
Knobs knobs_of(const val& given) {
  Knobs knobs;
#define KNOB(name, type, otherwise) \
  if (const val value = given[#name]; !value.isUndefined()) knobs.name = value.as<type>();
#include "engine/knobs.def"
#undef KNOB
  return knobs;
}

val load(val source, std::string name, val knobs, bool strict) {
  return answer([&]() -> Result<val> {
    auto bytes = std::make_unique<HostSource>(std::move(source), name);
    session().models.reserve(session().models.size() + 1);
    const LoadOptions options = {.name = std::move(name), .knobs = knobs_of(knobs), .strict = strict};
    Model* model = TRY(session().engine.load(std::move(bytes), options));
    session().models.push_back(model);
    val result = object("model", val(session().models.size() - 1));
    result.set("inputs", plain(model->inputs()));
    result.set("outputs", plain(model->outputs()));
    return result;
  });
}

void dispose(uint32_t number) {
  const auto model = find_model(number);
  if (!model) return;
  session().engine.dispose(*model);
  session().models[number] = nullptr;
}

val allocate(std::string type, val dims) {
  return answer([&]() -> Result<val> {
    const auto dtype = dtype_of_name(type);
    if (!dtype) return fail(ErrorCode::InvalidArgument, cat("there is no type ", type));
    const TensorId tensor = TRY(session().engine.allocate(*dtype, TRY(dims_of(dims))));
    return object("tensor", val(tensor.index));
  });
}

val tensor(uint32_t number) {
  return answer([&]() -> Result<val> {
    const TensorView view = session().engine.view(TensorId(number));
    if (!view.present()) return fail(ErrorCode::InvalidArgument, cat("there is no tensor ", number));
    return plain(view);
  });
}

void release(uint32_t number) { session().engine.release(TensorId(number)); }

val start(uint32_t number, val feeds, val outputs, bool timed) {
  return answer([&]() -> Result<val> {
    Model* model = TRY(find_model(number));
    std::vector<Feed> list;
    for (const val& feed : emscripten::vecFromJSArray<val>(feeds)) {
      list.push_back({feed["name"].as<std::string>(), TensorId(feed["tensor"].as<uint32_t>())});
    }
    const RunOptions options = {.outputs = emscripten::vecFromJSArray<std::string>(outputs), .timed = timed};
    if (auto status = model->start(list, options); !status) return std::unexpected(status.error());
    return kernels_pending();
  });
}

// A kernel that traps fails the run, and the engine goes on.
val advance(uint32_t number, double milliseconds) {
  return answer([&]() -> Result<val> {
    struct Call {
      Model* model;
      double milliseconds;
      Result<bool> result;
    };
    Call call{TRY(find_model(number)), milliseconds, false};
    const auto body = [](void* raw) {
      auto& [model, budget, result] = *static_cast<Call*>(raw);
      result = model->advance(budget);
    };
    if (!call_guarded(body, &call)) return std::unexpected(call.model->trapped());
    val result = kernels_pending();
    result.set("done", TRY(std::move(call.result)));
    return result;
  });
}

// The module of generated kernels that is to be installed next.
val pending() {
  return answer([&]() -> Result<val> {
    const Install* install = session().engine.pending();
    if (!install) return fail(ErrorCode::InvalidArgument, "there are no kernels to be installed");
    val result = object("pointer", val(reinterpret_cast<uintptr_t>(install->module.data())));
    result.set("bytes", install->module.size());
    return result;
  });
}

// Its exports, once it is instantiated. Says whether there are more modules.
val install(val exports) {
  return answer([&]() -> Result<val> {
    Engine& engine = session().engine;
    if (const Install* pending = engine.pending()) {
      if (const auto first = put_kernels(exports, pending->kernels)) {
        engine.installed(*first);
      } else {
        engine.refused("the table of functions is full");
      }
    }
    return kernels_pending();
  });
}

// Why it cannot be instantiated; likewise.
val refuse(std::string reason) {
  return answer([&]() -> Result<val> {
    if (session().engine.pending()) session().engine.refused(reason);
    return kernels_pending();
  });
}

void trap_on(uint32_t thread) { session().engine.trap_on(thread); }

val output(uint32_t number, std::string name) {
  return answer([&]() -> Result<val> {
    const Model* model = TRY(find_model(number));
    return plain(TRY(model->output(name)));
  });
}

val keep(uint32_t number, std::string name) {
  return answer([&]() -> Result<val> {
    Model* model = TRY(find_model(number));
    return object("tensor", val(TRY(model->keep(name)).index));
  });
}

val report(uint32_t number) {
  return answer([&]() -> Result<val> {
    const Model* model = TRY(find_model(number));
    return plain(model->report());
  });
}

val steps(uint32_t number) {
  return answer([&]() -> Result<val> {
    const Model* model = TRY(find_model(number));
    return object("steps", plain(TRY(model->steps())));
  });
}

val dump(uint32_t number, std::string level, std::string pass) {
  return answer([&]() -> Result<val> {
    const Model* model = TRY(find_model(number));
    return object("text", val(TRY(model->dump(level, pass))));
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(fuselane) {
  emscripten::function("begin", &begin);
  emscripten::function("end", &end);
  emscripten::function("load", &load);
  emscripten::function("dispose", &dispose);
  emscripten::function("allocate", &allocate);
  emscripten::function("tensor", &tensor);
  emscripten::function("release", &release);
  emscripten::function("start", &start);
  emscripten::function("advance", &advance);
  emscripten::function("pending", &pending);
  emscripten::function("install", &install);
  emscripten::function("refuse", &refuse);
  emscripten::function("output", &output);
  emscripten::function("keep", &keep);
  emscripten::function("report", &report);
  emscripten::function("steps", &steps);
  emscripten::function("dump", &dump);
  emscripten::function("trapOn", &trap_on);
}

}  // namespace fuselane
