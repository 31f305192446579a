// Elementwise operations, float32. Results may overwrite an operand that has the same strides.
#pragma once

#include <cstdint>

#include "library/activation.h"
#include "library/kernel.h"
#include "library/loop_nest.h"

namespace fuselane {

enum class CompareKind : uint8_t {
#define COMPARE(id, expression) id,
#include "library/elementwise.def"
};

// Rows are done in pieces of this many elements. 16 kB of float32 stay in the first-level cache when the
// activation goes over them again.
inline constexpr uint32_t kElementChunk = 4096;

// y = activation(a to the power of b) with broadcasting. The nest's arrays are y, a, b, and its rows are
// plain (has_plain_rows). The loop is over the nest's pieces, as for compare and where.
struct PowerArgs {
  const float* a = nullptr;
  const float* b = nullptr;
  float* y = nullptr;
  LoopNest nest = {};
  Activation activation = {};
};
uint32_t power(const void* args, uint32_t begin, uint32_t end);
inline uint32_t nest_extent(const LoopNest& nest) { return piece_count(nest, kElementChunk); }

// y = kind(a, b) ? 1 : 0.
struct CompareArgs {
  const float* a = nullptr;
  const float* b = nullptr;
  uint8_t* y = nullptr;
  LoopNest nest = {};  // of y, a, b
  CompareKind kind;
};
uint32_t compare(const void* args, uint32_t begin, uint32_t end);

// y = condition ? a : b, elements of 4 bytes of any type.
struct WhereArgs {
  const uint8_t* condition = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  LoopNest nest = {};  // of y, condition, a, b
};
uint32_t where(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
