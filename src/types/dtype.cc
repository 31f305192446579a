#include "types/dtype.h"

#include "base/checked.h"

namespace fuselane {
namespace {

struct Row {
  DType dtype;
  std::string_view text;
  std::string_view name;
  int onnx;
  int bits;
  DTypeKind kind;
};

constexpr Row kRows[] = {
#define DTYPE(id, text, name, onnx, bits, kind) {DType::id, text, name, onnx, bits, DTypeKind::kind},
#include "types/dtype.def"
#undef DTYPE
};

const Row& row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

template <class Matches>
std::optional<DType> find(Matches matches) {
  for (const Row& r : kRows) {
    if (matches(r)) return r.dtype;
  }
  return std::nullopt;
}

}  // namespace

std::string_view text_of(DType dtype) { return row(dtype).text; }
std::string_view name_of(DType dtype) { return row(dtype).name; }
int bits_of(DType dtype) { return row(dtype).bits; }
DTypeKind kind_of(DType dtype) { return row(dtype).kind; }
int onnx_number_of(DType dtype) { return row(dtype).onnx; }

std::optional<DType> dtype_of_text(std::string_view text) {
  return find([&](const Row& r) { return r.text == text; });
}
std::optional<DType> dtype_of_name(std::string_view name) {
  return find([&](const Row& r) { return r.name == name; });
}
std::optional<DType> dtype_of_onnx(int64_t number) {
  return find([&](const Row& r) { return r.onnx == number; });
}

std::optional<int64_t> bytes_of(DType dtype, int64_t count) {
  auto bits = checked_mul(count, bits_of(dtype));
  if (!bits || count < 0) return std::nullopt;
  auto rounded = checked_add(*bits, 7);
  if (!rounded) return std::nullopt;
  return *rounded / 8;
}

}  // namespace fuselane
