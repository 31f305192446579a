#include "types/target.h"

#include <iterator>

#include "base/printer.h"

namespace fuselane {
namespace {

constexpr std::string_view kTexts[] = {
#define SIMD_LEVEL(id, text, what) text,
#include "types/simd_level.def"
#undef SIMD_LEVEL
};

}  // namespace

std::string_view text_of(SimdLevel level) { return kTexts[static_cast<size_t>(level)]; }

std::optional<SimdLevel> simd_level_of_text(std::string_view text) {
  for (size_t i = 0; i < std::size(kTexts); ++i) {
    if (kTexts[i] == text) return static_cast<SimdLevel>(i);
  }
  return std::nullopt;
}

std::string text_of(const Target& target) {
  return cat("wasm ", text_of(target.simd), target.shared_memory ? " shared" : "",
             target.tiling ? "" : " untiled");
}

}  // namespace fuselane
