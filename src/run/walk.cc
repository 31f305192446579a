#include "run/walk.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "library/kernels.h"

namespace fuselane {
namespace {

constexpr std::string_view kBadOperand =
    "an operand holds a value that is not allowed, such as an index outside its axis";
constexpr std::string_view kTrap =
    "it stopped with a trap, which is a mistake of the engine: please report it";

}  // namespace

Status Walk::start(const Segment& segment, bool timed) {
  done_ = false;
  timed_ = timed;
  times_.clear();
  path_.clear();
  steps_done_ = 0;
  return enter(segment);
}

Status Walk::enter(const Segment& segment) {
  segment_ = &segment;
  path_.push_back(&segment);
  step_ = 0;
  arena_ = TRY(host_.arena(segment.arena_bytes));
  args_.assign(segment.args.begin(), segment.args.end());
  for (const Pointer& pointer : segment.pointers) {
    const uint8_t* to = address(segment.buffers[pointer.buffer.index]) + pointer.offset;
    std::memcpy(reinterpret_cast<uint8_t*>(args_.data()) + pointer.at, &to, sizeof to);
  }
  return {};
}

uint8_t* Walk::address(const PlanBuffer& buffer) const {
  switch (buffer.storage) {
    case Storage::Arena:
      return arena_ + buffer.offset;
    case Storage::Weight:
      return host_.weight(buffer.index) + buffer.offset;
    case Storage::Packed:
      return host_.packed(buffer.index) + buffer.offset;
    case Storage::Feed:
      return host_.feed(buffer.index) + buffer.offset;
    case Storage::Literal:
      return segment_->literals[buffer.index]->bytes().data() + buffer.offset;
  }
  return nullptr;
}

TensorView Walk::view(BufferId id) const {
  if (!id) return {};
  const PlanBuffer& buffer = segment_->buffers[id.index];
  return {buffer.dtype, buffer.dims, address(buffer), element_count(buffer.dims).value_or(0), true};
}

Result<Callee> Walk::callee_of(const Step& step) {
  if (step.kernel < kLibraryKernels) return Callee{function_of(static_cast<KernelId>(step.kernel))};
  return host_.generated_kernel(step.node, step.kernel);
}

Status Walk::run_reference(const Step& step) {
  inputs_.clear();
  outputs_.clear();
  for (BufferId id : step.inputs) inputs_.push_back(view(id));
  for (BufferId id : step.outputs) outputs_.push_back(view(id));
  return host_.call_reference(step.node, inputs_, outputs_);
}

// What is run next, without waiting in between: a step, or several of a stage that call kernels.
std::span<const Step> Walk::together() const {
  const auto steps = std::span<const Step>(segment_->steps).subspan(step_);
  const size_t most = crew_.threads() == 1 || timed_ ? 1 : std::min(steps.size(), Crew::kMostCalls);
  size_t count = 1;
  auto is_kernel = [](const Step& step) { return step.kernel != kNoKernel; };
  while (count < most && is_kernel(steps[0]) && is_kernel(steps[count]) &&
         steps[count].stage == steps[0].stage)
    ++count;
  return steps.first(count);
}

Status Walk::run(std::span<const Step> steps) {
  if (steps[0].kernel == kNoKernel) return run_reference(steps[0]);
  Call calls[Crew::kMostCalls];
  for (size_t i = 0; i < steps.size(); ++i) {
    const void* args = reinterpret_cast<const uint8_t*>(args_.data()) + steps[i].args;
    calls[i] = {TRY(callee_of(steps[i])), args, steps[i].extent, steps[i].grain};
  }
  const Outcome outcome = crew_.run({calls, steps.size()});
  if (outcome.code == kDone) return {};
  const uint32_t node = steps[outcome.call].node;
  if (outcome.code == kTrapped) return std::unexpected(host_.error_at(node, ErrorCode::InternalError, kTrap));
  return std::unexpected(host_.error_at(node, ErrorCode::InvalidData, kBadOperand));
}

Status Walk::run_timed(std::span<const Step> steps) {
  const double start = host_.now_ms();
  TRY(run(steps));
  times_.push_back(host_.now_ms() - start);
  return {};
}

// At the end of a segment: the results are there, or the values for the next segment are read.
Status Walk::leave() {
  if (segment_->ending == Ending::Return) {
    done_ = true;
    return {};
  }
  inputs_.clear();
  for (BufferId id : segment_->results) inputs_.push_back(view(id));
  return enter(*TRY(host_.next_segment(*segment_, inputs_)));
}

Status Walk::walk_until(double end_ms) {
  while (!done_) {
    if (host_.cancelled()) return fail(ErrorCode::Cancelled, "the call was cancelled by its signal");
    if (step_ == segment_->steps.size()) {
      TRY(leave());
      if (host_.awaits_kernels()) break;
      continue;
    }
    const std::span<const Step> steps = together();
    TRY(timed_ ? run_timed(steps) : run(steps));
    step_ += steps.size();
    steps_done_ += static_cast<int64_t>(steps.size());
    if (host_.now_ms() >= end_ms) break;
  }
  return {};
}

Result<bool> Walk::advance(double budget_ms) {
  if (done_) return true;
  if (!segment_) return fail(ErrorCode::InvalidArgument, "no run is under way");
  if (host_.awaits_kernels()) return false;
  crew_.begin();
  Status status = walk_until(host_.now_ms() + budget_ms);
  crew_.end();
  if (!status) {
    segment_ = nullptr;
    return std::unexpected(std::move(status.error()));
  }
  return done_;
}

Error Walk::trapped() {
  const size_t step = step_ + crew_.settle();
  crew_.end();
  const Segment* segment = std::exchange(segment_, nullptr);
  if (segment && step < segment->steps.size())
    return host_.error_at(segment->steps[step].node, ErrorCode::InternalError, kTrap);
  return Error(ErrorCode::InternalError,
               "planning stopped with a trap, which is a mistake of the engine: please report it");
}

}  // namespace fuselane
