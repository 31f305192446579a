#include "import/import.h"

#include <algorithm>
#include <array>

#include "import/onnx/import_onnx.h"

namespace fuselane {
namespace {

struct Signature {
  size_t offset;
  std::string_view bytes;
  ErrorCode code;
  std::string_view sentence;
};

// Files that people pass for models. ONNX has no signature of its own, but none of these begins a ModelProto.
constexpr Signature kSignatures[] = {
    {0, "version https://git-lfs", ErrorCode::InvalidModel,
     "the file is a Git LFS pointer, not the model it points to: fetch the model itself, with 'git lfs pull' "
     "or "
     "from the address that serves large files"},
    {4, "TFL3", ErrorCode::UnsupportedModel,
     "the file is a TensorFlow Lite model, which is not supported yet"},
    {0, "PK\x03\x04", ErrorCode::InvalidModel,
     "the file is a zip archive (PyTorch and Keras files are, too): unpack it, or export the model to ONNX"},
    {0, "\x1f\x8b", ErrorCode::InvalidModel, "the file is compressed with gzip: unpack it first"},
    {0, "\x89HDF", ErrorCode::UnsupportedModel, "the file is HDF5 (Keras): export the model to ONNX"},
    {0, "GGUF", ErrorCode::UnsupportedModel, "the file is a GGUF model, which is not supported"},
    {0, "\x80\x02", ErrorCode::UnsupportedModel,
     "the file is a Python pickle (PyTorch): export the model to ONNX"},
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool begins_with(std::string_view text, std::string_view lower_case) {
  if (text.size() < lower_case.size()) return false;
  return std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char want, char c) {
    return want == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  });
}

Status check_format(std::string_view head) {
  if (head.empty()) return fail(ErrorCode::InvalidModel, "the file is empty");
  for (const Signature& signature : kSignatures) {
    if (head.size() > signature.offset && head.substr(signature.offset).starts_with(signature.bytes)) {
      return fail(signature.code, std::string(signature.sentence));
    }
  }
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);  // the mark of UTF-8 text
  while (!head.empty() && is_space(head[0])) head.remove_prefix(1);
  for (std::string_view opening : {"<!doctype", "<html", "<head", "<?xml", "<!--"}) {
    if (!begins_with(head, opening)) continue;
    return fail(
        ErrorCode::InvalidModel,
        "the file is an HTML page, not a model: its address may be that of a page about the model, or of an "
        "error page");
  }
  // As a field's key, either would open a group, which ONNX does not have.
  if (head.starts_with('{') || head.starts_with('[')) {
    return fail(ErrorCode::InvalidModel, "the file is JSON text, not a model");
  }
  return {};
}

}  // namespace

Result<Graph> import_model(ByteSource& source, std::string_view source_name) {
  std::array<uint8_t, 256> head;
  auto size = static_cast<size_t>(std::min<uint64_t>(head.size(), source.size()));
  TRY(source.read(0, std::span(head).first(size)));
  TRY(check_format(std::string_view(reinterpret_cast<const char*>(head.data()), size)));
  return import_onnx(source, source_name);
}

}  // namespace fuselane
