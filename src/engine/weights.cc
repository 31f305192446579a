#include "engine/weights.h"

#include <cstring>

#include "library/kernels.h"

namespace fuselane {

Result<std::shared_ptr<const Tensor>> Weights::read(ConstantId id) const {
  if (id.index < tensors_.size() && tensors_[id.index]) return tensors_[id.index];
  const Constant& constant = graph_[id];
  if (constant.data) return constant.data;
  auto tensor = read_constant(constant, sources_);
  if (tensor) return std::make_shared<const Tensor>(*std::move(tensor));
  Error error = std::move(tensor.error());
  for (size_t v = 0; v < graph_.value_count(); ++v) {
    if (graph_[ValueId(v)].constant == id) error.subject = graph_[ValueId(v)].name;
  }
  error.message = cat("constant '", error.subject, "': ", error.message);
  return std::unexpected(std::move(error));
}

Status Weights::load(uint32_t constant) {
  tensors_.resize(graph_.constant_count());
  if (tensors_[constant]) return {};
  tensors_[constant] = TRY(read(ConstantId(size_t{constant})));
  bytes_ += static_cast<int64_t>(tensors_[constant]->bytes().size());
  return {};
}

Result<uint32_t> Weights::pack(const Packing& packing) {
  for (size_t i = 0; i < packed_.size(); ++i) {
    if (packed_[i].packing == packing) return static_cast<uint32_t>(i);
  }
  Buffer block = TRY(Buffer::allocate(packing.bytes));
  std::vector<uint64_t> args((packing.args.size() + 7) / 8);
  std::memcpy(args.data(), packing.args.data(), packing.args.size());
  auto set_address = [&](uint32_t at, const void* address) {
    std::memcpy(reinterpret_cast<uint8_t*>(args.data()) + at, &address, sizeof address);
  };
  std::vector<std::shared_ptr<const Tensor>> held;
  for (const Packing::Operand& operand : packing.operands) {
    held.push_back(TRY(read(operand.constant)));
    set_address(operand.at, held.back()->bytes().data());
  }
  set_address(packing.result_at, block.data());
  function_of(static_cast<KernelId>(packing.kernel))(args.data(), 0, packing.extent);
  bytes_ += static_cast<int64_t>(block.size());
  packed_.push_back({packing, std::move(block)});
  return static_cast<uint32_t>(packed_.size() - 1);
}

}  // namespace fuselane
