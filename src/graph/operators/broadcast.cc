#include "graph/operators/broadcast.h"

namespace fuselane {

BroadcastWalk::BroadcastWalk(DimsView result, std::initializer_list<DimsView> operands) {
  left_ = element_count(result).value_or(0);
  if (left_ == 0) return;
  std::vector<Axis> axes(result.size());
  for (size_t d = 0; d < result.size(); ++d) axes[d] = {result[d], {}};
  size_t which = 0;
  for (DimsView operand : operands) {
    size_t missing = result.size() - operand.size();
    Dims strides = strides_of(operand);
    for (size_t d = 0; d < operand.size(); ++d) {
      axes[missing + d].strides[which] = operand[d] == 1 ? 0 : strides[d];
    }
    ++which;
  }
  for (const Axis& axis : axes) append(axis);
  if (outer_.empty()) outer_.push_back({1, {}});
  run_.count = outer_.back().extent;
  run_.strides = outer_.back().strides;
  outer_.pop_back();
}

// Adds an axis inside those there are, or joins it to the innermost when one step of that is, for every
// operand, the whole of this one.
void BroadcastWalk::append(const Axis& axis) {
  if (axis.extent == 1) return;
  bool joins = !outer_.empty();
  for (size_t i = 0; joins && i < BroadcastRun::kOperands; ++i) {
    joins = outer_.back().strides[i] == axis.strides[i] * axis.extent;
  }
  if (!joins) {
    outer_.push_back(axis);
    return;
  }
  outer_.back().extent *= axis.extent;
  outer_.back().strides = axis.strides;
}

const BroadcastRun* BroadcastWalk::next() {
  if (left_ == 0) return nullptr;
  if (started_) advance();
  started_ = true;
  return left_ == 0 ? nullptr : &run_;
}

void BroadcastWalk::advance() {
  left_ -= run_.count;
  run_.first += run_.count;
  for (size_t d = outer_.size(); d-- > 0;) {
    Axis& axis = outer_[d];
    bool carries = ++axis.at == axis.extent;
    int64_t steps = carries ? 1 - axis.extent : 1;
    for (size_t i = 0; i < BroadcastRun::kOperands; ++i) run_.offsets[i] += steps * axis.strides[i];
    if (!carries) return;
    axis.at = 0;
  }
}

Status require_broadcast_to(const Inference& inference, size_t operand,
                            const std::optional<DimVector>& dims) {
  const DimVector* own = inference.dims(operand);
  if (!own || !dims) return {};
  if (own->size() > dims->size()) {
    return inference.refuse(
        cat("input ", operand, " has rank ", own->size(), " and does not broadcast to rank ", dims->size()));
  }
  for (size_t d = 0; d < own->size(); ++d) {
    const Dim& from = (*own)[d];
    const Dim& to = (*dims)[d + dims->size() - own->size()];
    if (!from.known() || !to.known() || from.extent == 1 || from.extent == to.extent) continue;
    return inference.refuse(
        cat("input ", operand, " has extent ", from.extent, " which does not broadcast to ", to.extent));
  }
  return {};
}

}  // namespace fuselane
