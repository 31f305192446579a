// One node on its way into a segment, as the planners of kernels see it: what is known of its operands and
// results, and what to do with them.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "assemble/kernel_store.h"
#include "assemble/packing.h"
#include "graph/graph.h"
#include "plan/plan.h"

namespace fuselane {

class Assembler;

// An address for a kernel's arguments: where in the struct, of which buffer, how many bytes into it.
struct Slot {
  size_t at;
  BufferId buffer;
  uint64_t offset = 0;
};

class Site {
 public:
  Site(Assembler& assembler, NodeId id, std::span<const ValueType> results)
      : assembler_(assembler), id_(id), results_(results) {}

  const Node& node() const;
  size_t input_count() const { return node().inputs.size(); }
  size_t output_count() const { return node().outputs.size(); }
  bool has(size_t input) const { return input < input_count() && static_cast<bool>(node().inputs[input]); }
  bool wants(size_t output) const;
  DType dtype(size_t input) const;
  const Dims& dims(size_t input) const;
  // How the operand's elements lie now. One that lies both ways says channels last.
  Layout layout(size_t input) const;
  bool lies(size_t input, Layout layout) const;
  // Whether it lies anywhere; what is only known while planning does not.
  bool in_memory(size_t input) const;
  // The operand's elements where they are known while planning; null otherwise.
  const Tensor* known(size_t input) const;
  // The model's constant behind the operand; none for one that is computed.
  ConstantId constant(size_t input) const;
  DType result_dtype(size_t output) const { return results_[output].dtype; }
  Dims result_dims(size_t output) const { return *concrete(*results_[output].dims); }
  uint32_t threads() const;

  // The operand in this layout; a step that converts it comes first where needed.
  BufferId input(size_t input, Layout layout = Layout::RowMajor);
  // Memory for the result. Every wanted result is asked for once.
  BufferId output(size_t output, Layout layout = Layout::RowMajor);
  // The same, over one of the operands where that may be: one that is taken in this layout, has the result's
  // dims and element size, lies in the arena and is not read after this node. For kernels that read the
  // operands at an element's own index only, before they write it, in one step.
  BufferId output_over(size_t output, std::initializer_list<size_t> operands,
                       Layout layout = Layout::RowMajor);
  // The result is operand `input` itself: the same memory read with the result's dims. `read_as` is the
  // layout the operand is taken in, `layout` that of the result.
  void alias(size_t output, size_t input, Layout read_as, Layout layout);
  // Memory that only the calls of this node use.
  BufferId scratch(uint64_t bytes);
  // Zeros, and a tensor made while planning (a table): both are read only and live as long as the segment.
  Result<BufferId> zeros(uint64_t bytes);
  Result<BufferId> literal(Tensor tensor);
  Result<BufferId> packed(const Packing& packing);

  // A call of a kernel; `reads` and `writes` are the buffers behind the slots.
  template <class Args>
  void call(uint32_t kernel, const Args& args, const std::vector<Slot>& slots, std::vector<BufferId> reads,
            std::vector<BufferId> writes, uint32_t extent, uint32_t grain) {
    static_assert(std::is_trivially_copyable_v<Args> && alignof(Args) <= 8);
    emit(kernel, {reinterpret_cast<const uint8_t*>(&args), sizeof(Args)}, slots, std::move(reads),
         std::move(writes), extent, grain);
  }

  // A kernel generated for the task, where there can be one.
  std::optional<GeneratedKernel> generated(const loop::Task& task) const;
  struct Address {
    BufferId buffer;
    uint64_t offset = 0;
  };
  // A call of it: addresses of the kernel's buffers in memory and values of its sizes, in their order. The
  // extent is parallel_extent (loop/evaluate.h).
  void call(const GeneratedKernel& kernel, std::span<const Address> addresses, std::span<const int64_t> sizes,
            uint32_t extent, uint32_t grain);

 private:
  friend class Assembler;
  void emit(uint32_t kernel, std::span<const uint8_t> args, std::span<const Slot> slots,
            std::vector<BufferId> reads, std::vector<BufferId> writes, uint32_t extent, uint32_t grain);

  Assembler& assembler_;
  NodeId id_;
  std::span<const ValueType> results_;
};

// Plans the node with library kernels if they can do it: true, and all wanted results are written. False: the
// site is untouched, and the node is left to its reference.
Result<bool> plan_with_kernels(Site& site);

}  // namespace fuselane
