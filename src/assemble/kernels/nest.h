// The loop nest of an elementwise kernel, and in which layout its operands and result lie.
#pragma once

#include <optional>
#include <vector>

#include "assemble/site.h"
#include "library/loop_nest.h"

namespace fuselane {

struct NestPlan {
  LoopNest nest;                 // of the result, then the operands
  Layout layout;                 // of the result
  std::vector<Layout> operands;  // how each is to be taken: as take_operand() does
  std::vector<bool> strided;     // whether as it lies
};

// For result 0 and the given operands, which broadcast to it. Channels last where an operand of the result's
// own shape lies so; row-major otherwise, or if the rows would not be plain. Nothing if no nest of plain rows
// does it.
std::optional<NestPlan> plan_nest(const Site& site, std::span<const size_t> operands);

// The buffers of what plan_nest() was asked about: its `index`th operand, and the result, over those of the
// operands that may be overwritten, or by itself.
BufferId take_operand(Site& site, const NestPlan& plan, std::span<const size_t> operands, size_t index);
BufferId make_result(Site& site, const NestPlan& plan, std::span<const size_t> over);

}  // namespace fuselane
