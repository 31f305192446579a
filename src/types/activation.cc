#include "types/activation.h"

#include <cmath>

namespace fuselane {
namespace {

double clamp_unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

constexpr std::string_view kTexts[] = {
#define ACTIVATION(id, text, meaning) text,
#include "types/activation.def"
#undef ACTIVATION
};

}  // namespace

std::string_view text_of(ActivationKind kind) { return kTexts[static_cast<size_t>(kind)]; }

std::optional<ActivationKind> activation_of_text(std::string_view text) {
  for (size_t i = 0; i < std::size(kTexts); ++i) {
    if (kTexts[i] == text) return static_cast<ActivationKind>(i);
  }
  return std::nullopt;
}

double apply(const Activation& activation, double x) {
  [[maybe_unused]] double a = activation.a;
  [[maybe_unused]] double b = activation.b;
  switch (activation.kind) {
#define ACTIVATION(id, text, meaning) \
  case ActivationKind::id:            \
    return meaning;
#include "types/activation.def"
#undef ACTIVATION
  }
  return x;
}

}  // namespace fuselane
