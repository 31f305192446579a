// A golden file lists results by name, a line each, in their order: name, bytes, hash. What changes generated
// code shows in the diff of these lines. FUSELANE_REWRITE=1 writes the file anew instead of comparing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/printer.h"

namespace fuselane {

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path << " cannot be read";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string golden_line(std::string_view name, std::span<const uint8_t> bytes) {
  std::string hash;
  uint64_t bits = hash_bytes(bytes);
  for (int shift = 60; shift >= 0; shift -= 4) append(hash, "0123456789abcdef"[bits >> shift & 15]);
  return cat(name, " ", bytes.size(), " ", hash, "\n");
}

// The lines of `text` that `other` lacks, each after a sign.
inline std::string lines_missing_in(std::string_view other, std::string_view text, std::string_view sign) {
  std::string out;
  while (!text.empty()) {
    std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    if (other.find(line) == other.npos) append(out, cat(sign, line));
    text.remove_prefix(line.size());
  }
  return out;
}

// `path` is from the checkout's root, which is where tests run.
inline void expect_golden(const std::string& path, const std::string& lines) {
  if (std::getenv("FUSELANE_REWRITE") != nullptr) {
    std::ofstream(path, std::ios::binary) << lines;
    return;
  }
  std::string before = file_text(path);
  EXPECT_TRUE(before == lines) << "Generated code has changed:\n"
                               << lines_missing_in(lines, before, "-") << lines_missing_in(before, lines, "+")
                               << "If this is meant: FUSELANE_REWRITE=1 and the same test writes " << path;
}

}  // namespace fuselane
