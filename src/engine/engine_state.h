// What an engine holds: its crew of threads, generated kernels, tensors by id, and the arena that its models
// share.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "engine/kernel_table.h"
#include "run/crew.h"

namespace fuselane {

// Tensors the callers hold. Ids are never used twice, so that a stale one is noticed.
class TensorTable {
 public:
  TensorId add(Tensor tensor);
  // Shared, so that a run keeps its feeds when their owner lets go of them; null for an id that is not there.
  std::shared_ptr<const Tensor> find(TensorId id) const;
  void remove(TensorId id);

 private:
  struct Slot {
    uint32_t id;
    std::shared_ptr<const Tensor> tensor;
  };
  std::vector<Slot> slots_;  // ordered by id
  uint32_t next_ = 1;
};

// One block that grows; what lay in it stays.
class Arena {
 public:
  Result<uint8_t*> reserve(uint64_t bytes);
  uint64_t size() const { return block_.size(); }

 private:
  Buffer block_;
};

struct Engine::State {
  explicit State(const EngineOptions& options)
      : crew(options.threads, options.install_here),
        kernels(crew, options.target, options.kernel_names),
        cancelled(options.cancelled) {}

  Crew crew;
  KernelTable kernels;
  bool (*cancelled)();
  TensorTable tensors;
  Arena arena;
  const void* arena_owner = nullptr;  // the model whose last results lie in the arena
  std::vector<std::unique_ptr<Model>> models;
};

}  // namespace fuselane
