// Tasks: what a kernel is asked for. A task has all that its code depends on; extents, strides and sizes of
// blocks are arguments of the kernel, so that one kernel serves many shapes. As text it is the key under
// which kernels and tuning records are found.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "loop/functions.h"

namespace fuselane::loop {

// c[b][i][j] = finish(w's bias[j] + sum over k of a[b][i][k] * w[b][k][j], x0[b][i][j], x1...), `w` packed in
// panels of 8 columns: 8 biases, then [depth][8] (library/matmul.h). An operand's elements along the columns
// are dense (1) or all the same one (0).
//
// Buffers: a, w, the operands x0, x1, ..., then c. Sizes: batches, rows, depth, whole_panels (columns / 8),
// then strides: a_batch, a_row, w_batch, x0_batch, x0_row, ..., c_batch, c_row. Columns and depth lie dense.
struct MatMulTask {
  uint8_t columns_tail = 0;      // columns % 8
  bool one_row = false;          // rows is 1
  std::vector<uint8_t> strides;  // 0 or 1, for each operand
  std::vector<Step> finish;      // of the sum, then the operands
  bool operator==(const MatMulTask&) const = default;
};

// c[b][g][i][j] = finish(w's bias[j] + sum over ky, kx, k of a[b][g][i / columns][i % columns][ky][kx][k] *
// w[g][ky][kx][k][j], x0[b][g][i][j], x1...): each of i's rows is a window over a, placed by its line and its
// column. Each group g has a matrix of its own, packed as above, ky, kx and k together being its depth.
//
// Buffers as above. Sizes: batches, groups, rows, columns (at least 1, of a line), kernel_lines,
// kernel_columns, depth, whole_panels, then strides: a_batch, a_group, a_line, a_column, a_kernel_line,
// a_kernel_column, w_group, x0_batch, x0_group, x0_row, ..., c_batch, c_group, c_row.
struct ConvTask {
  uint8_t columns_tail = 0;      // of w's columns, which are those of c: % 8
  std::vector<uint8_t> strides;  // 0 or 1, for each operand
  std::vector<Step> finish;      // of the sum, then the operands
  bool operator==(const ConvTask&) const = default;
};

// y[b][r][c][j] = finish(w's bias[j] + sum over p, q of x[b][r * stride_height + p * dilation_height -
// pad_top] [c * stride + q * dilation - left][j] * w[b][p][q][j], x0[b][r][c][j], ...), without what lies
// outside of x. `w` is packed in blocks of 4 channels: 4 biases, then [kernel_height][width][4]
// (library/conv.h). Operands are as those of products.
//
// Only the windows of the row's first and last columns reach beyond x. Their number, and which columns of the
// filter are there for them, is known with what the code depends on, or else an argument.
//
// Buffers: x, w, the operands x0, x1, ..., then y. Sizes: batches, rows (of y), inner_columns (of y, those
// whose windows lie inside of x), whole_blocks (channels / 4), kernel_height, stride_height, dilation_height,
// pad_top, height (of x); where borders are not known left_columns, right_columns (of y), pad_left, width (of
// x); then strides: x_batch, x_row, x_column, w_batch, x0_batch, x0_row, x0_column, ..., y_batch, y_row,
// y_column.
struct DepthwiseTask {
  // How far the windows of the first and the last column of y reach beyond x.
  struct Borders {
    uint8_t left = 0, right = 0;
    bool operator==(const Borders&) const = default;
  };
  uint8_t channels_tail = 0;         // channels % 4
  uint8_t width = 1;                 // of the filter
  uint8_t stride = 1, dilation = 1;  // along the width
  std::optional<Borders> borders;    // that are known: at most (width - 1) * dilation
  std::vector<uint8_t> strides;      // 0 or 1, for each operand: along the channels
  std::vector<Step> finish;          // of the sum, then the operands
  bool operator==(const DepthwiseTask&) const = default;
};

// y[o...][i] = steps(x0[o...][i], x1...), over `outer` loops and an inner one over elements that are dense in
// y. An operand's elements along the inner loop are dense (1) or all the same one (0).
//
// Buffers: the operands x0, x1, ..., then y. Sizes: n0, n1, ... of the outer loops, n of the inner one, then
// the strides of each operand and of y along each outer loop: x0_0, x0_1, ..., y_0, ...
struct MapTask {
  uint8_t outer = 0;
  std::vector<uint8_t> strides;  // 0 or 1, for each operand
  std::vector<Step> steps;
  bool operator==(const MapTask&) const = default;
};

// Over x dense [outer][reduced][inner]: y[o][i] = finish(combination over k of prologue(x[o][k][i])); without
// an inner axis where `contiguous`.
//
// Buffers: x, y. Sizes: outer, reduced and, where not contiguous, inner.
struct ReduceTask {
  Combine combine = Combine::Add;
  bool contiguous = true;
  std::vector<Step> prologue, finish;  // of one operand
  bool operator==(const ReduceTask&) const = default;
};

using Task = std::variant<MatMulTask, ConvTask, DepthwiseTask, MapTask, ReduceTask>;

// "matmul tail 3 finish activate 0 clamp 0 6", "conv tail 0", "depthwise tail 0 width 3 stride 1 dilation 1
// borders 1 1", "map outer 1 strides 1 0 steps add 0 1", "reduce add contiguous prologue square 0".
std::string text_of(const Task& task);
// Error: invalid-text, also where steps name operands that do not come before them.
Result<Task> parse_task(std::string_view text);

}  // namespace fuselane::loop
