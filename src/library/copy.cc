#include "library/copy.h"

#include <algorithm>

#include "library/copy_run.h"

namespace fuselane {
namespace {

constexpr uint32_t kTo = 0;
constexpr uint32_t kFrom = 1;

// Steps of the last loop in a piece: 16 kB of float32.
constexpr uint32_t kChunk = 4096;
// Columns of a piece that is transposed, and its rows unless there are fewer columns: 4 kB are read and 4 kB
// written, in full cache lines.
constexpr uint32_t kTile = 32;

uint32_t tiles_of(uint32_t extent, uint32_t tile) { return (extent + tile - 1) / tile; }

// The loop along which `from` is contiguous when the last one is contiguous in `to` only; `loops` if there is
// none or elements are not of 4 bytes.
uint32_t crossing_loop(const CopyArgs& args) {
  const LoopNest& nest = args.nest;
  uint32_t last = nest.last();
  if (args.element_size != 4 || nest.stride[kTo][last] != 1 || nest.stride[kFrom][last] == 1)
    return nest.loops;
  if (nest.stride[kFrom][last] == 0) return nest.loops;
  for (uint32_t loop = 0; loop < last; ++loop) {
    if (nest.stride[kFrom][loop] == 1 && nest.extent[loop] > 1) return loop;
  }
  return nest.loops;
}

// A nest without its crossing loop and its last one, which tiles walk.
struct Crossing {
  LoopNest outer;
  uint32_t rows;          // extent of the crossing loop: contiguous in `from`
  uint32_t columns;       // extent of the last loop: contiguous in `to`
  ptrdiff_t to_stride;    // of a row
  ptrdiff_t from_stride;  // of a column
  uint32_t row_tile;      // a multiple of 4

  Crossing(const LoopNest& nest, uint32_t crossing) : outer{} {
    uint32_t last = nest.last();
    rows = nest.extent[crossing];
    columns = nest.extent[last];
    to_stride = nest.stride[kTo][crossing];
    from_stride = nest.stride[kFrom][last];
    row_tile = columns < kTile ? kTile * kTile / columns / 4 * 4 : kTile;
    for (uint32_t loop = 0; loop < last; ++loop) {
      if (loop == crossing) continue;
      outer.extent[outer.loops] = nest.extent[loop];
      for (uint32_t a : {kTo, kFrom}) outer.stride[a][outer.loops] = nest.stride[a][loop];
      ++outer.loops;
    }
  }
};

// to[r * to_stride + c] = from[r + c * from_stride] for r and c below 4 at most.
void transpose_block(const float* from, ptrdiff_t from_stride, float* to, ptrdiff_t to_stride, uint32_t rows,
                     uint32_t columns) {
  v128_t column[4];
  for (uint32_t c = 0; c < 4; ++c)
    column[c] = c < columns ? load_lanes(from + c * from_stride, rows) : wasm_f32x4_splat(0);
  v128_t low01 = wasm_i32x4_shuffle(column[0], column[1], 0, 4, 1, 5);
  v128_t high01 = wasm_i32x4_shuffle(column[0], column[1], 2, 6, 3, 7);
  v128_t low23 = wasm_i32x4_shuffle(column[2], column[3], 0, 4, 1, 5);
  v128_t high23 = wasm_i32x4_shuffle(column[2], column[3], 2, 6, 3, 7);
  v128_t row[4] = {wasm_i64x2_shuffle(low01, low23, 0, 2), wasm_i64x2_shuffle(low01, low23, 1, 3),
                   wasm_i64x2_shuffle(high01, high23, 0, 2), wasm_i64x2_shuffle(high01, high23, 1, 3)};
  for (uint32_t r = 0; r < rows; ++r) store_lanes(to + r * to_stride, row[r], columns);
}

// Two columns that lie dense in `to`: one element of each in turn, as when channels are shuffled.
void interleave(const float* a, const float* b, float* to, uint32_t rows) {
  for (; rows >= 4; rows -= 4, a += 4, b += 4, to += 8) {
    v128_t first = wasm_v128_load(a), second = wasm_v128_load(b);
    wasm_v128_store(to, wasm_i32x4_shuffle(first, second, 0, 4, 1, 5));
    wasm_v128_store(to + 4, wasm_i32x4_shuffle(first, second, 2, 6, 3, 7));
  }
  for (; rows > 0; --rows) {
    *to++ = *a++;
    *to++ = *b++;
  }
}

[[gnu::noinline]] void transpose_tile(const Crossing& crossing, const float* from, float* to, uint32_t rows,
                                      uint32_t columns) {
  if (columns == 2 && crossing.to_stride == 2) return interleave(from, from + crossing.from_stride, to, rows);
  for (uint32_t r = 0; r < rows; r += 4) {
    for (uint32_t c = 0; c < columns; c += 4) {
      transpose_block(from + r + c * crossing.from_stride, crossing.from_stride,
                      to + r * crossing.to_stride + c, crossing.to_stride, std::min(4u, rows - r),
                      std::min(4u, columns - c));
    }
  }
}

void transpose(const CopyArgs& args, const Crossing& crossing, uint32_t begin, uint32_t end) {
  if (begin >= end) return;
  const uint32_t column_tiles = tiles_of(crossing.columns, kTile);
  const uint32_t tiles = tiles_of(crossing.rows, crossing.row_tile) * column_tiles;
  NestCursor cursor(crossing.outer, 2, crossing.outer.loops, begin / tiles);
  uint32_t tile = begin % tiles;
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t row = tile / column_tiles * crossing.row_tile;
    uint32_t column = tile % column_tiles * kTile;
    const float* from = static_cast<const float*>(args.from) + cursor.offset(kFrom) + row +
                        static_cast<ptrdiff_t>(column) * crossing.from_stride;
    float* to = static_cast<float*>(args.to) + cursor.offset(kTo) +
                static_cast<ptrdiff_t>(row) * crossing.to_stride + column;
    transpose_tile(crossing, from, to, std::min(crossing.row_tile, crossing.rows - row),
                   std::min(kTile, crossing.columns - column));
    if (++tile == tiles) {
      tile = 0;
      cursor.next();
    }
  }
}

template <class T>
[[gnu::noinline]] void copy_row(const T* from, ptrdiff_t from_step, T* to, ptrdiff_t to_step,
                                uint32_t count) {
  if (to_step == 1 && from_step == 1) return copy_run(to, from, count * sizeof(T));
  for (uint32_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
}

template <class T>
[[gnu::noinline]] void fill_row(T* to, ptrdiff_t step, T value, uint32_t count) {
  if (step == 1) {
    std::fill_n(to, count, value);
  } else {
    for (uint32_t i = 0; i < count; ++i) to[i * step] = value;
  }
}

// Calls row(null pointer of an unsigned integer of that size).
template <class Row>
void with_element(uint32_t size, Row row) {
  if (size == 1) return row(static_cast<uint8_t*>(nullptr));
  if (size == 2) return row(static_cast<uint16_t*>(nullptr));
  if (size == 4) return row(static_cast<uint32_t*>(nullptr));
  row(static_cast<uint64_t*>(nullptr));
}

}  // namespace

uint32_t copy_extent(const CopyArgs& args) {
  uint32_t loop = crossing_loop(args);
  if (loop == args.nest.loops) return piece_count(args.nest, kChunk);
  Crossing crossing(args.nest, loop);
  uint32_t count = tiles_of(crossing.rows, crossing.row_tile) * tiles_of(crossing.columns, kTile);
  for (uint32_t i = 0; i < crossing.outer.loops; ++i) count *= crossing.outer.extent[i];
  return count;
}

uint32_t copy(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const CopyArgs*>(raw);
  uint32_t loop = crossing_loop(args);
  if (loop < args.nest.loops) {
    transpose(args, Crossing(args.nest, loop), begin, end);
    return kDone;
  }
  const LoopNest& nest = args.nest;
  ptrdiff_t to_step = nest.stride[kTo][nest.last()];
  ptrdiff_t from_step = nest.stride[kFrom][nest.last()];
  each_piece(nest, 2, kChunk, begin, end, [&](const NestCursor& cursor, uint32_t first, uint32_t count) {
    with_element(args.element_size, [&]<class T>(T*) {
      const T* from = static_cast<const T*>(args.from) + cursor.offset(kFrom) + first * from_step;
      copy_row(from, from_step, static_cast<T*>(args.to) + cursor.offset(kTo) + first * to_step, to_step,
               count);
    });
  });
  return kDone;
}

uint32_t fill_extent(const FillArgs& args) { return piece_count(args.nest, kChunk); }

uint32_t fill(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const FillArgs*>(raw);
  const LoopNest& nest = args.nest;
  ptrdiff_t step = nest.stride[kTo][nest.last()];
  each_piece(nest, 1, kChunk, begin, end, [&](const NestCursor& cursor, uint32_t first, uint32_t count) {
    with_element(args.element_size, [&]<class T>(T*) {
      fill_row(static_cast<T*>(args.to) + cursor.offset(kTo) + first * step, step, static_cast<T>(args.value),
               count);
    });
  });
  return kDone;
}

}  // namespace fuselane
