// Counts what this program allocates by operator new. Included by one file of a program, since it replaces
// the operators for all of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

inline std::atomic<int64_t> allocations = 0;

inline void* counted(std::size_t bytes) {
  ++allocations;
  if (void* block = std::malloc(bytes > 0 ? bytes : 1)) return block;
  throw std::bad_alloc();
}

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
