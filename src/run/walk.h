// Walks a plan: stage after stage, segment after segment, as far as a budget of time allows. The thread that
// walks is the leader of a crew, which shares the kernels' loops with it; references and small kernels it
// runs alone. Where no other thread is, and where steps are timed, those of a stage follow each other too.
#pragma once

#include <span>
#include <vector>

#include "plan/plan.h"
#include "run/crew.h"

namespace fuselane {

// What the walk asks of whoever owns the model.
class Host {
 public:
  virtual ~Host() = default;
  // Calls the reference of a node; absent operands have views that are not present.
  virtual Status call_reference(uint32_t node, std::span<const TensorView> inputs,
                                std::span<const TensorView> outputs) = 0;
  // The segment that follows one that ended with Read, for the values it asked for. It lives as long as the
  // plan.
  virtual Result<const Segment*> next_segment(const Segment& ended, std::span<const TensorView> values) = 0;
  // A generated kernel, for a step of this node. Errors: internal-error for one that could not be installed.
  virtual Result<Callee> generated_kernel(uint32_t node, uint32_t number) = 0;
  // Whether kernels that may be of the segment under way are to be installed first.
  virtual bool awaits_kernels() = 0;
  // The arena with room for at least this many bytes; what lay in it still does.
  virtual Result<uint8_t*> arena(uint64_t bytes) = 0;
  virtual uint8_t* weight(uint32_t index) = 0;
  virtual uint8_t* packed(uint32_t index) = 0;
  virtual uint8_t* feed(uint32_t index) = 0;
  // An error about this node, which it names.
  virtual Error error_at(uint32_t node, ErrorCode code, std::string_view sentence) = 0;
  virtual double now_ms() = 0;
  // Whether the run is to stop; asked before every step.
  virtual bool cancelled() = 0;
};

class Walk {
 public:
  Walk(Host& host, Crew& crew) : host_(host), crew_(crew) {}

  // `timed`: the steps' times are to be had afterwards.
  Status start(const Segment& segment, bool timed = false);
  // Walks whole steps, with several threads whole stages, until done (true) or the budget is used up (false);
  // at least one, except where kernels are awaited. After an error the walk is over. Errors: those of steps,
  // cancelled, internal-error for a kernel that trapped.
  Result<bool> advance(double budget_ms);
  // advance() did not return but trapped: ends the walk and says where it was.
  Error trapped();
  bool done() const { return done_; }
  int64_t steps_done() const { return steps_done_; }
  const Segment* segment() const { return segment_; }
  // The segments that were entered, in their order; they live as long as the plan.
  const std::vector<const Segment*>& path() const { return path_; }
  // Of a run that was timed: milliseconds of the steps done, one segment's after another's.
  const std::vector<double>& times() const { return times_; }
  // A buffer of the segment under way, or of the last one; absent for an id that names nothing.
  TensorView view(BufferId id) const;

 private:
  Status enter(const Segment& segment);
  uint8_t* address(const PlanBuffer& buffer) const;
  Result<Callee> callee_of(const Step& step);
  Status run_reference(const Step& step);
  std::span<const Step> together() const;
  Status run(std::span<const Step> steps);
  Status run_timed(std::span<const Step> steps);
  Status walk_until(double end_ms);
  Status leave();

  Host& host_;
  Crew& crew_;
  const Segment* segment_ = nullptr;
  uint8_t* arena_ = nullptr;
  size_t step_ = 0;
  bool done_ = false;
  int64_t steps_done_ = 0;
  bool timed_ = false;
  std::vector<const Segment*> path_;
  std::vector<double> times_;
  std::vector<uint64_t> args_;      // the segment's, with addresses filled in
  std::vector<TensorView> inputs_;  // kept between steps so that a step allocates nothing
  std::vector<TensorView> outputs_;
};

}  // namespace fuselane
