// The text of one function's body, for wat.cc.
#pragma once

#include <string>
#include <vector>

#include "emit/reader.h"
#include "low/instruction.h"

namespace fuselane::wasm_format {

struct FunctionType {
  std::vector<low::Type> parameters;
  low::Type result = low::Type::None;
};

// What bodies refer to.
struct Functions {
  std::vector<FunctionType> types;  // of each function
  std::vector<std::string> names;   // as written: $name, or the number
};

// Appends the lines of the body, which follows the locals, indented by four.
// `locals`: as written, parameters first.
Status append_body(std::string& out, Reader& code, const Functions& functions, const FunctionType& type,
                   const std::vector<std::string>& locals);

}  // namespace fuselane::wasm_format
