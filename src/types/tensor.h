// The types of values and tensors in memory: dense, row-major, contiguous.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/result.h"
#include "types/dtype.h"
#include "types/number.h"
#include "types/shape.h"

namespace fuselane {

enum class ValueKind : uint8_t { Tensor, Sequence, Optional, OptionalSequence };

// What is known of a value before it is computed. `dims` are those of the tensor, or of a sequence's or
// optional's element; no dims means that not even the rank is known.
struct ValueType {
  ValueKind kind = ValueKind::Tensor;
  DType dtype = DType::Float32;
  std::optional<DimVector> dims;

  bool operator==(const ValueType&) const = default;
};

inline ValueType tensor_type(DType dtype, std::optional<DimVector> dims) {
  return {ValueKind::Tensor, dtype, std::move(dims)};
}

// Elements someone else owns. `data` is null for an absent optional operand (see present()).
struct TensorView {
  DType dtype = DType::Float32;
  DimsView dims;
  void* data = nullptr;
  int64_t count = 0;  // the product of dims
  bool is_present = false;

  bool present() const { return is_present; }
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t extent(int64_t axis) const { return dims[static_cast<size_t>(axis)]; }
  double number(int64_t i) const { return load_double(dtype, data, i); }
  int64_t integer(int64_t i) const { return load_int(dtype, data, i); }
  void set_number(int64_t i, double value) const { store_double(dtype, data, i, value); }
  void set_integer(int64_t i, int64_t value) const { store_int(dtype, data, i, value); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// A tensor that owns its elements. Strings lie in `strings`, all other types in the buffer.
class Tensor {
 public:
  Tensor() = default;
  // Zeroed. Errors: invalid-data when the size overflows, out-of-memory.
  static Result<Tensor> allocate(DType dtype, Dims dims);
  static Result<Tensor> copy_of(const TensorView& view);
  static Result<Tensor> of_ints(DType dtype, Dims dims, std::span<const int64_t> values);
  static Result<Tensor> of_numbers(DType dtype, Dims dims, std::span<const double> values);

  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  int64_t count() const { return count_; }
  std::span<uint8_t> bytes() const { return buffer_.bytes(); }
  std::vector<std::string>& strings() { return strings_; }
  const std::vector<std::string>& strings() const { return strings_; }
  TensorView view() const { return {dtype_, dims_, buffer_.data(), count_, true}; }
  double number(int64_t i) const { return load_double(dtype_, buffer_.data(), i); }
  int64_t integer(int64_t i) const { return load_int(dtype_, buffer_.data(), i); }
  std::vector<int64_t> integers() const;

 private:
  DType dtype_ = DType::Float32;
  Dims dims_ = {0};
  int64_t count_ = 0;
  Buffer buffer_;
  std::vector<std::string> strings_;
};

// "f32[1,3,224,224]"
std::string text_of(DType dtype, DimsView dims);

}  // namespace fuselane
