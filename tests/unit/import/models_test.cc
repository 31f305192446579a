// The small models that lie in the repository, whole. Runs in the repository's folder.
#include <fstream>
#include <iterator>

#include "graph/parse.h"
#include "graph/verify.h"
#include "tests/unit/import/import_case.h"

namespace fuselane {
namespace {

class Models : public testing::TestWithParam<const char*> {};

TEST_P(Models, ImportToAGraphThatParsesBack) {
  std::ifstream file(cat("tests/models/", GetParam(), ".onnx"), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  auto graph = import_bytes(bytes);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_TRUE(verify(*graph));
  EXPECT_FALSE(graph->main().outputs.empty());
  std::string text = print(*graph);
  auto parsed = parse_graph(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(print(*parsed), text);
  EXPECT_EQ(imported_text(bytes), text) << "the same bytes give the same graph";
}

INSTANTIATE_TEST_SUITE_P(All, Models,
                         testing::Values("branch_16", "convnet_13", "decoder_14", "encoder_17", "encoder_9",
                                         "integers_13", "legacy_7", "recurrent_14", "resize_13", "unet_11",
                                         "volumes_12"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace fuselane
