// Moves as text before and after. A file tests/text/loop/<what>.txt holds cases:
//
//   === what the case shows
//   kernel "" { ... }         (before)
//   --- split i 6 even as i0, i1
//   kernel "" { ... }         (after), or `declined: ` and the sentence
//
// There may be several lines of moves. `test_loop --rebase` writes the results into the files; the diff is
// the review.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/rng.h"
#include "loop/moves.h"
#include "loop/parse.h"
#include "loop/print.h"
#include "loop/verify.h"

namespace fuselane::loop {
namespace {

struct TextCase {
  std::string file, name, before, moves, after;
};

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Lines with `prefix` begin a part of their own.
std::vector<std::string> parts_of(const std::string& text, const std::string& prefix) {
  std::vector<std::string> parts = {""};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) parts.push_back("");
    parts.back() += line + "\n";
  }
  return parts;
}

// From the repository's root, where tests run.
constexpr const char* kFolder = "tests/text/loop";

std::vector<TextCase> cases_of(const std::filesystem::path& path) {
  std::vector<TextCase> cases;
  std::vector<std::string> parts = parts_of(read_file(path), "=== ");
  for (size_t i = 1; i < parts.size(); ++i) {
    TextCase c{.file = path.string(),
               .name = parts[i].substr(4, parts[i].find('\n') - 4),
               .before = {},
               .moves = {},
               .after = {}};
    std::string body = parts[i].substr(parts[i].find('\n') + 1);
    std::vector<std::string> halves = parts_of(body, "--- ");
    c.before = halves[0];
    for (size_t h = 1; h < halves.size(); ++h) {
      c.moves += halves[h].substr(4, halves[h].find('\n') - 3);
      c.after = halves[h].substr(halves[h].find('\n') + 1);
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::string result_of(const TextCase& c) {
  auto kernel = parse_kernel(c.before);
  if (!kernel) return "does not parse: " + kernel.error().message + "\n";
  if (auto status = verify(*kernel); !status) return "is not a kernel: " + status.error().message + "\n";
  auto moves = parse_moves(c.moves);
  if (!moves) return "does not parse: " + moves.error().message + "\n";
  for (const Move& move : *moves) {
    std::string before = print(*kernel);
    if (auto status = apply(*kernel, move); !status) {
      EXPECT_EQ(print(*kernel), before) << "a declined move changed the kernel";
      return "declined: " + status.error().message + "\n";
    }
    auto verified = verify(*kernel);
    EXPECT_TRUE(verified) << c.name << ": " << verified.error().message;
  }
  return print(*kernel);
}

bool rebase() {
  auto arguments = testing::internal::GetArgvs();
  return std::ranges::contains(arguments, std::string("--rebase"));
}

TEST(TextCases, AreAsWritten) {
  size_t count = 0;
  for (const auto& path : files()) {
    std::string rewritten;
    for (const TextCase& c : cases_of(path)) {
      ++count;
      std::string result = result_of(c);
      if (!rebase()) EXPECT_EQ(result, c.after) << c.file << ": " << c.name;
      rewritten += "=== " + c.name + "\n" + c.before;
      std::istringstream lines(c.moves);
      for (std::string line; std::getline(lines, line);) rewritten += "--- " + line + "\n";
      rewritten += result;
    }
    if (rebase()) std::ofstream(path) << rewritten;
  }
  EXPECT_GT(count, 20u);
}

TEST(TextCases, KernelsReadBack) {
  for (const auto& path : files()) {
    for (const TextCase& c : cases_of(path)) {
      auto kernel = parse_kernel(c.before);
      ASSERT_TRUE(kernel) << c.file << ": " << c.name << ": " << kernel.error().message;
      EXPECT_EQ(print(*kernel), c.before) << c.file << ": " << c.name;
    }
  }
}

// Whatever is done to a text, it is read, verified and scheduled, or there is a sentence.
TEST(TextCases, DamagedTextsAreRefusedOrRead) {
  Rng rng(5);
  constexpr std::string_view kCharacters = "0123456789abijkw()[],*/+-% \n\"{}";
  size_t read = 0, refused = 0;
  for (const auto& path : files()) {
    for (const TextCase& c : cases_of(path)) {
      for (int i = 0; i < 120; ++i) {
        std::string text = c.before;
        for (uint64_t n = rng.below(3) + 1; n-- > 0;) {
          size_t at = rng.below(text.size());
          if (rng.below(3) == 0) {
            text.erase(at, 1 + rng.below(8));
          } else {
            text[at] = kCharacters[rng.below(kCharacters.size())];
          }
        }
        auto kernel = parse_kernel(text);
        bool is_right = kernel && verify(*kernel);
        ++(is_right ? read : refused);
        if (!is_right) continue;
        for (const Move& move : *parse_moves(c.moves)) static_cast<void>(apply(*kernel, move));
        EXPECT_TRUE(verify(*kernel)) << text;
      }
    }
  }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace fuselane::loop
