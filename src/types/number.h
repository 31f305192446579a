// Elements of any numeric type as double or int64: what the reference computes with.
//
// Loading is exact, save that a 64-bit integer loaded as double rounds to nearest even. Storing rounds once
// to nearest even (floats), or wraps to the type's width (integers); bool stores value != 0. store_double
// into an integer type truncates toward zero, saturates at the range of int64 or uint64, then wraps; NaN
// becomes 0. (C++ leaves those cases undefined and wasm traps, so a choice is needed: this one is what most
// CPUs' run times do for values in range.)
#pragma once

#include <cstdint>

#include "types/dtype.h"

namespace fuselane {

double load_double(DType dtype, const void* data, int64_t index);
int64_t load_int(DType dtype, const void* data, int64_t index);
void store_double(DType dtype, void* data, int64_t index, double value);
void store_int(DType dtype, void* data, int64_t index, int64_t value);

// A float format of at most 16 bits. `bias` is the exponent's; formats differ in what their top codes mean.
struct SmallFloat {
  enum class Top : uint8_t { Ieee, NanOnly, UnsignedZero, Finite };
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Top top;  // Ieee: infinities and NaN; NanOnly: all ones is NaN; UnsignedZero: minus zero is NaN; Finite:
            // neither
};
double decode_small_float(const SmallFloat& format, uint32_t bits);
// Rounds to nearest even. Overflow: infinity where the format has one, else NaN, else the largest finite
// value.
uint32_t encode_small_float(const SmallFloat& format, double value);
// The format of f16, bf16 and the 8- and 4-bit floats; none for others.
const SmallFloat* small_float_of(DType dtype);

}  // namespace fuselane
