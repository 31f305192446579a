#include "assemble/site.h"

#include <algorithm>
#include <cstddef>

#include "assemble/assembler.h"
#include "assemble/kernels/planners.h"

namespace fuselane {
namespace {

// A kernel that reads and writes less than this, all its operands together, takes a microsecond or three; to
// share it would cost about one.
constexpr uint64_t kWorthSharing = 32 << 10;

}  // namespace

Site::Site(Assembler& assembler, NodeId id, std::span<const ValueType> types)
    : assembler_(assembler),
      group_{.node = id, .nodes = {id}, .operands = {}, .steps = {}, .reads = {}, .results = {}},
      types_(types) {
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
  return Site(assembler_, std::move(group), types_);
}

const Node& Site::node() const { return (*assembler_.graph_)[group_.node]; }
bool Site::wants(size_t output) const {
  return output < output_count() && assembler_.is_used(group_.results[output]);
}
DType Site::dtype(size_t input) const { return assembler_.resolve(operand(input)).dtype; }
const Dims& Site::dims(size_t input) const { return assembler_.resolve(operand(input)).dims; }
uint32_t Site::threads() const { return assembler_.options_.threads; }
bool Site::tiling() const { return assembler_.options_.tiling; }
const Tensor* Site::known(size_t input) const {
  return has(input) ? assembler_.known_of(operand(input)).get() : nullptr;
}

Layout Site::layout(size_t input) const {
  const auto& value = assembler_.resolve(operand(input));
  if (!assembler_.options_.layout && value.places[0]) return Layout::RowMajor;
  return value.places[static_cast<size_t>(Layout::ChannelsLast)] ? Layout::ChannelsLast : Layout::RowMajor;
}

bool Site::lies(size_t input, Layout layout) const {
  return static_cast<bool>(assembler_.resolve(operand(input)).places[static_cast<size_t>(layout)]);
}
bool Site::in_memory(size_t input) const {
  return lies(input, Layout::RowMajor) || lies(input, Layout::ChannelsLast);
}
bool Site::share_memory(size_t a, size_t b) const {
  const auto& places = assembler_.resolve(operand(a)).places;
  const auto& others = assembler_.resolve(operand(b)).places;
  return std::ranges::any_of(places,
                             [&](auto place) { return place && (place == others[0] || place == others[1]); });
}

ConstantId Site::constant(size_t input) const {
  return has(input) ? (*assembler_.graph_)[operand(input)].constant : ConstantId();
}

BufferId Site::input(size_t input, Layout layout) {
  return assembler_.in_layout(operand(input), layout, group_.node);
}

BufferId Site::output(size_t output, Layout layout) {
  ValueId id = group_.results[output];
  auto& value = assembler_.state(id);
  auto bytes = bytes_of(value.dtype, element_count(value.dims).value_or(0)).value_or(0);
  value.places[static_cast<size_t>(layout)] =
      assembler_.add_place(Storage::Arena, 0, static_cast<uint64_t>(bytes), assembler_.uses_left_[id.index]);
  return assembler_.buffer_of(id, layout);
}

BufferId Site::output_over(size_t result, std::span<const size_t> operands, Layout layout) {
  ValueId id = group_.results[result];
  for (size_t operand : operands) {
    if (!assembler_.may_overwrite(group_.reads, this->operand(operand), id, layout)) continue;
    alias(result, operand, layout, layout);
    return assembler_.buffer_of(id, layout);
  }
  return output(result, layout);
}

void Site::alias(size_t output, size_t input, Layout read_as, Layout layout) {
  assembler_.lay(operand(input), read_as, group_.node);
  auto place = assembler_.state(operand(input)).places[static_cast<size_t>(read_as)];
  ValueId id = group_.results[output];
  assembler_.state(id).places[static_cast<size_t>(layout)] = place;
  assembler_.places_[place.index].uses += assembler_.uses_left_[id.index];
}

BufferId Site::scratch(uint64_t bytes) {
  auto place = assembler_.add_place(Storage::Arena, 0, bytes, 0);
  assembler_.scratch_.push_back(place);
  return assembler_.add_buffer({.dtype = DType::UInt8, .dims = {static_cast<int64_t>(bytes)}, .bytes = bytes},
                               place);
}

Result<BufferId> Site::zeros(uint64_t bytes) {
  return literal(TRY(Tensor::allocate(DType::UInt8, {static_cast<int64_t>(bytes)})));
}

Result<BufferId> Site::literal(Tensor tensor) {
  auto& literals = assembler_.segment_.literals;
  PlanBuffer buffer{.storage = Storage::Literal, .dtype = tensor.dtype(), .dims = tensor.dims()};
  buffer.bytes = tensor.bytes().size();
  buffer.index = static_cast<uint32_t>(literals.size());
  literals.push_back(std::make_shared<const Tensor>(std::move(tensor)));
  return assembler_.add_buffer(std::move(buffer), {});
}

Result<BufferId> Site::packed(const Packing& packing) {
  PlanBuffer buffer{
      .storage = Storage::Packed, .dtype = DType::UInt8, .dims = {static_cast<int64_t>(packing.bytes)}};
  buffer.bytes = packing.bytes;
  buffer.index = TRY(assembler_.packs_->pack(packing));
  return assembler_.add_buffer(std::move(buffer), {});
}

std::optional<GeneratedKernel> Site::generated(const loop::Task& task) const {
  KernelStore* store = assembler_.options_.store;
  return store ? store->kernel(task, assembler_.options_.tiling) : std::nullopt;
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

void Site::emit(uint32_t kernel, std::span<const uint8_t> args, std::span<const Slot> slots,
                std::vector<BufferId> reads, std::vector<BufferId> writes, uint32_t extent, uint32_t grain) {
  assembler_.emit(group_.node, assembler_.group_number(group_.nodes), kernel, args, slots, std::move(reads),
                  std::move(writes), extent, grain);
}

void Assembler::emit(NodeId node, uint32_t group, uint32_t kernel, std::span<const uint8_t> args,
                     std::span<const Slot> slots, std::vector<BufferId> reads, std::vector<BufferId> writes,
                     uint32_t extent, uint32_t grain) {
  size_t start = segment_.args.size();
  segment_.args.resize(start + (args.size() + 7) / 8);
  std::memcpy(segment_.args.data() + start, args.data(), args.size());
  auto at = static_cast<uint32_t>(start * 8);
  for (const Slot& slot : slots) {
    segment_.pointers.push_back({at + static_cast<uint32_t>(slot.at), slot.buffer, slot.offset});
  }
  uint64_t bytes = 0;
  for (BufferId id : reads) bytes += segment_.buffers[id.index].bytes;
  for (BufferId id : writes) bytes += segment_.buffers[id.index].bytes;
  if (bytes < kWorthSharing) grain = std::max(grain, extent);
  segment_.steps.push_back({.node = node.index,
                            .group = group,
                            .kernel = kernel,
                            .args = at,
                            .extent = extent,
                            .grain = grain,
                            .inputs = std::move(reads),
                            .outputs = std::move(writes)});
}

void Assembler::convert_layout(NodeId node, BufferId from, BufferId to) {
  const PlanBuffer& source = segment_.buffers[from.index];
  CopyArgs args = layout_copy(source.dims, source.dtype, source.layout, segment_.buffers[to.index].layout);
  Slot slots[] = {{offsetof(CopyArgs, from), from}, {offsetof(CopyArgs, to), to}};
  emit(node, kNoGroup, static_cast<uint32_t>(KernelId::Copy),
       {reinterpret_cast<const uint8_t*>(&args), sizeof args}, slots, {from}, {to}, copy_extent(args), 1);
}

}  // namespace fuselane
