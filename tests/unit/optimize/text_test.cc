// Passes as text before and after. A file tests/text/optimize/<pass>.txt holds cases:
//
//   === what the case shows
//   limits value_bytes=64          (optional: FoldLimits that differ)
//   graph "" { ... }               (before)
//   ---
//   graph "" { ... }               (after), or the word `unchanged`: the pass must not fire
//
// The file is named after the pass, or after what it shows and starts with the line `// pass: NAME`, where
// `optimize` stands for all passes in their order. After a single pass remove_dead runs, so that what is left
// over does not clutter the text. Constants in files lie in sources whose float32 elements are 1, 2, 3, ...
// `test_optimize --rebase` writes the results into the files; the diff is the review.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "graph/parse.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "optimize/optimize.h"

namespace fuselane {
namespace {

struct TextCase {
  std::string file;
  std::string pass;
  std::string name;
  std::string limits;
  std::string before;
  std::string after;
};

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t at; (at = text.find(separator, start)) != std::string::npos; start = at + separator.size()) {
    parts.push_back(text.substr(start, at - start));
  }
  parts.push_back(text.substr(start));
  return parts;
}

std::string first_line(std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  text.erase(0, line.size() + 1);
  return line;
}

// From the repository's root, where tests run.
constexpr const char* kFolder = "tests/text/optimize";
constexpr std::string_view kPassLine = "// pass: ";

std::vector<TextCase> cases_of(const std::filesystem::path& path) {
  std::vector<TextCase> cases;
  std::string text = read_file(path);
  std::string pass = path.stem().string();
  if (text.starts_with(kPassLine)) pass = first_line(text).substr(kPassLine.size());
  std::vector<std::string> parts = split(text, "=== ");
  for (size_t i = 1; i < parts.size(); ++i) {
    TextCase c{.file = path.string(), .pass = pass, .name = {}, .limits = {}, .before = {}, .after = {}};
    std::string body = parts[i];
    c.name = first_line(body);
    if (body.starts_with("limits ")) c.limits = first_line(body).substr(7);
    std::vector<std::string> halves = split(body, "---\n");
    c.before = halves[0];
    c.after = halves.size() > 1 ? halves[1] : "";
    while (c.after.ends_with("\n\n")) c.after.pop_back();
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<TextCase> all_cases() {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder, none)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<TextCase> cases;
  for (const auto& file : files) std::ranges::move(cases_of(file), std::back_inserter(cases));
  return cases;
}

FoldLimits limits_of(const TextCase& c) {
  FoldLimits limits;
  std::istringstream words(c.limits);
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    std::string key = word.substr(0, equals);
    int64_t number = std::stoll(word.substr(equals + 1));
    if (key == "grown_bytes") limits.grown_bytes = number;
    if (key == "value_bytes") limits.value_bytes = number;
    if (key == "work") limits.work = number;
  }
  return limits;
}

// The graph's text without what nothing reads.
std::string tidy_text(Graph& graph) {
  PassContext context{.sources = {}, .limits = {}};
  EXPECT_TRUE(remove_dead(graph, context));
  EXPECT_TRUE(verify(graph)) << verify(graph).error().message << "\n" << print(graph);
  return print(graph);
}

std::string result_of(const TextCase& c, std::string& before) {
  auto graph = parse_graph(c.before);
  EXPECT_TRUE(graph) << graph.error().message;
  if (!graph) return {};
  EXPECT_TRUE(verify(*graph)) << verify(*graph).error().message;
  before = print(*graph);
  std::vector<float> numbers(4096);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
  MemorySource file({reinterpret_cast<const uint8_t*>(numbers.data()), numbers.size() * sizeof(float)});
  std::vector<ByteSource*> sources(graph->sources.size(), &file);
  Status done;
  if (c.pass == "optimize") {
    OptimizeOptions options;
    options.sources = sources;
    options.limits = limits_of(c);
    options.verify = true;
    done = optimize(*graph, options);
  } else {
    auto pass = pass_of_text(c.pass);
    EXPECT_TRUE(pass) << c.pass << " is no pass";
    if (!pass) return {};
    PassContext context{.sources = sources, .limits = limits_of(c)};
    auto changes = run_pass(*pass, *graph, context);
    if (!changes) done = std::unexpected(changes.error());
    // What a pass reports decides whether the passes go on.
    if (changes && *pass != Pass::RemoveDead) EXPECT_EQ(*changes > 0, print(*graph) != before);
  }
  EXPECT_TRUE(done) << done.error().message;
  return tidy_text(*graph);
}

void rebase(const TextCase& c, const std::string& result) {
  std::string text = read_file(c.file);
  size_t name = text.find("=== " + c.name + "\n");
  size_t start = text.find("---\n", name) + 4;
  size_t end = std::min(text.find("=== ", start), text.size());
  text.replace(start, end - start, result);
  std::ofstream(c.file) << text;
}

bool wants_rebase() { return std::ranges::contains(testing::internal::GetArgvs(), std::string("--rebase")); }

class OptimizeTextCases : public testing::TestWithParam<TextCase> {};

TEST_P(OptimizeTextCases, Is) {
  const TextCase& c = GetParam();
  SCOPED_TRACE(c.file + ": " + c.name);
  std::string before;
  std::string result = result_of(c, before);
  if (c.after == "unchanged\n") {
    EXPECT_EQ(result, before) << "must not fire";
    return;
  }
  if (wants_rebase()) return rebase(c, result);
  EXPECT_NE(result, before) << "changes nothing; a case that must not fire says `unchanged`";
  auto after = parse_graph(c.after);
  ASSERT_TRUE(after) << after.error().message << "\n" << result;
  EXPECT_EQ(result, print(*after));
}

TEST(OptimizeText, FindsItsFiles) {
  EXPECT_FALSE(all_cases().empty()) << "no cases in " << kFolder << "; run this from the repository's root";
}

std::string test_name(const testing::TestParamInfo<TextCase>& info) {
  std::string name = std::filesystem::path(info.param.file).stem().string() + "_" + info.param.name;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, OptimizeTextCases, testing::ValuesIn(all_cases()), test_name);

}  // namespace
}  // namespace fuselane
