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

}  // namespace fuselane
