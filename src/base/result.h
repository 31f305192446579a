// Errors as values. A function that can fail returns Result<T>; TRY(expression) yields the value or returns
// the error.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace fuselane {

enum class ErrorCode : uint8_t {
#define ERROR_CODE(id, text, when) id,
#include "base/errors.def"
#undef ERROR_CODE
};

// The text callers see, such as "invalid-model".
std::string_view text_of(ErrorCode code);

// Its special members are functions of their own (result.cc): inlined at every TRY they were a tenth of the
// wasm.
struct Error {
  ErrorCode code = ErrorCode::InternalError;
  std::string message;  // a sentence that says what is wrong and what was expected
  std::string node;     // the node it happened at, if any
  std::string subject;  // the input, output or file it is about, if any
  int64_t offset = -1;  // byte offset in the file, or character offset in the text, if known

  Error();
  Error(ErrorCode error_code, std::string sentence);
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

std::unexpected<Error> fail(ErrorCode code, std::string message);
std::unexpected<Error> fail_at(ErrorCode code, int64_t offset, std::string message);
std::unexpected<Error> fail_about(ErrorCode code, std::string_view subject, std::string message);

// Yields the value of a Result, or returns its error from the enclosing function.
#define TRY(...) FUSELANE_TRY_AS(FUSELANE_TRY_JOIN(try_result_, __COUNTER__), __VA_ARGS__)
#define FUSELANE_TRY_JOIN(name, number) FUSELANE_TRY_JOIN_EXPANDED(name, number)
#define FUSELANE_TRY_JOIN_EXPANDED(name, number) name##number
#define FUSELANE_TRY_AS(name, ...)                              \
  ({                                                            \
    auto name = (__VA_ARGS__);                                  \
    if (!name) return std::unexpected(std::move(name.error())); \
    *std::move(name);                                           \
  })

}  // namespace fuselane
