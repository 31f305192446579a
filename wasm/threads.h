// What of threads only JavaScript can do: starting them, catching traps, seeing that a run is cancelled.
#pragma once

#include "engine/engine.h"

namespace fuselane {

// Calls body(argument); false when it did not return but trapped, which C++ cannot catch. What the call
// left undone stays undone.
using GuardedFunction = void (*)(void*);
extern "C" bool call_guarded(GuardedFunction body, void* argument);

#ifdef __EMSCRIPTEN_PTHREADS__
// Starts the helpers of an engine with `threads` threads, without waiting for them. One that cannot start is
// told to the log, and the engine works without it.
void start_threads(Engine& engine, uint32_t threads);
// Ends them at once. Nothing may run.
void end_threads();
// Whether the flag that web/core.ts has set for the run under way is raised.
extern "C" bool is_cancelled();
#endif

}  // namespace fuselane
