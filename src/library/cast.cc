#include "library/cast.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace fuselane {
namespace {

constexpr uint32_t kChunk = 4096;

struct Truth {
  uint8_t byte;
};

// What C++ leaves undefined would trap in wasm; types/number.h decides it like this.
int64_t truncated(float x) {
  if (x != x) return 0;
  if (x >= 0x1p64f) return -1;
  if (x >= 0x1p63f) return static_cast<int64_t>(static_cast<uint64_t>(x));
  if (x < -0x1p63f) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(x);
}

template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<From, To>) {
    return x;
  } else if constexpr (std::is_same_v<From, Truth>) {
    return static_cast<To>(x.byte != 0 ? 1 : 0);
  } else if constexpr (std::is_same_v<To, Truth>) {
    return Truth{static_cast<uint8_t>(x != 0 ? 1 : 0)};
  } else if constexpr (std::is_same_v<From, float>) {
    return static_cast<To>(truncated(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
[[gnu::noinline]] void cast_chunk(const From* x, To* y, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) y[i] = convert<To>(x[i]);
}

// Calls use(null pointer of the type that stands for `dtype`).
template <class Use>
void with_type(DType dtype, Use use) {
  if (dtype == DType::Float32) return use(static_cast<float*>(nullptr));
  if (dtype == DType::Int64) return use(static_cast<int64_t*>(nullptr));
  if (dtype == DType::Int32) return use(static_cast<int32_t*>(nullptr));
  if (dtype == DType::UInt8) return use(static_cast<uint8_t*>(nullptr));
  use(static_cast<Truth*>(nullptr));
}

}  // namespace

bool cast_supports(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Int64 || dtype == DType::Int32 || dtype == DType::UInt8 ||
         dtype == DType::Bool;
}

uint32_t cast_extent(uint32_t count) { return (count + kChunk - 1) / kChunk; }

uint32_t cast(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const CastArgs*>(raw);
  with_type(args.from, [&]<class From>(From*) {
    with_type(args.to, [&]<class To>(To*) {
      for (uint32_t chunk = begin; chunk < end; ++chunk) {
        uint32_t first = chunk * kChunk;
        cast_chunk(static_cast<const From*>(args.x) + first, static_cast<To*>(args.y) + first,
                   std::min(kChunk, args.count - first));
      }
    });
  });
  return kDone;
}

}  // namespace fuselane
