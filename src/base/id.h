// A 32-bit typed index. A default-made id names nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace fuselane {

template <class Tag>
struct Id {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(size_t i) : index(static_cast<uint32_t>(i)) {}
  constexpr explicit operator bool() const { return index != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace fuselane
