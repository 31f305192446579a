#include "library/recurrent.h"

#include <algorithm>

#include "library/matmul.h"
#include "library/vector_math.h"

namespace fuselane {
namespace {

// Up to 4 sequences from `first` on.
struct Block {
  uint32_t first;
  uint32_t count;

  Block(const Sequence& sequence, uint32_t index)
      : first(index * kSequenceBlock), count(std::min(kSequenceBlock, sequence.batch - first)) {}
};

// to[b] = from[b] times the packed matrix, for the sequences of a block; rows lie from_stride and to_stride
// apart.
void multiply(const Block& block, const float* from, uint32_t from_stride, uint32_t depth,
              const float* packed, float* to, uint32_t to_stride, uint32_t columns) {
  const float* rows[kTileRows];
  for (uint32_t r = 0; r < kTileRows; ++r)
    rows[r] = from + size_t{block.first + std::min(r, block.count - 1)} * from_stride;
  TileShape shape{.positions = 1, .depth = depth, .activation = {}};
  float* c = to + size_t{block.first} * to_stride;
  for (uint32_t column = 0; column < columns; column += kPanelColumns) {
    product_tile(shape, block.count, rows, packed, c + column, to_stride,
                 std::min(kPanelColumns, columns - column));
    packed += panel_size(1, depth);
  }
}

// One step of one sequence; r holds the gates' recurrent part.
[[gnu::noinline]] void lstm_cell(const float* x, const float* r, float* c, float* h, float* y,
                                 uint32_t hidden) {
  each_vector(hidden, [&](uint32_t j, uint32_t lanes) {
    auto gate = [&](uint32_t g) __attribute__((always_inline)) {
      uint32_t at = g * hidden + j;
      return wasm_f32x4_add(load_lanes(x + at, lanes), load_lanes(r + at, lanes));
    };
    v128_t kept = wasm_f32x4_mul(sigmoid_f32x4(gate(2)), load_lanes(c + j, lanes));
    v128_t cell = mul_add(sigmoid_f32x4(gate(0)), tanh_f32x4(gate(3)), kept);
    v128_t out = wasm_f32x4_mul(sigmoid_f32x4(gate(1)), tanh_f32x4(cell));
    store_lanes(c + j, cell, lanes);
    store_lanes(h + j, out, lanes);
    if (y) store_lanes(y + j, out, lanes);
  });
}

// A sequence's scratch in gru.
struct GruScratch {
  float* zr;         // 2 * hidden: the recurrent part of z and r, then both gates
  float* candidate;  // hidden: the recurrent part of n
  float* reset;      // hidden: r * h

  GruScratch(float* scratch, uint32_t hidden)
      : zr(scratch), candidate(scratch + 2 * size_t{hidden}), reset(scratch + 3 * size_t{hidden}) {}
};

[[gnu::noinline]] void gru_gates(const float* x, const GruScratch& scratch, const float* h, uint32_t hidden) {
  each_vector(2 * hidden, [&](uint32_t j, uint32_t lanes) {
    v128_t sum = wasm_f32x4_add(load_lanes(x + j, lanes), load_lanes(scratch.zr + j, lanes));
    store_lanes(scratch.zr + j, sigmoid_f32x4(sum), lanes);
  });
  const float* r = scratch.zr + hidden;
  each_vector(hidden, [&](uint32_t j, uint32_t lanes) {
    store_lanes(scratch.reset + j, wasm_f32x4_mul(load_lanes(r + j, lanes), load_lanes(h + j, lanes)), lanes);
  });
}

[[gnu::noinline]] void gru_cell(const float* x, const GruScratch& scratch, bool reset_after, float* h,
                                float* y, uint32_t hidden) {
  each_vector(hidden, [&](uint32_t j, uint32_t lanes) {
    v128_t recurrent = load_lanes(scratch.candidate + j, lanes);
    if (reset_after) recurrent = wasm_f32x4_mul(recurrent, load_lanes(scratch.zr + hidden + j, lanes));
    v128_t n = tanh_f32x4(wasm_f32x4_add(load_lanes(x + 2 * size_t{hidden} + j, lanes), recurrent));
    v128_t z = load_lanes(scratch.zr + j, lanes);
    v128_t fresh = wasm_f32x4_mul(wasm_f32x4_sub(wasm_f32x4_splat(1), z), n);
    v128_t out = mul_add(z, load_lanes(h + j, lanes), fresh);
    store_lanes(h + j, out, lanes);
    if (y) store_lanes(y + j, out, lanes);
  });
}

// Calls step(gates, y) for each step in order: pointers to those of sequence 0.
template <class Step>
void each_step(const Sequence& sequence, const float* gates, float* y, Step step) {
  for (uint32_t i = 0; i < sequence.steps; ++i) {
    size_t t = sequence.reverse ? sequence.steps - 1 - i : i;
    step(gates + t * sequence.gates_step, y ? y + t * sequence.y_step : nullptr);
  }
}

}  // namespace

uint32_t lstm(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const LstmArgs*>(raw);
  const Sequence& s = args.sequence;
  uint32_t width = 4 * s.hidden;
  for (uint32_t i = begin; i < end; ++i) {
    Block block(s, i);
    each_step(s, args.gates, args.y, [&](const float* gates, float* y) {
      multiply(block, args.h, s.hidden, s.hidden, args.packed, args.scratch, width, width);
      for (size_t b = block.first; b < block.first + block.count; ++b) {
        lstm_cell(gates + b * s.gates_batch, args.scratch + b * width, args.c + b * s.hidden,
                  args.h + b * s.hidden, y ? y + b * s.y_batch : nullptr, s.hidden);
      }
    });
  }
  return kDone;
}

uint32_t gru(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const GruArgs*>(raw);
  const Sequence& s = args.sequence;
  uint32_t width = 4 * s.hidden;
  for (uint32_t i = begin; i < end; ++i) {
    Block block(s, i);
    GruScratch first(args.scratch, s.hidden);
    each_step(s, args.gates, args.y, [&](const float* gates, float* y) {
      multiply(block, args.h, s.hidden, s.hidden, args.packed_zr, first.zr, width, 2 * s.hidden);
      for (size_t b = block.first; b < block.first + block.count; ++b) {
        gru_gates(gates + b * s.gates_batch, GruScratch(args.scratch + b * width, s.hidden),
                  args.h + b * s.hidden, s.hidden);
      }
      const float* from = args.reset_after ? args.h : first.reset;
      uint32_t from_stride = args.reset_after ? s.hidden : width;
      multiply(block, from, from_stride, s.hidden, args.packed_candidate, first.candidate, width, s.hidden);
      for (size_t b = block.first; b < block.first + block.count; ++b) {
        gru_cell(gates + b * s.gates_batch, GruScratch(args.scratch + b * width, s.hidden), args.reset_after,
                 args.h + b * s.hidden, y ? y + b * s.y_batch : nullptr, s.hidden);
      }
    });
  }
  return kDone;
}

}  // namespace fuselane
