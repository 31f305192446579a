// The bytes of some kernels written by hand, tests/golden/low/*.low, are those of tests/golden/low.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "emit/emit.h"
#include "low/parse.h"
#include "low/verify.h"
#include "tests/support/golden.h"

namespace fuselane {
namespace {

TEST(EmitGolden, BytesOfTexts) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/golden/low"))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::string lines;
  for (const auto& path : paths) {
    auto module = low::parse(file_text(path.string()));
    ASSERT_TRUE(module) << path << ": " << module.error().message;
    auto status = low::verify(*module);
    ASSERT_TRUE(status) << path << ": " << status.error().message;
    append(lines, golden_line(path.stem().string(), emit(*module)));
  }
  expect_golden("tests/golden/low.txt", lines);
}

}  // namespace
}  // namespace fuselane
