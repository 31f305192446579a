// The planners of kernel families. Each looks at a node and either plans it with kernels (true) or leaves the
// site untouched (false): then its reference is called.
#pragma once

#include "assemble/kernels/blocking.h"
#include "assemble/kernels/finish.h"
#include "assemble/kernels/generated.h"
#include "assemble/kernels/matrices.h"
#include "assemble/site.h"
#include "graph/ops.h"
#include "library/conv.h"
#include "library/copy.h"
#include "library/kernels.h"

namespace fuselane {

using Planner = Result<bool> (*)(Site& site);

Result<bool> plan_matmul(Site& site);
Result<bool> plan_gemm(Site& site);
Result<bool> plan_conv(Site& site);
Result<bool> plan_conv_transpose(Site& site);
Result<bool> plan_pool(Site& site);
Result<bool> plan_lstm(Site& site);
Result<bool> plan_gru(Site& site);
Result<bool> plan_tile(Site& site);
Result<bool> plan_instance_normalization(Site& site);
Result<bool> plan_resize(Site& site);
Result<bool> plan_elementwise(Site& site);
Result<bool> plan_where(Site& site);
Result<bool> plan_cast(Site& site);
Result<bool> plan_softmax(Site& site);
Result<bool> plan_reduce(Site& site);
Result<bool> plan_arg_max(Site& site);
Result<bool> plan_layer_normalization(Site& site);
Result<bool> plan_transpose(Site& site);
Result<bool> plan_concat(Site& site);
Result<bool> plan_split(Site& site);
Result<bool> plan_slice(Site& site);
Result<bool> plan_expand(Site& site);
Result<bool> plan_pad(Site& site);
Result<bool> plan_gather(Site& site);

bool is_function_of_elements(Op op);
// What a node computes of the elements of its operands; nothing where that is no list of steps.
std::optional<Expression> expression_of(const Site& site);
// The steps of the group over its operands, all of which broadcast to the result.
bool plan_map(Site& site);

// A Reshape or the like as a view of its operand; with a copy first where there is none. False for other
// nodes, and for operands that are not in memory.
bool plan_reshape(Site& site);
bool is_reshape(Op op);

// Steps over whole buffers of `count` elements of 4 bytes.
void copy_all(Site& site, BufferId from, BufferId to, uint32_t count);
void zero_all(Site& site, BufferId to, uint32_t count);
// c [batches][rows][columns] = a [batches][rows][depth] times packed matrices.
struct Matrices {
  uint32_t batches = 1;
  uint32_t rows;
  uint32_t columns;
  uint32_t depth;
  uint32_t groups = 1;    // that have as many of the columns each; of convolutions
  size_t batch_axes = 0;  // of the node's result, in memory
  MatrixStrides a = {};   // not of convolutions
  bool shared = false;    // all batches are multiplied by the same matrix; not of convolutions
};
// How an operand of the group's steps goes along with the sums.
struct SumOperand {
  size_t index;
  Layout layout = Layout::RowMajor;
  bool strided = false;  // taken as it lies
  uint8_t column = 0;    // the strides of the task
  uint64_t group = 0;    // elements from one group's columns to the next's
  MatrixStrides strides;
};
struct ProductCall {
  GeneratedCall call;
  std::vector<SumOperand> operands;
  std::vector<size_t> over;  // those that the result may overwrite
  Layout layout;             // of the result
  bool strided = false;      // the result is made where it is wanted
  std::optional<FinishCall> finish;
};
// A product whose sums go through the node's activation and the group's steps, for a result in this layout;
// nothing where there is no kernel for it.
std::optional<ProductCall> prepare_product(const Site& site, const Matrices& matrices, Layout layout);
// The same of windows in the place of rows, for a result that lies channels last. `sizes` say where they are,
// `blocking` how they are cut.
std::optional<ProductCall> prepare_windows(const Site& site, const Matrices& matrices,
                                           const Blocking& blocking, std::vector<SizeArgument> sizes);
void call_product(Site& site, const ProductCall& product, BufferId a, BufferId packed);
// The sums alone, at these places, to be called with the three buffers.
std::optional<GeneratedCall> prepare_sums(const Site& site, const Matrices& matrices, MatrixStrides c);

struct WindowAxis;
// The window of one or two spatial axes over x; one is a row of height 1.
Window window_of(const Dims& x, std::span<const WindowAxis> axes);
// A convolution with a filter for each channel, which tasks can say.
bool has_depthwise(const Window& window);
Result<bool> plan_depthwise(Site& site, const Window& window);

inline uint32_t row(KernelId id) { return static_cast<uint32_t>(id); }

// Every extent that reaches a kernel: false when it does not fit 31 bits.
inline bool fits32(int64_t value) { return value >= 0 && value < (int64_t{1} << 31); }
bool fits32(DimsView dims);  // the product of the extents too

// All elements of constant operand `input`, for the argument at `at`.
Packing::Operand whole_constant(const Site& site, size_t input, size_t at);

template <class Args>
Packing::Part packing_part(const Args& args, std::vector<Packing::Operand> operands, uint32_t extent,
                           uint64_t result_offset = 0) {
  const auto* raw = reinterpret_cast<const uint8_t*>(&args);
  return {.args = std::vector<uint8_t>(raw, raw + sizeof(Args)),
          .operands = std::move(operands),
          .result_offset = result_offset,
          .extent = extent};
}

inline Packing packing_of(KernelId kernel, size_t result_at, uint64_t bytes,
                          std::vector<Packing::Part> parts) {
  return {.kernel = row(kernel),
          .result_at = static_cast<uint32_t>(result_at),
          .bytes = bytes,
          .parts = std::move(parts)};
}

}  // namespace fuselane
