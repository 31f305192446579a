// Waiting for a word in memory to change, and waking who waits.
//
// In wasm these are the instructions themselves: Emscripten's std::atomic::wait sleeps and looks again. The
// build without threads has nobody to wait for.
#pragma once

#include <atomic>
#include <cstdint>

namespace fuselane {

#if !defined(__wasm__)
inline void wait_while(const std::atomic<uint32_t>& word, uint32_t value) { word.wait(value); }
inline void wake_all(std::atomic<uint32_t>& word) { word.notify_all(); }
#elif defined(__wasm_atomics__)
inline void wait_while(std::atomic<uint32_t>& word, uint32_t value) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&word), static_cast<int>(value), -1);
}
inline void wake_all(std::atomic<uint32_t>& word) {
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&word), ~0u);
}
#else
inline void wait_while(std::atomic<uint32_t>&, uint32_t) {}
inline void wake_all(std::atomic<uint32_t>&) {}
#endif

}  // namespace fuselane
