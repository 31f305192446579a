#include "threads.h"

#include <emscripten/em_js.h>

#ifdef __EMSCRIPTEN_PTHREADS__
#include <pthread.h>
#endif

EM_JS_DEPS(call_guarded, "$wasmTable,$stackSave,$stackRestore")
EM_JS(bool, call_guarded, (fuselane::GuardedFunction body, void* argument), {
  const stack = stackSave();
  try {
    wasmTable.get(body)(argument);
    return true;
  } catch (error) {
    stackRestore(stack);
    err('the engine stopped: ' + error);
    return false;
  }
})

#ifdef __EMSCRIPTEN_PTHREADS__

// Emscripten's own handlers would throw, which ends the engine's worker.
EM_JS_DEPS(watch_threads, "$PThread")
EM_JS(void, watch_threads, (), {
  for (const worker of PThread.runningWorkers) {
    worker.onerror = function(event) { err('a thread of the engine ended: ' + event.message); };
  }
})

EM_JS(void, terminate_threads, (), { PThread.terminateAllThreads(); })

EM_JS(bool, is_cancelled, (), { return !!Module.cancelFlag && Atomics.load(Module.cancelFlag, 0) > 0; })

namespace fuselane {
namespace {

struct Helper {
  Engine* engine;
  uint32_t thread;
};

void help(void* raw) {
  const auto& helper = *static_cast<Helper*>(raw);
  helper.engine->help(helper.thread);
}

void* serve(void* helper) {
  while (!call_guarded(help, helper))
    static_cast<Helper*>(helper)->engine->help_trapped(static_cast<Helper*>(helper)->thread);
  return nullptr;
}

}  // namespace

void start_threads(Engine& engine, uint32_t threads) {
  for (uint32_t thread = 1; thread < threads; ++thread) {
    pthread_t id;
    pthread_create(&id, nullptr, serve, new Helper{&engine, thread});
  }
  watch_threads();
}

void end_threads() { terminate_threads(); }

}  // namespace fuselane

#endif
