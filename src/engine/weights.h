// A model's constants in memory: as they are in the file where a step reads them so, and packed for kernels.
// Each is read when a plan first needs it; what is only packed does not stay in memory as well.
#pragma once

#include <memory>
#include <vector>

#include "assemble/packing.h"
#include "graph/constants.h"
#include "run/crew.h"

namespace fuselane {

class Weights final : public PackStore {
 public:
  // `graph`, the sources and the crew outlive this. The crew shares the packing.
  Weights(const Graph& graph, std::vector<ByteSource*> sources, Crew& crew)
      : graph_(graph), sources_(std::move(sources)), crew_(crew) {}

  // Makes weight(index) valid. Errors: those of read_constant, naming the constant.
  Status load(uint32_t constant);
  Result<uint32_t> pack(const Packing& packing) override;

  TensorView weight(uint32_t constant) const { return tensors_[constant]->view(); }
  uint8_t* packed(uint32_t index) const { return packed_[index].block.data(); }
  int64_t bytes() const { return bytes_; }
  double busy_ms() const { return busy_ms_; }  // in load() and pack()

 private:
  struct Packed {
    Packing packing;
    Buffer block;
  };
  // What keeps a part's operand in memory: one of these.
  struct Stretch {
    Buffer read;
    std::shared_ptr<const Tensor> whole;
  };

  Result<std::shared_ptr<const Tensor>> read(ConstantId id) const;
  Result<const uint8_t*> read(const Packing::Operand& operand, std::vector<Stretch>& held) const;
  Status run(const Packing& packing, const Packing::Part& part, uint8_t* block) const;
  Error about(ConstantId id, Error error) const;

  const Graph& graph_;
  std::vector<ByteSource*> sources_;
  Crew& crew_;
  std::vector<std::shared_ptr<const Tensor>> tensors_;  // by constant; null where not loaded
  std::vector<Packed> packed_;
  int64_t bytes_ = 0;
  double busy_ms_ = 0;
};

}  // namespace fuselane
