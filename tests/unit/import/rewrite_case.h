// What an operator becomes: a model of one node, and the text of the graph it is imported as.
#pragma once

#include <ostream>

#include "tests/unit/import/import_case.h"
#include "tests/unit/import/onnx_writer.h"

namespace fuselane {

struct RewriteCase {
  const char* name;
  int64_t opset;
  Message node;  // computes "y"
  std::vector<Message> inputs;
  std::vector<Message> initializers;
  std::string_view body;  // the text between the graph's first two lines and its last two
};

inline std::string model_of(const RewriteCase& c) {
  Message untyped_output = Message().text(1, "y");
  return onnx_model(c.opset, onnx_graph({c.node}, c.initializers, c.inputs, {untyped_output}));
}

inline void expect_rewrite(const RewriteCase& c) {
  EXPECT_EQ(imported_text(model_of(c)),
            cat("graph \"g\" {\n  source \"m.onnx\"\n", c.body, "  output \"y\" = %y\n}\n"));
}

inline Message float_input(std::string_view name, const std::vector<DimText>& dims) {
  return onnx_value(name, 1, dims);
}

struct RefusalCase {
  const char* name;
  int64_t opset;
  Message node;
  std::vector<Message> inputs;
  std::vector<Message> initializers;
  ErrorCode code;
  std::string_view message;
};

inline void expect_refusal(const RefusalCase& c) {
  expect_refused(model_of({c.name, c.opset, c.node, c.inputs, c.initializers, ""}), c.code, c.message);
}

inline void PrintTo(const RewriteCase& c, std::ostream* out) { *out << c.name; }
inline void PrintTo(const RefusalCase& c, std::ostream* out) { *out << c.name; }

template <class Case>
std::string case_name(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

}  // namespace fuselane
