#include "engine/weights.h"

#include <cstring>

#include "base/clock.h"
#include "library/kernels.h"

namespace fuselane {

// The error, naming the constant by the value that is read from it.
Error Weights::about(ConstantId id, Error error) const {
  for (size_t v = 0; v < graph_.value_count(); ++v) {
    if (graph_[ValueId(v)].constant == id) error.subject = graph_[ValueId(v)].name;
  }
  error.message = cat("constant '", error.subject, "': ", error.message);
  return error;
}

Result<std::shared_ptr<const Tensor>> Weights::read(ConstantId id) const {
  if (id.index < tensors_.size() && tensors_[id.index]) return tensors_[id.index];
  const Constant& constant = graph_[id];
  if (constant.data) return constant.data;
  auto tensor = read_constant(constant, sources_);
  if (!tensor) return std::unexpected(about(id, std::move(tensor.error())));
  return std::make_shared<const Tensor>(*std::move(tensor));
}

Status Weights::load(uint32_t constant) {
  tensors_.resize(graph_.constant_count());
  if (tensors_[constant]) return {};
  const Stopwatch reading(busy_ms_);
  tensors_[constant] = TRY(read(ConstantId(size_t{constant})));
  bytes_ += static_cast<int64_t>(tensors_[constant]->bytes().size());
  return {};
}

// The operand's first byte; `held` keeps it valid.
Result<const uint8_t*> Weights::read(const Packing::Operand& operand, std::vector<Stretch>& held) const {
  const Constant& constant = graph_[operand.constant];
  bool in_memory =
      constant.data || (operand.constant.index < tensors_.size() && tensors_[operand.constant.index]);
  if (in_memory || !can_read_part(constant)) {
    held.push_back({.read = {}, .whole = TRY(read(operand.constant))});
    return held.back().whole->bytes().data() + operand.offset;
  }
  held.push_back({.read = TRY(Buffer::allocate(operand.bytes)), .whole = {}});
  std::span<uint8_t> bytes = held.back().read.bytes();
  if (auto status = read_part(constant, sources_, operand.offset, bytes); !status)
    return std::unexpected(about(operand.constant, std::move(status.error())));
  return bytes.data();
}

Status Weights::run(const Packing& packing, const Packing::Part& part, uint8_t* block) const {
  std::vector<uint64_t> args((part.args.size() + 7) / 8);
  std::memcpy(args.data(), part.args.data(), part.args.size());
  auto set_address = [&](uint32_t at, const void* address) {
    std::memcpy(reinterpret_cast<uint8_t*>(args.data()) + at, &address, sizeof address);
  };
  std::vector<Stretch> held;
  for (const Packing::Operand& operand : part.operands) set_address(operand.at, TRY(read(operand, held)));
  set_address(packing.result_at, block + part.result_offset);
  const Callee callee{function_of(static_cast<KernelId>(packing.kernel))};
  if (crew_.run({callee, args.data(), part.extent, 1}) != kDone)
    return fail(ErrorCode::InternalError, "packing a constant failed");
  return {};
}

Result<uint32_t> Weights::pack(const Packing& packing) {
  for (size_t i = 0; i < packed_.size(); ++i) {
    if (packed_[i].packing == packing) return static_cast<uint32_t>(i);
  }
  const Stopwatch packs(busy_ms_);
  Buffer block = TRY(Buffer::allocate(packing.bytes));
  for (const Packing::Part& part : packing.parts) TRY(run(packing, part, block.data()));
  bytes_ += static_cast<int64_t>(block.size());
  packed_.push_back({packing, std::move(block)});
  return static_cast<uint32_t>(packed_.size() - 1);
}

}  // namespace fuselane
