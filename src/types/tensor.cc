#include "types/tensor.h"

#include <cstring>

namespace fuselane {

std::string text_of(DType dtype, DimsView dims) { return cat(text_of(dtype), text_of(dims)); }

Result<Tensor> Tensor::allocate(DType dtype, Dims dims) {
  auto count = element_count(dims);
  auto bytes = count ? bytes_of(dtype, *count) : std::nullopt;
  if (!bytes) return fail(ErrorCode::InvalidData, cat("a tensor ", text_of(dtype, dims), " is too large"));
  Tensor tensor;
  tensor.buffer_ = TRY(Buffer::allocate_zeroed(static_cast<uint64_t>(*bytes)));
  tensor.dtype_ = dtype;
  tensor.dims_ = std::move(dims);
  tensor.count_ = *count;
  if (dtype == DType::String) {
    // A string costs at least its header; refuse counts that the address space cannot hold before asking.
    if (*count > (int64_t{1} << 26)) {
      return fail(ErrorCode::OutOfMemory, cat("a tensor of ", *count, " strings is too large"));
    }
    tensor.strings_.resize(static_cast<size_t>(*count));
  }
  return tensor;
}

Result<Tensor> Tensor::copy_of(const TensorView& view) {
  Tensor tensor = TRY(allocate(view.dtype, Dims(view.dims.begin(), view.dims.end())));
  if (!tensor.bytes().empty()) std::memcpy(tensor.bytes().data(), view.data, tensor.bytes().size());
  return tensor;
}

Result<Tensor> Tensor::of_ints(DType dtype, Dims dims, std::span<const int64_t> values) {
  Tensor tensor = TRY(allocate(dtype, std::move(dims)));
  for (int64_t i = 0; i < tensor.count_ && static_cast<size_t>(i) < values.size(); ++i) {
    store_int(dtype, tensor.buffer_.data(), i, values[static_cast<size_t>(i)]);
  }
  return tensor;
}

Result<Tensor> Tensor::of_numbers(DType dtype, Dims dims, std::span<const double> values) {
  Tensor tensor = TRY(allocate(dtype, std::move(dims)));
  for (int64_t i = 0; i < tensor.count_ && static_cast<size_t>(i) < values.size(); ++i) {
    store_double(dtype, tensor.buffer_.data(), i, values[static_cast<size_t>(i)]);
  }
  return tensor;
}

std::vector<int64_t> Tensor::integers() const {
  std::vector<int64_t> values(static_cast<size_t>(count_));
  for (int64_t i = 0; i < count_; ++i) values[static_cast<size_t>(i)] = integer(i);
  return values;
}

}  // namespace fuselane
