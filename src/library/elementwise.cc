#include "library/elementwise.h"

#include <cmath>

#include "library/vector_math.h"

namespace fuselane {
namespace {

const float* at(const float* base, const LoopNest& nest, uint32_t array, const NestCursor& cursor,
                uint32_t first) {
  return base + cursor.offset(array) + (nest.stride[array][nest.last()] == 0 ? 0 : first);
}

// exp(b log a) in float32 would lose up to seven bits.
void power_row(const LoopNest& nest, const float* a, const float* b, float* y, uint32_t count) {
  const size_t step_a = nest.stride[1][nest.last()] == 0 ? 0 : 1;
  const size_t step_b = nest.stride[2][nest.last()] == 0 ? 0 : 1;
  for (uint32_t i = 0; i < count; ++i) y[i] = std::pow(a[i * step_a], b[i * step_b]);
}

[[gnu::always_inline]] inline v128_t compared(CompareKind kind, v128_t a, v128_t b) {
  switch (kind) {
#define COMPARE(id, expression) \
  case CompareKind::id:         \
    return expression;
#include "library/elementwise.def"
  }
  return a;
}

// Comparisons are rare and end in bytes: one loop for all kinds is a tenth of the code of one for each.
[[gnu::noinline]] void compare_row(CompareKind kind, const LoopNest& nest, const float* a, const float* b,
                                   uint8_t* y, uint32_t count) {
  bool single_a = nest.stride[1][nest.last()] == 0;
  bool single_b = nest.stride[2][nest.last()] == 0;
  each_vector(count, [&](uint32_t i, uint32_t lanes) {
    v128_t left = single_a ? wasm_v128_load32_splat(a) : load_lanes(a + i, lanes);
    v128_t right = single_b ? wasm_v128_load32_splat(b) : load_lanes(b + i, lanes);
    v128_t truth = wasm_v128_and(compared(kind, left, right), wasm_i32x4_splat(1));
    truth = wasm_u16x8_narrow_i32x4(truth, truth);
    truth = wasm_u8x16_narrow_i16x8(truth, truth);
    if (lanes == kLanes) return wasm_v128_store32_lane(y + i, truth, 0);
    wasm_v128_store8_lane(y + i, truth, 0);
    if (lanes > 1) wasm_v128_store8_lane(y + i + 1, truth, 1);
    if (lanes > 2) wasm_v128_store8_lane(y + i + 2, truth, 2);
  });
}

v128_t mask_of(const uint8_t* condition, uint32_t lanes) {
  v128_t bytes = wasm_v128_load8_splat(condition);
  if (lanes == kLanes) {
    bytes = wasm_v128_load32_zero(condition);
  } else {
    if (lanes > 1) bytes = wasm_v128_load8_lane(condition + 1, bytes, 1);
    if (lanes > 2) bytes = wasm_v128_load8_lane(condition + 2, bytes, 2);
  }
  v128_t words = wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(bytes));
  return wasm_i32x4_ne(words, wasm_i32x4_splat(0));
}

// Which operands have one element for the whole row.
struct WhereSingles {
  bool condition, a, b;
};

[[gnu::noinline]] void where_row(const WhereSingles& single, const uint8_t* condition, const float* a,
                                 const float* b, float* y, uint32_t count) {
  v128_t all = *condition != 0 ? wasm_i32x4_splat(-1) : wasm_i32x4_splat(0);
  v128_t every_a = wasm_v128_load32_splat(a);
  v128_t every_b = wasm_v128_load32_splat(b);
  each_vector(count, [&](uint32_t i, uint32_t lanes) {
    v128_t mask = single.condition ? all : mask_of(condition + i, lanes);
    v128_t left = single.a ? every_a : load_lanes(a + i, lanes);
    v128_t right = single.b ? every_b : load_lanes(b + i, lanes);
    store_lanes(y + i, wasm_v128_bitselect(left, right, mask), lanes);
  });
}

}  // namespace

uint32_t power(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const PowerArgs*>(raw);
  const LoopNest& nest = args.nest;
  each_piece(
      nest, 3, kElementChunk, begin, end, [&](const NestCursor& cursor, uint32_t first, uint32_t count) {
        float* y = args.y + cursor.offset(0) + first;
        power_row(nest, at(args.a, nest, 1, cursor, first), at(args.b, nest, 2, cursor, first), y, count);
        if (args.activation.kind != ActivationKind::None) activate_row(args.activation, y, y, count);
      });
  return kDone;
}

uint32_t compare(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const CompareArgs*>(raw);
  const LoopNest& nest = args.nest;
  each_piece(nest, 3, kElementChunk, begin, end,
             [&](const NestCursor& cursor, uint32_t first, uint32_t count) {
               compare_row(args.kind, nest, at(args.a, nest, 1, cursor, first),
                           at(args.b, nest, 2, cursor, first), args.y + cursor.offset(0) + first, count);
             });
  return kDone;
}

// Moves bits: vectors of float32 stand for any type of 4 bytes.
uint32_t where(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const WhereArgs*>(raw);
  const LoopNest& nest = args.nest;
  WhereSingles single{.condition = nest.stride[1][nest.last()] == 0,
                      .a = nest.stride[2][nest.last()] == 0,
                      .b = nest.stride[3][nest.last()] == 0};
  each_piece(nest, 4, kElementChunk, begin, end,
             [&](const NestCursor& cursor, uint32_t first, uint32_t count) {
               where_row(single, args.condition + cursor.offset(1) + (single.condition ? 0 : first),
                         at(static_cast<const float*>(args.a), nest, 2, cursor, first),
                         at(static_cast<const float*>(args.b), nest, 3, cursor, first),
                         static_cast<float*>(args.y) + cursor.offset(0) + first, count);
             });
  return kDone;
}

}  // namespace fuselane
