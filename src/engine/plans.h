// The plans of a model: one for each set of feed shapes and wanted outputs seen lately, each a tree of
// segments.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "assemble/assembler.h"
#include "engine/weights.h"
#include "plan/plan.h"

namespace fuselane {

class Plan {
 public:
  // The time that making segments takes is added to `planning_ms`, which outlives the plan. Errors: those of
  // the assembler.
  static Result<std::unique_ptr<Plan>> make(const Graph& graph, Weights& weights,
                                            const std::vector<Dims>& feed_dims,
                                            const std::vector<bool>& wanted, const AssembleOptions& options,
                                            double& planning_ms);

  const Segment& first() const { return root_->segment; }
  // The segment that follows one of this plan's that ended with Read, found again (which allocates nothing)
  // or made.
  Result<const Segment*> next(const Segment& ended, std::span<const TensorView> values);

  int64_t segments() const { return static_cast<int64_t>(all_.size()); }
  int64_t steps() const;
  std::span<const Segment* const> all() const { return all_; }

 private:
  // The segment comes first: a pointer to it is a pointer to its link in the tree.
  struct Link {
    Segment segment;
    std::unique_ptr<Assembler> resume;  // the assembler as it stood at the segment's end
    struct Follower {
      std::vector<std::shared_ptr<const Tensor>> values;
      std::unique_ptr<Link> link;
    };
    std::vector<Follower> followers;  // latest used first
  };

  Link* find(Link& link, const Segment& segment);
  Result<std::unique_ptr<Link>> make_link(Assembler assembler,
                                          std::vector<std::shared_ptr<const Tensor>> values);
  void collect(const Link& link);

  Weights* weights_ = nullptr;
  double* planning_ms_ = nullptr;
  std::unique_ptr<Link> root_;
  std::vector<const Segment*> all_;
};

class PlanCache {
 public:
  // The plan for these shapes, found or made; it stays until kMost others have been used since.
  Result<Plan*> get(const Graph& graph, Weights& weights, std::span<const TensorView> feeds,
                    const std::vector<bool>& wanted, const AssembleOptions& options);
  int64_t count() const { return static_cast<int64_t>(entries_.size()); }
  double planning_ms() const { return planning_ms_; }  // of all plans made so far, weights included
  const Plan* latest() const { return entries_.empty() ? nullptr : entries_.front().plan.get(); }

 private:
  static constexpr size_t kMost = 8;
  struct Entry {
    std::vector<Dims> feed_dims;
    std::vector<bool> wanted;
    std::unique_ptr<Plan> plan;
  };
  double planning_ms_ = 0;
  std::list<Entry> entries_;  // latest used first
};

}  // namespace fuselane
