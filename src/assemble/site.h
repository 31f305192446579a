// One node on its way into a segment, as the planners of kernels see it: what is known of its operands and
// results, and what to do with them.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "assemble/expression.h"
#include "assemble/options.h"
#include "assemble/packing.h"
#include "assemble/segment_builder.h"
#include "graph/graph.h"
#include "loop/functions.h"
#include "plan/plan.h"

namespace fuselane {

// Where planning happens.
struct Planning {
  const Graph& graph;
  SegmentBuilder& builder;
  PackStore& packs;
  const AssembleOptions& options;
  const std::vector<uint8_t>* winograd;  // by NodeId (winograd_sizes.h); null where it is switched off
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
  Site(const Planning& planning, NodeId id);
  Site(const Planning& planning, Group group) : planning_(planning), group_(std::move(group)) {}

  const Node& node() const { return planning_.graph[group_.node]; }
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
  bool wants(size_t output) const {
    return output < output_count() && planning_.builder.is_used(group_.results[output]);
  }
  DType dtype(size_t input) const { return fact(operand(input)).dtype; }
  const Dims& dims(size_t input) const { return fact(operand(input)).dims; }
  // How the operand's elements lie now. One that lies both ways says channels last, unless layouts are not
  // chosen.
  Layout layout(size_t input) const {
    if (!options().layout && lies(input, Layout::RowMajor)) return Layout::RowMajor;
    return lies(input, Layout::ChannelsLast) ? Layout::ChannelsLast : Layout::RowMajor;
  }
  bool lies(size_t input, Layout layout) const {
    return planning_.builder.location(operand(input), layout) != nullptr;
  }
  // Whether it lies anywhere; what is only known while planning does not.
  bool in_memory(size_t input) const { return lies(input, layout(input)); }
  // How far apart, by dimension and in elements, strided() gives the operand's elements.
  Dims strides(size_t input, Layout layout) const {
    return planning_.builder.strides(operand(input), layout);
  }
  // The operand's elements where they are known while planning; null otherwise.
  const Tensor* known(size_t input) const {
    return has(input) ? planning_.builder.facts().known(operand(input)) : nullptr;
  }
  // The model's constant behind the operand; none for one that is computed.
  ConstantId constant(size_t input) const {
    return has(input) ? planning_.graph[operand(input)].constant : ConstantId();
  }
  // Known of every result that is wanted, and of most others.
  bool knows_result(size_t output) const {
    return group_.results[output] && fact(group_.results[output]).defined;
  }
  DType result_dtype(size_t output) const { return fact(group_.results[output]).dtype; }
  const Dims& result_dims(size_t output) const { return fact(group_.results[output]).dims; }
  // The layout in which memory for the result is there already, next to others that it makes a whole with.
  std::optional<Layout> reserved(size_t output) const;
  // Whether two operands are the same memory.
  bool share_memory(size_t a, size_t b) const {
    return planning_.builder.share_memory(operand(a), operand(b));
  }
  const AssembleOptions& options() const { return planning_.options; }
  uint32_t threads() const { return planning_.options.threads; }
  // The largest tiles by which the node may be computed (winograd_sizes.h); 0: none.
  uint32_t largest_tiles() const { return planning_.winograd ? (*planning_.winograd)[group_.node.index] : 0; }

  // The operand dense in this layout; a step that converts it comes first where needed.
  BufferId input(size_t input, Layout layout = Layout::RowMajor) {
    return planning_.builder.dense(operand(input), layout, group_.node);
  }
  // The same as it lies, with the strides that strides() says.
  BufferId strided(size_t input, Layout layout) {
    return planning_.builder.strided(operand(input), layout, group_.node);
  }
  // Memory for the result. Every wanted result is asked for once.
  BufferId output(size_t output, Layout layout = Layout::RowMajor) {
    return planning_.builder.make(group_.results[output], layout);
  }
  // The same where another value wants it, with the strides that output_strides() says beforehand.
  BufferId output_strided(size_t output, Layout layout) {
    return planning_.builder.make_strided(group_.results[output], layout);
  }
  Dims output_strides(size_t output, Layout layout) const {
    return planning_.builder.strides_to_make(group_.results[output], layout);
  }
  // As output(), or output_strided(), but over one of the operands where that may be: one that is taken dense
  // in this layout, has the result's dims and element size, lies in the arena and is not read after this
  // node. For kernels that read the operands at an element's own index only, before they write it, in one
  // step.
  BufferId output_over(size_t output, std::span<const size_t> operands, Layout layout = Layout::RowMajor);
  BufferId output_strided_over(size_t output, std::span<const size_t> operands, Layout layout);
  // The result is operand `input` itself, a part of it or its elements in another order: the memory it has in
  // `layout`, from element `start` on, with these strides by the result's dimensions.
  void view(size_t output, size_t input, Layout layout, int64_t start, Dims strides);
  // Whether the operand lies where the result has it, from `start` on along `axis`, both in `layout`; and
  // whether it lies so behind the beginning of operand `first`.
  bool is_part(size_t input, size_t output, Layout layout, size_t axis, int64_t start) const {
    return lies_at(operand(input), group_.results[output], layout, axis, start);
  }
  bool is_next_to(size_t input, size_t first, Layout layout, size_t axis, int64_t start) const {
    return lies_at(operand(input), operand(first), layout, axis, start);
  }
  // Memory that only the calls of this node use.
  BufferId scratch(uint64_t bytes) { return planning_.builder.scratch(bytes); }
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
  // A call of the node's reference.
  void call_reference();

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
  std::optional<BufferId> made_over(size_t output, std::span<const size_t> operands, Layout layout);
  bool lies_at(ValueId part, ValueId whole, Layout layout, size_t axis, int64_t start) const;
  const Fact& fact(ValueId id) const { return planning_.builder.facts()[id]; }
  void emit(uint32_t kernel, std::span<const uint8_t> args, std::span<const Slot> slots,
            std::vector<BufferId> reads, std::vector<BufferId> writes, uint32_t extent, uint32_t grain);

  Planning planning_;
  Group group_;
};

// Plans the node with library kernels if they can do it: true, and all wanted results are written. False: the
// site is untouched, and the node is left to its reference.
Result<bool> plan_with_kernels(Site& site);

}  // namespace fuselane
