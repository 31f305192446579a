// A kernel as text. parse(print(kernel)) prints the same text again.
//
//   kernel "matmul" {
//     size batches, rows, block_rows
//     memory a f32 strides [a_batch, a_row, 1]
//     memory c f32 written strides [c_batch, c_row, 1]
//     split j 8 padded as jp, j1 extent 8*whole_panels + 3
//     split i block_rows rest as ib, ii extent rows
//     split ii 6 even as i0, i1 extent min(block_rows, rows - block_rows*ib)
//     nest "matmul" {
//       for b in batches parallel
//       for i1 in 6 unroll
//       for k sums depth
//       reduce add from w[b, jp, 0, j1]
//       term mul(a[b, start(i0) + i1, k], w[b, jp, k + 1, j1])
//       store c[b, start(i0) + i1, 8*jp + j1] = pmax(result, 0)
//     }
//   }
//
// Between brackets are polynomials over sizes, loops and (a / b), (a mod b), min(a, b), start(outer loop).
// Values that are used more than once are named. Constants are f32 as numbers, i32 as `i32 7`; a comparison's
// result is chosen by select(truth, a, b). `loops j, i` before the splits: that the kernel has them in this
// order, where that is not the order in which the splits and nests name them; `indices [min(a, i)]` likewise
// for what extents are made of. `outer` before a `for` in the kernel's body: a loop that all nests share.
#pragma once

#include <string>

#include "loop/kernel.h"

namespace fuselane::loop {

std::string print(const Kernel& kernel);
std::string print(const Kernel& kernel, const Index& index);

}  // namespace fuselane::loop
