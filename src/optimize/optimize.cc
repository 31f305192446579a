#include "optimize/optimize.h"

#include "graph/verify.h"

namespace fuselane {
namespace {

class Runner {
 public:
  Runner(Graph& graph, const OptimizeOptions& options)
      : graph_(graph), options_(options), context_{.sources = options.sources, .limits = options.limits} {}

  Status operator()(Pass pass) {
    if (!options_.passes.has(pass)) return {};
    changes_ += TRY(run_pass(pass, graph_, context_));
    if (options_.after_pass) options_.after_pass(pass, graph_);
    if (!options_.verify) return {};
    Status valid = verify(graph_);
    if (valid) return {};
    Error error = std::move(valid.error());
    error.code = ErrorCode::InternalError;
    error.message = cat("pass '", text_of(pass), "' left a graph that is not valid: ", error.message);
    return std::unexpected(std::move(error));
  }

  // Whether anything has changed since the last time this was asked.
  bool changed() { return std::exchange(changes_, 0) > 0; }

 private:
  Graph& graph_;
  const OptimizeOptions& options_;
  PassContext context_;
  size_t changes_ = 0;
};

// Each round of a loop needs what the round before has changed; the longest chains of shapes that exporters
// write settle in three.
constexpr int kMostRounds = 8;

// The order.
Status run_passes(Runner& run) {
  TRY(run(Pass::RemoveDead));
  for (int round = 0; round == 0 || (run.changed() && round < kMostRounds); ++round) {
    TRY(run(Pass::FoldConstants));
    TRY(run(Pass::FoldShapes));
    TRY(run(Pass::FoldBranches));
    TRY(run(Pass::RemoveNoOps));
    TRY(run(Pass::MergeDuplicates));
    TRY(run(Pass::MergeTransposes));
    TRY(run(Pass::RemoveDead));
  }
  // A row's constants may look like a bias of channels; that they are the normalization's comes first.
  TRY(run(Pass::FuseNormalization));
  // A bias may hide a scale behind it, and the other way round.
  for (int round = 0; round == 0 || (run.changed() && round < kMostRounds); ++round) {
    TRY(run(Pass::FuseBias));
    TRY(run(Pass::FoldBatchNorm));
    TRY(run(Pass::RemoveDead));
  }
  // Last, since nothing can be folded into a product whose result is activated.
  TRY(run(Pass::FuseActivation));
  return run(Pass::RemoveDead);
}

}  // namespace

Status optimize(Graph& graph, const OptimizeOptions& options) {
  Runner run(graph, options);
  return run_passes(run);
}

Result<PassSet> pass_set_of_text(std::string_view text) {
  PassSet set = PassSet::none();
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word == "all" || word == "none") {
      set = word == "all" ? PassSet::all() : PassSet::none();
      continue;
    }
    bool out = word.starts_with('-');
    auto pass = pass_of_text(out ? word.substr(1) : word);
    if (!pass) {
      std::string names;
      for (size_t i = 0; i < pass_count(); ++i) append(names, cat(", ", text_of(static_cast<Pass>(i))));
      return fail(ErrorCode::InvalidArgument, cat("'", word, "' is not a pass; there are all, none", names));
    }
    set = out ? set.without(*pass) : set.with(*pass);
  }
  return set;
}

}  // namespace fuselane
