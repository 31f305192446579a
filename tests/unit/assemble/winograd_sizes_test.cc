// Which convolutions may be computed by Winograd's filtering.
#include "assemble/winograd_sizes.h"

#include <gtest/gtest.h>

#include "base/printer.h"
#include "graph/parse.h"
#include "run_segment.h"

namespace fuselane {
namespace {

struct Layer {
  Dims filter;
  std::string attributes;
  std::string result = "f32[*]";
};

using Sizes = std::vector<uint8_t>;

// Of convolutions of 32 channels in a model that has so many other constants.
Sizes sizes_of(const std::vector<Layer>& layers, int64_t more, double memory = 2) {
  RandomConstants constants;
  std::string text = "graph \"g\" {\nsource \"f\"\n";
  append(text, constants.declare("more", {more}));
  for (size_t i = 0; i < layers.size(); ++i) {
    append(text, cat("input %x", i, ": f32[?,?,?,?]\n"));
    append(text, constants.declare(cat("w", i), layers[i].filter));
    append(text,
           cat("%y", i, ": ", layers[i].result, " = Conv(%x", i, ", %w", i, ")", layers[i].attributes, "\n"));
  }
  for (size_t i = 0; i < layers.size(); ++i) append(text, cat("output \"y", i, "\" = %y", i, "\n"));
  auto graph = parse_graph(text + "}");
  EXPECT_TRUE(graph) << graph.error().message << text;
  return graph ? winograd_sizes(*graph, memory) : Sizes();
}

TEST(WinogradSizes, TakeAsManyTimesTheConstantsBytesAsTheyMay) {
  // Of 36,864 and 73,728 bytes: small tiles take 28,672 and 57,344 more, large ones 81,920 and 163,840 on
  // top.
  const std::vector<Layer> layers = {{{64, 32, 3, 3}, ""}, {{32, 32, 3, 3}, ""}};
  constexpr int64_t kAll = 36864 + 73728, kSmall = 28672 + 57344;
  EXPECT_EQ(sizes_of(layers, 1), (Sizes{2, 2}));
  EXPECT_EQ(sizes_of(layers, (kSmall + 81920 - kAll) / 4 - 1), (Sizes{2, 2}));
  EXPECT_EQ(sizes_of(layers, (kSmall + 81920 - kAll) / 4), (Sizes{2, 4}));
  EXPECT_EQ(sizes_of(layers, (kSmall + 81920 + 163840 - kAll) / 4 - 1), (Sizes{2, 4}));
  EXPECT_EQ(sizes_of(layers, (kSmall + 81920 + 163840 - kAll) / 4), (Sizes{4, 4}));
  EXPECT_EQ(sizes_of(layers, 1, 4), (Sizes{4, 4}));
  EXPECT_EQ(sizes_of(layers, 1, 1.5), (Sizes{0, 2}));
  for (double memory : {1.0, 0.0}) EXPECT_EQ(sizes_of(layers, 1, memory), (Sizes{0, 0}));
}

TEST(WinogradSizes, ThoseWithTheMostResultsComeFirst) {
  const Layer small{{32, 32, 3, 3}, "", "f32[1,32,14,14]"}, large{{32, 32, 3, 3}, "", "f32[n,32,56,56]"};
  const Layer unknown{{32, 32, 3, 3}, "", "f32[n,32,h,w]"};
  constexpr int64_t kRoom = (3 * 28672 + 81920 - 3 * 36864) / 4;
  EXPECT_EQ(sizes_of({unknown, small, large}, kRoom), (Sizes{2, 2, 4}));
  EXPECT_EQ(sizes_of({large, unknown, small}, kRoom), (Sizes{4, 2, 2}));
  EXPECT_EQ(sizes_of({large, unknown, small}, kRoom + 81920 / 4), (Sizes{4, 2, 4}));
}

TEST(WinogradSizes, AreOfPlain3x3s) {
  const std::vector<Layer> layers = {
      {{32, 32, 3, 3}, " {pads = [1,1,1,1], strides = [1,1], dilations = [1,1]}"},
      {{32, 32, 3, 3}, " {strides = [1,2]}"},
      {{32, 32, 3, 3}, " {dilations = [2,1]}"},
      {{64, 16, 3, 3}, " {group = 2}"},
      {{32, 32, 1, 3}, ""},
      {{32, 32, 5, 5}, ""},
      {{34, 32, 3, 3}, ""},
      {{32, 30, 3, 3}, ""},
  };
  EXPECT_EQ(sizes_of(layers, 1000000), (Sizes{4, 0, 0, 0, 0, 0, 0, 0}));
}

// Few channels: the transforms take longer than what is saved. Few results: the weights do.
TEST(WinogradSizes, AreThoseThatTakeTheLeastTime) {
  auto size = [](int64_t extent, int64_t channels) {
    return winograd_size(
        {.images = 1, .rows = extent, .columns = extent, .depth = channels, .features = channels}, 4);
  };
  EXPECT_EQ(size(56, 4), 0u);
  EXPECT_EQ(size(56, 64), 4u);
  EXPECT_EQ(size(14, 256), 4u);
  EXPECT_EQ(size(6, 512), 2u);
  EXPECT_EQ(size(1, 512), 0u);
  EXPECT_EQ(winograd_size({.images = 1, .rows = 56, .columns = 56, .depth = 64, .features = 64}, 2), 2u);
  // What the cost rules out takes no memory from others.
  EXPECT_EQ(sizes_of({{{4, 4, 3, 3}, "", "f32[1,4,56,56]"}}, 1000000), (Sizes{0}));
}

}  // namespace
}  // namespace fuselane
