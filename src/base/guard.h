// Where running out of memory ends. Our code throws nothing, but the standard library's small allocations do;
// this is the only place that catches.
#pragma once

#include <concepts>

namespace fuselane {

// Calls the body; false when an allocation failed in it. In wasm the frames between are then left without
// running their destructors (docs/decisions/0004): what they held is lost to the heap, so the body must not
// leave half-made values in what outlives it.
bool has_memory_for(void (*body)(void* context), void* context);

template <std::invocable Body>
bool has_memory_for(Body&& body) {
  auto call = [](void* context) { (*static_cast<std::remove_reference_t<Body>*>(context))(); };
  return has_memory_for(call, &body);
}

}  // namespace fuselane
