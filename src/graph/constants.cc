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

Result<ByteSource*> source_of(const Constant& constant, Sources sources) {
  if (constant.source < sources.size() && sources[constant.source]) return sources[constant.source];
  return fail(ErrorCode::ReadFailed, "the file of a constant is not at hand");
}

Status check_length(const Constant& constant, uint64_t needed) {
  if (constant.length == needed) return {};
  return fail(ErrorCode::InvalidModel, cat("a constant ", text_of(constant.dtype, constant.dims), " needs ",
                                           needed, " bytes, the file holds ", constant.length));
}

}  // namespace

Status read_part(const Constant& constant, Sources sources, uint64_t offset, std::span<uint8_t> destination) {
  ByteSource& source = *TRY(source_of(constant, sources));
  auto bytes = bytes_of(constant.dtype, element_count(constant.dims).value_or(0)).value_or(0);
  TRY(check_length(constant, static_cast<uint64_t>(bytes)));
  if (offset > constant.length || destination.size() > constant.length - offset)
    return fail(ErrorCode::InvalidData, "a stretch of a constant does not lie in it");
  return source.read(constant.offset + offset, destination);
}

Result<Tensor> read_constant(const Constant& constant, Sources sources) {
  if (constant.data) {
    Tensor copy = TRY(Tensor::copy_of(constant.data->view()));
    copy.strings() = constant.data->strings();
    return copy;
  }
  ByteSource& source = *TRY(source_of(constant, sources));
  Tensor tensor = TRY(Tensor::allocate(constant.dtype, constant.dims));
  if (constant.encoding == ConstantEncoding::Varints) {
    TRY(read_varints(constant, source, tensor));
    return tensor;
  }
  TRY(check_length(constant, tensor.bytes().size()));
  TRY(source.read(constant.offset, tensor.bytes()));
  return tensor;
}

}  // namespace fuselane
