// One node on its way into a segment, as the planners of kernels see it: what is known of its operands and
// results, and what to do with them.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "assemble/expression.h"
#include "assemble/kernel_store.h"
#include "assemble/packing.h"
#include "graph/graph.h"
#include "loop/functions.h"
#include "plan/plan.h"

namespace fuselane {

class Assembler;

// An address for a kernel's arguments: where in the struct, of which buffer, how many bytes into it.
struct Slot {
  size_t at;
  BufferId buffer;
  uint64_t offset = 0;
};

// Nodes that become one step; most are one node.
struct Group {
  NodeId node;                // the only one; or the product among them; or the last
  std::vector<NodeId> nodes;  // all, operands' first
  // The node's inputs. Behind them, for a product, the operands of the steps; those alone, where all nodes
  // are functions of elements.
  std::vector<ValueId> operands;
  // What is made of the product's elements and the operands behind its inputs, or of the operands.
  std::vector<loop::Step> steps;
  std::vector<ValueId> reads;  // the inputs of all nodes
  std::vector<ValueId> results;
};

class Site {
 public:
  // One node.
  Site(Assembler& assembler, NodeId id, std::span<const ValueType> types);
  Site(Assembler& assembler, Group group, std::span<const ValueType> types)
      : assembler_(assembler), group_(std::move(group)), types_(types) {}

  const Node& node() const;
  size_t input_count() const { return node().inputs.size(); }
  size_t output_count() const { return group_.results.size(); }
  // The group's operands and steps, for planners that take them.
  const Group& group() const { return group_; }
  size_t operand_count() const { return group_.operands.size(); }
  const std::vector<loop::Step>& steps() const { return group_.steps; }
  ValueId operand(size_t i) const { return group_.operands[i]; }
  // The same nodes as a function of elements.
  Site as(const Expression& expression) const;
  bool has(size_t input) const { return input < input_count() && static_cast<bool>(group_.operands[input]); }
  bool wants(size_t output) const;
  DType dtype(size_t input) const;
  const Dims& dims(size_t input) const;
  // How the operand's elements lie now. One that lies both ways says channels
  // last, unless layouts are not chosen (AssembleOptions).
  Layout layout(size_t input) const;
  bool lies(size_t input, Layout layout) const;
  // Whether it lies anywhere; what is only known while planning does not.
  bool in_memory(size_t input) const;
  // The operand's elements where they are known while planning; null otherwise.
  const Tensor* known(size_t input) const;
  // The model's constant behind the operand; none for one that is computed.
  ConstantId constant(size_t input) const;
  DType result_dtype(size_t output) const { return types_[output].dtype; }
  Dims result_dims(size_t output) const { return *concrete(*types_[output].dims); }
  // Whether two operands are the same memory.
  bool share_memory(size_t a, size_t b) const;
  uint32_t threads() const;
  // Whether loops of generated kernels are cut into blocks.
  bool tiling() const;

  // The operand in this layout; a step that converts it comes first where needed.
  BufferId input(size_t input, Layout layout = Layout::RowMajor);
  // Memory for the result. Every wanted result is asked for once.
  BufferId output(size_t output, Layout layout = Layout::RowMajor);
  // The same, over one of the operands where that may be: one that is taken in this layout, has the result's
  // dims and element size, lies in the arena and is not read after this node. For kernels that read the
  // operands at an element's own index only, before they write it, in one step.
  BufferId output_over(size_t output, std::span<const size_t> operands, Layout layout = Layout::RowMajor);
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
  Group group_;
  std::span<const ValueType> types_;
};

// Plans the node with library kernels if they can do it: true, and all wanted results are written. False: the
// site is untouched, and the node is left to its reference.
Result<bool> plan_with_kernels(Site& site);

}  // namespace fuselane
