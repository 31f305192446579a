// memcpy, memmove and memset. Those that -Oz links are loops over bytes: 26 hundredths of the time in which a
// kernel is made were spent there. Many bytes are moved by wasm's own instructions, which are calls in V8;
// fewer than that in pieces of 16, the last of which may overlap the one before.
#include <wasm_simd128.h>

#include <cstddef>
#include <cstdint>

namespace {

constexpr size_t kMany = 256;

// Reads all before it writes.
template <class T>
void move_ends(uint8_t* to, const uint8_t* from, size_t size) {
  struct [[gnu::packed, gnu::may_alias]] Piece {
    T bits;
  };
  const T first = reinterpret_cast<const Piece*>(from)->bits;
  const T last = reinterpret_cast<const Piece*>(from + size - sizeof(T))->bits;
  reinterpret_cast<Piece*>(to)->bits = first;
  reinterpret_cast<Piece*>(to + size - sizeof(T))->bits = last;
}

}  // namespace

extern "C" {

void* memmove(void* destination, const void* source, size_t size) {
  auto* to = static_cast<uint8_t*>(destination);
  const auto* from = static_cast<const uint8_t*>(source);
  if (size >= kMany) {
    asm volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.copy 0, 0"
                 :
                 : "r"(to), "r"(from), "r"(size)
                 : "memory");
  } else if (size >= 16) {
    const v128_t first = wasm_v128_load(from);
    const v128_t last = wasm_v128_load(from + size - 16);
    if (to <= from) {
      for (size_t i = 0; i + 16 < size; i += 16) wasm_v128_store(to + i, wasm_v128_load(from + i));
      wasm_v128_store(to + size - 16, last);
    } else {
      for (size_t i = size; i > 16; i -= 16) wasm_v128_store(to + i - 16, wasm_v128_load(from + i - 16));
      wasm_v128_store(to, first);
    }
  } else if (size >= 8) {
    move_ends<uint64_t>(to, from, size);
  } else if (size >= 4) {
    move_ends<uint32_t>(to, from, size);
  } else if (size >= 2) {
    move_ends<uint16_t>(to, from, size);
  } else if (size == 1) {
    *to = *from;
  }
  return destination;
}

void* memcpy(void* destination, const void* source, size_t size) {
  return memmove(destination, source, size);
}

void* memset(void* destination, int byte, size_t size) {
  auto* to = static_cast<uint8_t*>(destination);
  if (size >= kMany) {
    asm volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.fill 0"
                 :
                 : "r"(to), "r"(byte), "r"(size)
                 : "memory");
  } else if (size >= 16) {
    const v128_t bytes = wasm_i8x16_splat(static_cast<int8_t>(byte));
    for (size_t i = 0; i + 16 < size; i += 16) wasm_v128_store(to + i, bytes);
    wasm_v128_store(to + size - 16, bytes);
  } else {
#pragma clang loop vectorize(disable) unroll(disable)
    for (size_t i = 0; i < size; ++i) to[i] = static_cast<uint8_t>(byte);
  }
  return destination;
}

}  // extern "C"
