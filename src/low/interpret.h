// Runs a function of the low IR as wasm does, slowly: the oracle of emitted bytes, and a way to run kernels
// where no engine is.
//
// Results are exact, but for the sign and payload of a NaN that arithmetic makes. Relaxed instructions do
// what their strict siblings do; madd and nmadd round once, or twice where `fused_madd` is false.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "base/result.h"
#include "low/low.h"

namespace fuselane::low {

// Of any type, in the first bytes; the others are zero.
struct Value {
  V128 bytes = {};

  template <class T>
  static Value of(const T& content) {
    static_assert(sizeof(T) <= 16);
    Value value;
    std::memcpy(value.bytes.data(), &content, sizeof(T));
    return value;
  }
  template <class T>
  T as() const {
    T content;
    std::memcpy(&content, bytes.data(), sizeof(T));
    return content;
  }
  bool operator==(const Value&) const = default;
};

struct Interpretation {
  std::span<uint8_t> memory;
  uint64_t fuel = 1'000'000'000;  // statements
  bool fused_madd = true;
};

// The result, or zero where there is none. The module must satisfy verify.h, and the arguments the function.
// Errors: invalid-data for a trap: an access out of bounds, a division or conversion without a result,
// unreachable, calls nested too deep, no fuel left. What was stored before stays.
Result<Value> interpret(const Module& module, FunctionId function, std::span<const Value> arguments,
                        const Interpretation& how);

}  // namespace fuselane::low
