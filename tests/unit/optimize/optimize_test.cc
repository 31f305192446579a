// What callers choose: which passes run, and in whose sight.
#include "optimize/optimize.h"

#include <gtest/gtest.h>

#include "graph/parse.h"
#include "graph/print.h"

namespace fuselane {
namespace {

PassSet set_of(std::string_view text) {
  auto set = pass_set_of_text(text);
  EXPECT_TRUE(set) << set.error().message;
  return set.value_or(PassSet::none());
}

TEST(PassSet, IsReadFromLeftToRight) {
  PassSet dead = PassSet::none().with(Pass::RemoveDead);
  EXPECT_EQ(set_of(""), PassSet::none());
  EXPECT_EQ(set_of("all"), PassSet::all());
  EXPECT_EQ(set_of("all,-remove_dead"), PassSet::all().without(Pass::RemoveDead));
  EXPECT_EQ(set_of("fold_shapes,remove_dead,-fold_shapes"), dead);
  EXPECT_EQ(set_of("all,none,remove_dead"), dead);
}

TEST(PassSet, NamesWhatThereIsWhenANameIsWrong) {
  auto set = pass_set_of_text("all,-fold_shape");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::InvalidArgument);
  EXPECT_TRUE(
      set.error().message.starts_with("'-fold_shape' is not a pass; there are all, none, remove_dead"))
      << set.error().message;
}

TEST(PassSet, EveryPassHasItsName) {
  for (size_t i = 0; i < pass_count(); ++i) {
    auto pass = static_cast<Pass>(i);
    EXPECT_EQ(pass_of_text(text_of(pass)), pass);
    EXPECT_FALSE(sentence_of(pass).empty());
  }
}

constexpr std::string_view kGraph = R"(graph "" {
  input %x: f32[2]
  %a: f32[2] = Identity(%x)
  %y: f32[2] = Relu(%a)
  output "y" = %y
}
)";

TEST(Optimize, RunsThePassesThatAreOnAndShowsTheGraphAfterEach) {
  auto graph = parse_graph(kGraph);
  ASSERT_TRUE(graph);
  std::vector<std::string> seen;
  OptimizeOptions options;
  options.passes = set_of("remove_no_ops");
  options.after_pass = [&](Pass pass, const Graph& after) {
    EXPECT_EQ(after.main().nodes.size(), 1u);
    seen.emplace_back(text_of(pass));
  };
  ASSERT_TRUE(optimize(*graph, options));
  // Once more after a change.
  EXPECT_EQ(seen, (std::vector<std::string>{"remove_no_ops", "remove_no_ops"}));
}

TEST(Optimize, DoesNothingWithoutPasses) {
  auto graph = parse_graph(kGraph);
  ASSERT_TRUE(graph);
  OptimizeOptions options;
  options.passes = PassSet::none();
  ASSERT_TRUE(optimize(*graph, options));
  EXPECT_EQ(print(*graph), kGraph);
}

}  // namespace
}  // namespace fuselane
