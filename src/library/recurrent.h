// Recurrent cells over a whole sequence in one direction, float32, with the usual activations (sigmoid and
// tanh). What comes from the inputs is a matrix product over all steps at once, done before; these kernels do
// what is left step by step. The loops are over blocks of 4 sequences of the batch.
#pragma once

#include <cstdint>

#include "library/kernel.h"

namespace fuselane {

// Where a sequence's parts lie: element (step t, sequence b) of the gates at t * gates_step + b *
// gates_batch, likewise of y. Strides are in floats.
struct Sequence {
  uint32_t steps;
  uint32_t batch;
  uint32_t hidden;
  uint32_t gates_step;
  uint32_t gates_batch;
  uint32_t y_step;
  uint32_t y_batch;
  bool reverse;  // from the last step to the first
};

inline constexpr uint32_t kSequenceBlock = 4;
inline uint32_t sequence_extent(const Sequence& sequence) {
  return (sequence.batch + kSequenceBlock - 1) / kSequenceBlock;
}

// With i, o, f, g the four gates (ONNX's order i, o, f, c):
//   c = sigmoid(f) * c + sigmoid(i) * tanh(g),  h = sigmoid(o) * tanh(c)
struct LstmArgs {
  const float* gates = nullptr;   // 4 * hidden each: x W^T and the biases of both
  const float* packed = nullptr;  // R, by matmul_pack: 4 * hidden columns of depth hidden
  float* scratch = nullptr;       // [batch][4 * hidden]
  float* h = nullptr;             // [batch][hidden], the state before, then after
  float* c = nullptr;
  float* y = nullptr;  // h after each step; may be null
  Sequence sequence;
};
uint32_t lstm(const void* args, uint32_t begin, uint32_t end);

// With z, r, n the three gates (ONNX's order z, r, h):
//   h = (1 - sigmoid(z)) * tanh(n) + sigmoid(z) * h
// where n is its part of `gates` plus r * (h Rn^T + bias) or (r * h) Rn^T + bias (`reset_after` says which).
struct GruArgs {
  const float* gates = nullptr;      // 3 * hidden each: x W^T and the bias of W, for z and r also that of R
  const float* packed_zr = nullptr;  // the first 2 * hidden rows of R, by matmul_pack
  const float* packed_candidate = nullptr;  // the others, with their bias
  float* scratch = nullptr;                 // [batch][4 * hidden]
  float* h = nullptr;                       // as for lstm
  float* y = nullptr;
  Sequence sequence;
  bool reset_after;  // ONNX's linear_before_reset
};
uint32_t gru(const void* args, uint32_t begin, uint32_t end);

}  // namespace fuselane
