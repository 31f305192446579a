// The arithmetic of wasm on single numbers, which instructions on numbers and on lanes share.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace fuselane::low::arithmetic {

// Integers: T is unsigned where the result wraps around. Products are made wide: uint16_t would become int.
inline constexpr auto add = [](auto x, auto y) { return static_cast<decltype(x)>(x + y); };
inline constexpr auto sub = [](auto x, auto y) { return static_cast<decltype(x)>(x - y); };
inline constexpr auto mul = [](auto x, auto y) {
  if constexpr (std::is_floating_point_v<decltype(x)>) {
    return x * y;
  } else {
    return static_cast<decltype(x)>(uint64_t{x} * uint64_t{y});
  }
};
inline constexpr auto div = [](auto x, auto y) { return x / y; };

// A mask of all bits is made of it by those who need one.
inline constexpr auto eq = [](auto x, auto y) { return x == y; };
inline constexpr auto ne = [](auto x, auto y) { return x != y; };
inline constexpr auto lt = [](auto x, auto y) { return x < y; };
inline constexpr auto gt = [](auto x, auto y) { return x > y; };
inline constexpr auto le = [](auto x, auto y) { return x <= y; };
inline constexpr auto ge = [](auto x, auto y) { return x >= y; };

// The count is taken modulo the bits of T.
template <class T>
T shl(T x, uint64_t count) {
  return static_cast<T>(static_cast<uint64_t>(x) << (count % (sizeof(T) * 8)));
}
template <class T>
T shr(T x, uint64_t count) {
  return static_cast<T>(x >> (count % (sizeof(T) * 8)));
}

template <class T, class Wide>
T saturate(Wide x) {
  return static_cast<T>(std::clamp<Wide>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// Floats. The smaller of -0 and 0 is -0.
inline constexpr auto min = [](auto x, auto y) {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
};
inline constexpr auto max = [](auto x, auto y) {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
};
inline constexpr auto pmin = [](auto x, auto y) { return y < x ? y : x; };
inline constexpr auto pmax = [](auto x, auto y) { return x < y ? y : x; };
// Of the bits alone, so that a NaN keeps its payload.
inline constexpr auto copysign = [](auto x, auto y) { return std::copysign(x, y); };
inline constexpr auto abs = [](auto x) { return std::copysign(x, decltype(x){1}); };
inline constexpr auto neg = [](auto x) { return std::copysign(x, std::signbit(x) ? decltype(x){1} : -1); };
inline constexpr auto ceil = [](auto x) { return std::ceil(x); };
inline constexpr auto floor = [](auto x) { return std::floor(x); };
inline constexpr auto trunc = [](auto x) { return std::trunc(x); };
inline constexpr auto nearest = [](auto x) { return std::nearbyint(x); };  // ties to even
inline constexpr auto sqrt = [](auto x) { return std::sqrt(x); };

// Whether x, rounded toward zero, is a T. The bounds are powers of two, which floats hold.
template <class T, class Float>
bool fits(Float x) {
  Float past = std::ldexp(Float{1}, std::numeric_limits<T>::digits);
  Float whole = std::trunc(x);
  return whole < past && whole >= (std::is_signed_v<T> ? -past : Float{0});
}

// Toward zero; NaN becomes 0.
template <class T, class Float>
T trunc_sat(Float x) {
  if (std::isnan(x)) return 0;
  if (fits<T>(x)) return static_cast<T>(x);
  return x < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

}  // namespace fuselane::low::arithmetic
