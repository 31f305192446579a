// The texts of targets.
#include "types/target.h"

#include <gtest/gtest.h>

namespace fuselane {
namespace {

TEST(Target, LevelsAreReadAsTheyAreWritten) {
  for (SimdLevel level : {SimdLevel::None, SimdLevel::Baseline, SimdLevel::Relaxed}) {
    EXPECT_EQ(simd_level_of_text(text_of(level)), level);
  }
  EXPECT_LT(SimdLevel::None, SimdLevel::Baseline);
  EXPECT_LT(SimdLevel::Baseline, SimdLevel::Relaxed);
  EXPECT_EQ(simd_level_of_text("auto"), std::nullopt);
  EXPECT_EQ(simd_level_of_text(""), std::nullopt);
}

TEST(Target, ItsTextTellsTargetsApart) {
  EXPECT_EQ(text_of(Target{SimdLevel::Relaxed, true}), "wasm relaxed shared");
  EXPECT_EQ(text_of(Target{SimdLevel::None, false}), "wasm none");
  EXPECT_EQ(text_of(Target{SimdLevel::None, true, false}), "wasm none shared untiled");
}

}  // namespace
}  // namespace fuselane
