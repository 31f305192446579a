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
};

// Of convolutions of 16 channels in a model that has so many other constants.
std::vector<uint8_t> sizes_of(const std::vector<Layer>& layers, int64_t more) {
  RandomConstants constants;
  std::string text = "graph \"g\" {\nsource \"f\"\ninput %x: f32[1,16,9,9]\n";
  append(text, constants.declare("more", {more}));
  for (size_t i = 0; i < layers.size(); ++i) {
    append(text, constants.declare(cat("w", i), layers[i].filter));
    append(text, cat("%y", i, ": f32[*] = Conv(%x, %w", i, ")", layers[i].attributes, "\n"));
  }
  for (size_t i = 0; i < layers.size(); ++i) append(text, cat("output \"y", i, "\" = %y", i, "\n"));
  auto graph = parse_graph(text + "}");
  EXPECT_TRUE(graph) << graph.error().message << text;
  return graph ? winograd_sizes(*graph) : std::vector<uint8_t>();
}

using Sizes = std::vector<uint8_t>;

TEST(WinogradSizes, TakeAtMostAsMuchMoreAsAllConstants) {
  // Of 9,216 and 36,864 bytes: small tiles take 35,840 more, large ones for the first 20,480 on top, for the
  // second 81,920.
  const std::vector<Layer> layers = {{{64, 16, 3, 3}, ""}, {{16, 16, 3, 3}, ""}};
  EXPECT_EQ(sizes_of(layers, 1), (Sizes{2, 2}));
  EXPECT_EQ(sizes_of(layers, (20480 - 10240) / 4 - 1), (Sizes{2, 2}));
  EXPECT_EQ(sizes_of(layers, (20480 - 10240) / 4), (Sizes{2, 4}));
  EXPECT_EQ(sizes_of(layers, (20480 + 81920 - 10240) / 4 - 1), (Sizes{2, 4}));
  EXPECT_EQ(sizes_of(layers, (20480 + 81920 - 10240) / 4), (Sizes{4, 4}));
}

TEST(WinogradSizes, AreOfPlain3x3sWithEnoughChannels) {
  const std::vector<Layer> layers = {
      {{16, 16, 3, 3}, " {pads = [1,1,1,1], strides = [1,1], dilations = [1,1]}"},
      {{16, 16, 3, 3}, " {strides = [1,2]}"},
      {{16, 16, 3, 3}, " {dilations = [2,1]}"},
      {{32, 8, 3, 3}, " {group = 2}"},
      {{16, 16, 1, 3}, ""},
      {{16, 16, 5, 5}, ""},
      {{18, 16, 3, 3}, ""},
      {{12, 16, 3, 3}, ""},
  };
  EXPECT_EQ(sizes_of(layers, 100000), (Sizes{4, 0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace fuselane
