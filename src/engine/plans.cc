#include "engine/plans.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"

namespace fuselane {
namespace {

// A segment remembers this many followers; values that vary from run to run (a length) would otherwise pile
// up.
constexpr size_t kMostFollowers = 8;

using Values = std::vector<std::shared_ptr<const Tensor>>;

// Whether the values are those, for the same places of a segment, whose types and shapes are fixed.
bool same(const Values& a, std::span<const TensorView> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    auto bytes = a[i]->bytes();
    if (!bytes.empty() && std::memcmp(bytes.data(), b[i].data, bytes.size()) != 0) return false;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Plan>> Plan::make(const Graph& graph, Weights& weights,
                                         const std::vector<Dims>& feed_dims, const std::vector<bool>& wanted,
                                         const AssembleOptions& options, double& planning_ms) {
  auto plan = std::make_unique<Plan>();
  plan->weights_ = &weights;
  plan->planning_ms_ = &planning_ms;
  plan->root_ = TRY(plan->make_link(Assembler(graph, weights, feed_dims, wanted, options), {}));
  plan->collect(*plan->root_);
  return plan;
}

Result<std::unique_ptr<Plan::Link>> Plan::make_link(Assembler assembler, Values values) {
  const Stopwatch planning(*planning_ms_);
  auto link = std::make_unique<Link>();
  link->segment = TRY(assembler.next(std::move(values)));
  for (const PlanBuffer& buffer : link->segment.buffers) {
    if (buffer.storage == Storage::Weight) TRY(weights_->load(buffer.index));
  }
  if (link->segment.ending == Ending::Read) link->resume = std::make_unique<Assembler>(std::move(assembler));
  return link;
}

Plan::Link* Plan::find(Link& link, const Segment& segment) {
  if (&link.segment == &segment) return &link;
  for (auto& follower : link.followers) {
    if (Link* found = find(*follower.link, segment)) return found;
  }
  return nullptr;
}

void Plan::collect(const Link& link) {
  all_.push_back(&link.segment);
  for (const auto& follower : link.followers) collect(*follower.link);
}

Result<const Segment*> Plan::next(const Segment& ended, std::span<const TensorView> values) {
  Link* link = find(*root_, ended);
  if (!link || !link->resume) return fail(ErrorCode::InternalError, "a segment has no follower");
  auto& followers = link->followers;
  auto at = std::ranges::find_if(followers, [&](const auto& f) { return same(f.values, values); });
  if (at != followers.end()) {
    std::rotate(followers.begin(), at, at + 1);
    return &followers.front().link->segment;
  }
  Values copies;
  for (const TensorView& value : values)
    copies.push_back(std::make_shared<const Tensor>(TRY(Tensor::copy_of(value))));
  auto made = TRY(make_link(*link->resume, copies));
  if (followers.size() == kMostFollowers) followers.pop_back();
  followers.insert(followers.begin(), {std::move(copies), std::move(made)});
  all_.clear();
  collect(*root_);
  return &followers.front().link->segment;
}

int64_t Plan::steps() const {
  size_t count = 0;
  for (const Segment* segment : all_) count += segment->steps.size();
  return static_cast<int64_t>(count);
}

Result<Plan*> PlanCache::get(const Graph& graph, Weights& weights, std::span<const TensorView> feeds,
                             const std::vector<bool>& wanted, const AssembleOptions& options) {
  auto fits = [](const Dims& dims, const TensorView& feed) { return std::ranges::equal(dims, feed.dims); };
  auto at = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.wanted == wanted && std::ranges::equal(entry.feed_dims, feeds, fits);
  });
  if (at != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, at);
    return at->plan.get();
  }
  std::vector<Dims> feed_dims;
  for (const TensorView& feed : feeds) feed_dims.emplace_back(feed.dims.begin(), feed.dims.end());
  auto plan = TRY(Plan::make(graph, weights, feed_dims, wanted, options, planning_ms_));
  if (entries_.size() == kMost) entries_.pop_back();
  entries_.push_front({std::move(feed_dims), wanted, std::move(plan)});
  return entries_.front().plan.get();
}

}  // namespace fuselane
