#include "assemble/site.h"

#include <algorithm>

#include "assemble/kernels/copying.h"

namespace fuselane {

Site::Site(const Planning& planning, NodeId id)
    : planning_(planning),
      group_{.node = id, .nodes = {id}, .operands = {}, .steps = {}, .reads = {}, .results = {}} {
  group_.operands = node().inputs;
  group_.results = node().outputs;
  for (ValueId input : node().inputs) {
    if (input) group_.reads.push_back(input);
  }
}

Site Site::as(const Expression& expression) const {
  Group group = group_;
  group.operands = expression.operands;
  group.steps = expression.steps;
  return Site(planning_, std::move(group));
}

std::optional<Layout> Site::reserved(size_t output) const {
  for (Layout layout : {Layout::RowMajor, Layout::ChannelsLast}) {
    if (planning_.builder.is_reserved(group_.results[output], layout)) return layout;
  }
  return std::nullopt;
}

std::optional<BufferId> Site::made_over(size_t output, std::span<const size_t> operands, Layout layout) {
  for (size_t operand : operands) {
    auto buffer =
        planning_.builder.make_over(group_.results[output], group_.reads, this->operand(operand), layout);
    if (buffer) return buffer;
  }
  return std::nullopt;
}

BufferId Site::output_over(size_t output, std::span<const size_t> operands, Layout layout) {
  auto over = made_over(output, operands, layout);
  return over ? *over : this->output(output, layout);
}

BufferId Site::output_strided_over(size_t output, std::span<const size_t> operands, Layout layout) {
  auto over = made_over(output, operands, layout);
  return over ? *over : output_strided(output, layout);
}

void Site::view(size_t output, size_t input, Layout layout, int64_t start, Dims strides) {
  Location at = *planning_.builder.location(operand(input), layout);
  at.offset += static_cast<uint64_t>(start) * copy_size(dtype(input));
  at.strides = std::move(strides);
  planning_.builder.view(group_.results[output], std::move(at));
}

bool Site::lies_at(ValueId part, ValueId whole, Layout layout, size_t axis, int64_t start) const {
  const Location* at = planning_.builder.location(part, layout);
  const Location* from = planning_.builder.location(whole, layout);
  if (!at || !from || at->region != from->region) return false;
  Dims strides = planning_.builder.strides(whole, layout);
  uint64_t offset = from->offset + static_cast<uint64_t>(start * strides[axis]) * copy_size(fact(part).dtype);
  return at->offset == offset &&
         same_strides(fact(part).dims, planning_.builder.strides(part, layout), strides);
}

Result<BufferId> Site::zeros(uint64_t bytes) {
  return literal(TRY(Tensor::allocate(DType::UInt8, {static_cast<int64_t>(bytes)})));
}

Result<BufferId> Site::literal(Tensor tensor) {
  return planning_.builder.literal(std::make_shared<const Tensor>(std::move(tensor)));
}

Result<BufferId> Site::packed(const Packing& packing) {
  return planning_.builder.packed(TRY(planning_.packs.pack(packing)), packing.bytes);
}

std::optional<GeneratedKernel> Site::generated(const loop::Task& task) const {
  KernelStore* store = planning_.options.store;
  const KernelLimits limits{.tiling = options().tiling, .relaxed = options().relaxed};
  return store ? store->kernel(task, limits) : std::nullopt;
}

void Site::call(const GeneratedKernel& kernel, std::span<const Address> addresses,
                std::span<const int64_t> sizes, uint32_t extent, uint32_t grain) {
  std::vector<uint32_t> args(addresses.size());
  std::vector<Slot> slots;
  std::vector<BufferId> reads, writes;
  size_t next = 0;
  for (const loop::Buffer& buffer : kernel.loops->buffers) {
    if (buffer.storage != loop::Storage::Memory) continue;
    const Address& address = addresses[next];
    slots.push_back({next * sizeof(uint32_t), address.buffer, address.offset});
    (buffer.written ? writes : reads).push_back(address.buffer);
    ++next;
  }
  for (int64_t size : sizes) args.push_back(static_cast<uint32_t>(size));
  emit(kernel.number, {reinterpret_cast<const uint8_t*>(args.data()), args.size() * sizeof(uint32_t)}, slots,
       std::move(reads), std::move(writes), extent, grain);
}

void Site::call_reference() {
  std::vector<BufferId> reads, writes;
  for (size_t i = 0; i < input_count(); ++i) reads.push_back(has(i) ? input(i) : BufferId());
  for (size_t i = 0; i < output_count(); ++i) writes.push_back(wants(i) ? output(i) : BufferId());
  planning_.builder.call({.node = group_.node,
                          .group = group_.nodes,
                          .args = {},
                          .slots = {},
                          .reads = std::move(reads),
                          .writes = std::move(writes)});
}

void Site::emit(uint32_t kernel, std::span<const uint8_t> args, std::span<const Slot> slots,
                std::vector<BufferId> reads, std::vector<BufferId> writes, uint32_t extent, uint32_t grain) {
  planning_.builder.call({.node = group_.node,
                          .group = group_.nodes,
                          .kernel = kernel,
                          .args = args,
                          .slots = slots,
                          .reads = std::move(reads),
                          .writes = std::move(writes),
                          .extent = extent,
                          .grain = grain});
}

}  // namespace fuselane
