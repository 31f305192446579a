#include "graph/constants.h"

#include <algorithm>
#include <array>

namespace fuselane {
namespace {

// Varints are at most 10 bytes; elements are stored as they arrive, so that only a window of the file is
// held.
Status read_varints(const Constant& constant, ByteSource& source, Tensor& tensor) {
  std::array<uint8_t, 4096> window;
  uint64_t position = constant.offset;
  uint64_t end = constant.offset + constant.length;
  int64_t element = 0;
  uint64_t value = 0;
  int shift = 0;
  while (position < end) {
    auto count = static_cast<size_t>(std::min<uint64_t>(window.size(), end - position));
    TRY(source.read(position, std::span(window).first(count)));
    position += count;
    for (size_t i = 0; i < count; ++i) {
      if (shift > 63 || element >= tensor.count()) {
        return fail(ErrorCode::InvalidModel, shift > 63 ? "a constant holds a number longer than 64 bits"
                                                        : "a constant holds more elements than its shape");
      }
      value |= static_cast<uint64_t>(window[i] & 0x7f) << shift;
      shift += 7;
      if (window[i] & 0x80) continue;
      // Floats of 16 bits and less travel as their bits.
      if (const SmallFloat* format = small_float_of(constant.dtype); format && bits_of(constant.dtype) >= 8) {
        store_int(bits_of(constant.dtype) == 16 ? DType::UInt16 : DType::UInt8, tensor.bytes().data(),
                  element, static_cast<int64_t>(value));
      } else {
        store_int(constant.dtype, tensor.bytes().data(), element, static_cast<int64_t>(value));
      }
      ++element;
      value = 0;
      shift = 0;
    }
  }
  if (element == tensor.count() && shift == 0) return {};
  return fail(ErrorCode::InvalidModel,
              cat("a constant holds ", element, " elements, its shape ", tensor.count()));
}

}  // namespace

Result<Tensor> read_constant(const Constant& constant, Sources sources) {
  if (constant.data) {
    Tensor copy = TRY(Tensor::copy_of(constant.data->view()));
    copy.strings() = constant.data->strings();
    return copy;
  }
  if (constant.source >= sources.size() || !sources[constant.source]) {
    return fail(ErrorCode::ReadFailed, "the file of a constant is not at hand");
  }
  ByteSource& source = *sources[constant.source];
  Tensor tensor = TRY(Tensor::allocate(constant.dtype, constant.dims));
  if (constant.encoding == ConstantEncoding::Varints) {
    TRY(read_varints(constant, source, tensor));
    return tensor;
  }
  if (constant.length != tensor.bytes().size()) {
    return fail(ErrorCode::InvalidModel,
                cat("a constant ", text_of(constant.dtype, constant.dims), " needs ", tensor.bytes().size(),
                    " bytes, the file holds ", constant.length));
  }
  TRY(source.read(constant.offset, tensor.bytes()));
  return tensor;
}

}  // namespace fuselane
