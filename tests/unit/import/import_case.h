// Importing bytes in a test.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "graph/print.h"
#include "import/import.h"

namespace fuselane {

inline std::span<const uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

inline Result<Graph> import_bytes(std::string_view bytes) {
  MemorySource source(as_bytes(bytes));
  return import_model(source, "m.onnx");
}

// The printed graph, or the error.
inline std::string imported_text(std::string_view bytes) {
  auto graph = import_bytes(bytes);
  if (!graph) return cat("error ", text_of(graph.error().code), ": ", graph.error().message);
  return print(*graph);
}

inline void expect_refused(std::string_view bytes, ErrorCode code, std::string_view message) {
  auto graph = import_bytes(bytes);
  ASSERT_FALSE(graph) << print(*graph);
  EXPECT_EQ(text_of(graph.error().code), text_of(code));
  EXPECT_EQ(graph.error().message, message);
}

}  // namespace fuselane
