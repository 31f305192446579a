// Broadcasting at work: a walk over a result's elements together with the operands' elements they are
// computed from, and the check of operands that must fit a shape someone else decides.
#pragma once

#include <array>
#include <initializer_list>
#include <vector>

#include "graph/inference.h"

namespace fuselane {

// `count` results from `first` on; element k of them reads element offset + k * stride of each operand.
struct BroadcastRun {
  static constexpr size_t kOperands = 3;
  int64_t first = 0;
  int64_t count = 0;
  std::array<int64_t, kOperands> offsets{};
  std::array<int64_t, kOperands> strides{};
};

// The runs of a result cover it once, in order. Neighbouring axes that all operands walk alike are one axis,
// so that equal shapes make a single run.
class BroadcastWalk {
 public:
  // Each operand broadcasts to `result`: aligned at the last axis, its extents are 1 or the result's. At most
  // kOperands of them.
  BroadcastWalk(DimsView result, std::initializer_list<DimsView> operands);

  // The next run; null after the last.
  const BroadcastRun* next();

 private:
  struct Axis {
    int64_t extent;
    std::array<int64_t, BroadcastRun::kOperands> strides;
    int64_t at = 0;
  };
  void append(const Axis& axis);
  void advance();

  std::vector<Axis> outer_;  // outermost first
  BroadcastRun run_;
  int64_t left_ = 0;  // results from the current run on
  bool started_ = false;
};

// Refuses an operand that does not broadcast to exactly `dims`, as far as both are known.
Status require_broadcast_to(const Inference& inference, size_t operand, const std::optional<DimVector>& dims);

}  // namespace fuselane
