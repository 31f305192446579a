// The passes: each takes a graph that verifies and leaves one that verifies and computes the same results
// from the same feeds, up to the rounding that its own file states.
#pragma once

#include <optional>
#include <string_view>

#include "graph/constants.h"
#include "graph/graph.h"

namespace fuselane {

enum class Pass : uint8_t {
#define PASS(id, name, what) id,
#include "optimize/passes.def"
#undef PASS
};

std::string_view text_of(Pass pass);      // "fold_constants"
std::string_view sentence_of(Pass pass);  // what it does
std::optional<Pass> pass_of_text(std::string_view text);
size_t pass_count();

// Some of the passes.
class PassSet {
 public:
  static constexpr PassSet none() { return PassSet(0); }
  static constexpr PassSet all() { return PassSet(~uint32_t{0}); }
  constexpr PassSet with(Pass pass) const { return PassSet(bits_ | bit(pass)); }
  constexpr PassSet without(Pass pass) const { return PassSet(bits_ & ~bit(pass)); }
  constexpr bool has(Pass pass) const { return bits_ & bit(pass); }
  bool operator==(const PassSet&) const = default;

 private:
  constexpr explicit PassSet(uint32_t bits) : bits_(bits) {}
  static constexpr uint32_t bit(Pass pass) { return uint32_t{1} << static_cast<int>(pass); }
  uint32_t bits_;
};

// How much folding may cost. It pays where a result is used at every run and costs little to keep.
struct FoldLimits {
  // A result larger than its operands together stays unfolded when it has more bytes than this: an Expand is
  // quicker done again than kept. 64 kB is what a core's first cache holds.
  int64_t grown_bytes = int64_t{1} << 16;
  // No operand or result may be larger. Transposed weights are the reason for more than a few kilobytes.
  int64_t value_bytes = int64_t{1} << 26;
  // Elements computed, each counted as often as the operator reads operands for it, in one call of
  // optimize(). The reference computes some 10^8 a second.
  int64_t work = int64_t{1} << 26;
};

// What passes may use beside the graph, and what is left of the limits.
struct PassContext {
  Sources sources;
  FoldLimits limits;
};

// Each returns how many changes it made. Errors: internal-error for a mistake of a pass; read-failed and
// out-of-memory from reading constants.
#define PASS(id, name, what) Result<size_t> name(Graph& graph, PassContext& context);
#include "optimize/passes.def"
#undef PASS

Result<size_t> run_pass(Pass pass, Graph& graph, PassContext& context);

}  // namespace fuselane
