#include "tests/lowered/lowered.h"

#include <gtest/gtest.h>

#include <utility>

#include "loop/evaluate.h"
#include "low/interpret.h"
#include "low/verify.h"
#include "lower/lower.h"
#include "tests/support/kernel_cases/run_loops.h"

namespace fuselane {

Result<Lowered> lowered(loop::Kernel kernel, const Target& target) {
  low::Module module = TRY(lower({&kernel, 1}, target));
  TRY(low::verify(module,
                  target.simd == SimdLevel::Relaxed ? low::Feature::RelaxedSimd : low::Feature::Simd));
  return Lowered{std::move(kernel), std::move(module)};
}

Status run_pieces(const low::Module& module, Image& image, const std::vector<int32_t>& cuts, bool fused) {
  auto address = static_cast<int32_t>(image.arguments);
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    const low::Value arguments[] = {low::Value::of(address), low::Value::of(cuts[i]),
                                    low::Value::of(cuts[i + 1])};
    low::Interpretation how{.memory = image.memory, .fused_madd = fused};
    TRY(low::interpret(module, low::FunctionId(size_t{0}), arguments, how));
  }
  return {};
}

std::vector<float> run_lowered(const Lowered& lowered, Case& c, bool fused, Rng& rng) {
  std::vector<int64_t> sizes = c.sizes_for(lowered.kernel, rng);
  const Image before(c, sizes, 0, rng);
  auto extent = static_cast<int32_t>(loop::parallel_extent(lowered.kernel, sizes));
  Image whole = before;
  auto status = run_pieces(lowered.module, whole, {0, extent}, fused);
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_TRUE(whole.is_same_around(before)) << "memory outside of the result was written";
  Image pieces = before;
  status = run_pieces(lowered.module, pieces, random_cuts(extent, rng), fused);
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_TRUE(pieces.memory == whole.memory) << "in pieces it computes something else";
  return whole.result();
}

}  // namespace fuselane
