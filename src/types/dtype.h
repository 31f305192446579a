// Element types, from the table in dtype.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fuselane {

enum class DType : uint8_t {
#define DTYPE(id, text, name, onnx, bits, kind) id,
#include "types/dtype.def"
#undef DTYPE
};

enum class DTypeKind : uint8_t { Float, Signed, Unsigned, Bool, Complex, String };

std::string_view text_of(DType dtype);  // "f32"
std::string_view name_of(DType dtype);  // "float32"
int bits_of(DType dtype);               // 4 for the packed types, 0 for strings
DTypeKind kind_of(DType dtype);
std::optional<DType> dtype_of_text(std::string_view text);
std::optional<DType> dtype_of_name(std::string_view name);
std::optional<DType> dtype_of_onnx(int64_t number);
int onnx_number_of(DType dtype);

inline bool is_float(DType dtype) { return kind_of(dtype) == DTypeKind::Float; }
inline bool is_integer(DType dtype) {
  return kind_of(dtype) == DTypeKind::Signed || kind_of(dtype) == DTypeKind::Unsigned;
}

// The types whose elements load and store as double or int64: all but complex numbers and strings.
inline bool is_number(DType dtype) {
  return kind_of(dtype) != DTypeKind::Complex && kind_of(dtype) != DTypeKind::String;
}

// Bytes of `count` >= 0 elements; 4-bit elements are packed two to a byte, the first in the low half.
// Nothing when the size overflows.
std::optional<int64_t> bytes_of(DType dtype, int64_t count);

}  // namespace fuselane
