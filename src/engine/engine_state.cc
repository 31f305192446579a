#include "engine/engine_state.h"

#include <algorithm>
#include <cstring>

namespace fuselane {

TensorId TensorTable::add(Tensor tensor) {
  slots_.push_back({next_, std::make_shared<const Tensor>(std::move(tensor))});
  return TensorId(size_t{next_++});
}

std::shared_ptr<const Tensor> TensorTable::find(TensorId id) const {
  auto at = std::ranges::lower_bound(slots_, id.index, {}, &Slot::id);
  return at != slots_.end() && at->id == id.index ? at->tensor : nullptr;
}

void TensorTable::remove(TensorId id) {
  auto at = std::ranges::lower_bound(slots_, id.index, {}, &Slot::id);
  if (at != slots_.end() && at->id == id.index) slots_.erase(at);
}

Result<uint8_t*> Arena::reserve(uint64_t bytes) {
  if (bytes <= block_.size()) return block_.data();
  auto larger = Buffer::allocate(bytes);
  if (!larger) {
    Error error = std::move(larger.error());
    error.message =
        cat("a run needs ", bytes, " bytes for its intermediate values, and there is no room for them");
    return std::unexpected(std::move(error));
  }
  if (block_.size() > 0) std::memcpy(larger->data(), block_.data(), block_.size());
  block_ = *std::move(larger);
  return block_.data();
}

}  // namespace fuselane
