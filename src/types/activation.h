// Activations that are part of another operator: computed on what it is about to store.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fuselane {

enum class ActivationKind : uint8_t {
#define ACTIVATION(id, text, meaning) id,
#include "types/activation.def"
#undef ACTIVATION
};

struct Activation {
  ActivationKind kind = ActivationKind::None;
  float a = 0;
  float b = 0;

  bool operator==(const Activation&) const = default;
};

std::string_view text_of(ActivationKind kind);
std::optional<ActivationKind> activation_of_text(std::string_view text);
// The meaning, for the references. NaN gives NaN.
double apply(const Activation& activation, double x);

}  // namespace fuselane
