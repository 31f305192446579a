#include "import/onnx/tensor.h"

#include <bit>

#include "graph/constants.h"

namespace fuselane {
namespace {

std::string name_of(const TensorDef& tensor) {
  return tensor.name.empty() ? "a tensor" : cat("tensor '", tensor.name, "'");
}

std::unexpected<Error> wrong(const TensorDef& tensor, std::string_view sentence) {
  auto error = fail_about(ErrorCode::InvalidModel, tensor.name, cat(name_of(tensor), " ", sentence));
  error.error().offset = static_cast<int64_t>(tensor.begin);
  return error;
}

std::unexpected<Error> unsupported(const TensorDef& tensor, std::string_view sentence) {
  auto error = wrong(tensor, sentence);
  error.error().code = ErrorCode::UnsupportedModel;
  return error;
}

// The field of TensorProto that holds elements of this type when they are not raw bytes.
TensorField field_of(DType dtype) {
  switch (dtype) {
    case DType::Float32:
    case DType::Complex64:
      return TensorField::Floats;
    case DType::Float64:
    case DType::Complex128:
      return TensorField::Doubles;
    case DType::Int64:
      return TensorField::Int64s;
    case DType::UInt32:
    case DType::UInt64:
      return TensorField::UInt64s;
    case DType::String:
      return TensorField::Strings;
    case DType::UInt8:
    case DType::Int8:
    case DType::UInt16:
    case DType::Int16:
    case DType::Int32:
    case DType::Bool:
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ:
    case DType::UInt4:
    case DType::Int4:
    case DType::Float4E2M1:
      return TensorField::Int32s;
  }
  return TensorField::None;
}

bool holds_varints(TensorField field) {
  return field == TensorField::Int32s || field == TensorField::Int64s || field == TensorField::UInt64s;
}

// The element type that a stored number is written as: floats of 16 bits and less travel as their bits, the
// packed types as bytes of two elements.
DType stored_type(DType dtype) {
  if (is_integer(dtype) && bits_of(dtype) >= 8) return dtype;
  switch (bits_of(dtype)) {
    case 16:
      return DType::UInt16;
    case 32:
      return DType::UInt32;
    default:
      return dtype == DType::Bool ? DType::Bool : DType::UInt8;
  }
}

class Gatherer {
 public:
  Gatherer(const TensorDef& tensor, WireWindow& window, DType dtype, int64_t count)
      : tensor_(tensor), window_(window), dtype_(dtype), count_(count) {}

  // Reads the message again and takes the elements from wherever they lie in it.
  Result<Tensor> run() {
    // Each element costs a byte of the file at least, so a shape that claims more is refused before memory is
    // asked for.
    if (static_cast<uint64_t>(count_) / 2 > tensor_.end - tensor_.begin) return misfit(0);
    Tensor result = TRY(Tensor::allocate(dtype_, tensor_.dims));
    WireMessage message(window_, tensor_.begin, tensor_.end);
    while (!message.done()) {
      WireField field = TRY(message.next());
      if (field.number == static_cast<uint32_t>(tensor_.field)) TRY(take(message, field, result));
    }
    auto wanted = dtype_ == DType::String ? static_cast<uint64_t>(count_) : stored_count(result);
    if (taken_ != wanted) return misfit(taken_);
    return result;
  }

 private:
  uint64_t stored_count(const Tensor& result) const {
    return result.bytes().size() / static_cast<size_t>(element_bytes());
  }
  int element_bytes() const {
    if (tensor_.field == TensorField::Floats) return 4;
    if (tensor_.field == TensorField::Doubles) return 8;
    return bits_of(stored_type(dtype_)) / 8;
  }

  Status take(const WireMessage& message, const WireField& field, Tensor& result) {
    if (tensor_.field == TensorField::Strings) {
      if (taken_ >= result.strings().size()) return misfit(taken_ + 1);
      result.strings()[static_cast<size_t>(taken_++)] = TRY(message.text(field));
      return {};
    }
    if (tensor_.field == TensorField::Floats) {
      std::vector<uint32_t> bits;
      TRY(message.fixed32s(field, bits));
      return store(bits, DType::UInt32, result);
    }
    if (tensor_.field == TensorField::Doubles) {
      std::vector<uint64_t> bits;
      TRY(message.fixed64s(field, bits));
      return store(bits, DType::UInt64, result);
    }
    std::vector<int64_t> values;
    TRY(message.varints(field, values));
    return store(values, stored_type(dtype_), result);
  }

  template <class T>
  Status store(const std::vector<T>& values, DType as, Tensor& result) {
    uint64_t room = stored_count(result);
    for (T value : values) {
      if (taken_ >= room) return misfit(taken_ + 1);
      store_int(as, result.bytes().data(), static_cast<int64_t>(taken_++), static_cast<int64_t>(value));
    }
    return {};
  }

  std::unexpected<Error> misfit(uint64_t found) const {
    return wrong(tensor_, cat("is declared as ", text_of(dtype_, tensor_.dims), ", which does not fit the ",
                              found, " elements found"));
  }

  const TensorDef& tensor_;
  WireWindow& window_;
  DType dtype_;
  int64_t count_;
  uint64_t taken_ = 0;
};

Status check_form(const TensorDef& tensor, DType dtype) {
  if (tensor.segmented) return unsupported(tensor, "lies in segments, which is not supported");
  if (tensor.external) {
    return unsupported(tensor, cat("has its data in another file, '", tensor.location,
                                   "': external data is not supported yet"));
  }
  if (tensor.mixed) return wrong(tensor, "has elements in more than one field");
  bool raw = tensor.field == TensorField::Raw;
  if ((raw && dtype == DType::String) ||
      (!raw && tensor.field != TensorField::None && tensor.field != field_of(dtype))) {
    return wrong(tensor, cat("of type ", name_of(dtype), " has its elements in field ",
                             static_cast<int>(tensor.field), " of its message, where that type cannot lie"));
  }
  return {};
}

// Whether the elements are one run of bytes that can be referred to.
bool is_run(const TensorDef& tensor, DType dtype) {
  if (tensor.occurrences != 1 || !tensor.packed || tensor.field == TensorField::Strings) return false;
  return !holds_varints(tensor.field) || bits_of(dtype) >= 8;
}

}  // namespace

Result<Constant> constant_of(const TensorDef& tensor, WireWindow& window) {
  auto dtype = dtype_of_onnx(tensor.data_type);
  if (!dtype) return wrong(tensor, cat("has the unknown element type ", tensor.data_type));
  for (int64_t extent : tensor.dims) {
    if (extent < 0) return wrong(tensor, cat("has the negative extent ", extent));
  }
  auto count = element_count(tensor.dims);
  auto bytes = count ? bytes_of(*dtype, *count) : std::nullopt;
  if (!bytes) return wrong(tensor, cat("is too large: ", text_of(*dtype, tensor.dims)));
  TRY(check_form(tensor, *dtype));

  Constant constant;
  constant.dtype = *dtype;
  constant.dims = tensor.dims;
  if (tensor.field == TensorField::None && *count > 0) {
    return wrong(tensor, cat("has no elements, its shape says ", *count));
  }
  if (*count == 0 && tensor.data_length == 0 && (tensor.occurrences == 0 || tensor.packed)) {
    constant.data = std::make_shared<const Tensor>(TRY(Tensor::allocate(*dtype, tensor.dims)));
    return constant;
  }
  if (!is_run(tensor, *dtype)) {
    constant.data = std::make_shared<const Tensor>(TRY(Gatherer(tensor, window, *dtype, *count).run()));
    return constant;
  }
  constant.offset = tensor.data_offset;
  constant.length = tensor.data_length;
  uint64_t least = static_cast<uint64_t>(*bytes);
  uint64_t most = least;
  if (holds_varints(tensor.field)) {
    constant.encoding = ConstantEncoding::Varints;
    least = static_cast<uint64_t>(*count);
    most = least > UINT64_MAX / 10 ? UINT64_MAX : least * 10;
  }
  if (constant.length < least || constant.length > most) {
    return wrong(tensor, cat("is declared as ", text_of(*dtype, tensor.dims), ", which needs ", least,
                             " bytes, but holds ", constant.length));
  }
  if (*bytes >= kCopiedBelow || !is_number(*dtype)) return constant;
  ByteSource* const sources[] = {&window.source()};
  auto copy = read_constant(constant, sources);
  if (!copy && copy.error().code == ErrorCode::InvalidModel) {
    return wrong(tensor, cat("cannot be read: ", copy.error().message));
  }
  constant.data = std::make_shared<const Tensor>(TRY(std::move(copy)));
  return constant;
}

}  // namespace fuselane
