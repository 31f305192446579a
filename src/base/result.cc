#include "base/result.h"

namespace fuselane {

std::string_view text_of(ErrorCode code) {
  switch (code) {
#define ERROR_CODE(id, text, when) \
  case ErrorCode::id:              \
    return text;
#include "base/errors.def"
#undef ERROR_CODE
  }
  return "internal-error";
}

Error::Error() = default;
Error::Error(ErrorCode error_code, std::string sentence) : code(error_code), message(std::move(sentence)) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error(code, std::move(message)));
}

std::unexpected<Error> fail_at(ErrorCode code, int64_t offset, std::string message) {
  auto result = fail(code, std::move(message));
  result.error().offset = offset;
  return result;
}

std::unexpected<Error> fail_about(ErrorCode code, std::string_view subject, std::string message) {
  auto result = fail(code, std::move(message));
  result.error().subject = subject;
  return result;
}

}  // namespace fuselane
