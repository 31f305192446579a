// Ten thousand damaged models: whatever bytes arrive, importing gives a graph or an error, and a graph that
// was given prints, parses, verifies and runs to results or an error. Run under the sanitizers.
//
// Runs in the repository's folder. Every mutation follows from its number, so that a failure is repeated by
//   FUSELANE_FUZZ_FROM=<number> FUSELANE_FUZZ_COUNT=1 test_fuzz_mutate_onnx
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

#include "base/rng.h"
#include "graph/parse.h"
#include "graph/verify.h"
#include "tests/fuzz/bounded_run.h"
#include "tests/fuzz/wire_tree.h"
#include "tests/unit/import/import_case.h"

namespace fuselane {
namespace {

// Small ones first: in the larger ones most bytes are weights, which break nothing.
constexpr std::string_view kModels[] = {"branch_16",  "integers_13",  "legacy_7",   "resize_13",
                                        "volumes_12", "recurrent_14", "convnet_13", "unet_11",
                                        "encoder_17", "decoder_14"};
constexpr size_t kSmallModels = 5;

std::string load(std::string_view name) {
  std::ifstream file(cat("tests/models/", name, ".onnx"), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class Mutator {
 public:
  Mutator(uint64_t number, const std::vector<std::string>& models) : rng_(number), models_(models) {}

  // Half of the damage is to bytes, half to fields with lengths that still fit.
  std::string run() {
    std::string bytes = pick();
    std::vector<WireNode> fields;
    if (rng_.below(2) == 0 && parse_wire(bytes, fields)) {
      for (uint64_t left = 1 + rng_.below(3); left > 0; --left) mutate_wire(fields, rng_);
      bytes = write_wire(fields);
      if (rng_.below(4) != 0) return bytes;
    }
    for (uint64_t left = 1 + rng_.below(1 + rng_.below(6)); left > 0; --left) mutate(bytes);
    return bytes;
  }

 private:
  const std::string& pick() {
    size_t among = rng_.below(8) == 0 ? models_.size() : kSmallModels;
    return models_[static_cast<size_t>(rng_.below(among))];
  }
  size_t place(const std::string& bytes) { return static_cast<size_t>(rng_.below(bytes.size() + 1)); }
  size_t length() { return static_cast<size_t>(1 + rng_.below(1 + rng_.below(200))); }

  void mutate(std::string& bytes) {
    if (bytes.empty()) bytes = "\x08";
    auto at = static_cast<size_t>(rng_.below(bytes.size()));
    switch (rng_.below(8)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng_.below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(rng_.next());
        break;
      case 2: {
        constexpr std::array kTelling = {0x00, 0x01, 0x02, 0x7f, 0x80, 0xff};
        bytes[at] = static_cast<char>(kTelling[static_cast<size_t>(rng_.below(kTelling.size()))]);
        break;
      }
      case 3:  // lengths and small numbers, off by a little
        bytes[at] = static_cast<char>(bytes[at] + static_cast<char>(rng_.between(-3, 3)));
        break;
      case 4:
        bytes.erase(at, length());
        break;
      case 5:
        bytes.insert(at, bytes.substr(place(bytes), length()));
        break;
      case 6: {
        const std::string& other = pick();
        bytes.replace(at, length(), other.substr(place(other), length()));
        break;
      }
      default:  // seldom, for little is left
        if (rng_.below(10) == 0) bytes.resize(at);
        break;
    }
  }

  Rng rng_;
  const std::vector<std::string>& models_;
};

struct Tally {
  int64_t imported = 0;
  int64_t ran = 0;
};

void try_model(std::string_view bytes, uint64_t number, Tally& tally) {
  MemorySource source(as_bytes(bytes));
  auto graph = import_model(source, "m.onnx");
  if (!graph) {
    EXPECT_FALSE(graph.error().message.empty());
    EXPECT_NE(graph.error().code, ErrorCode::InternalError) << graph.error().message;
    return;
  }
  ++tally.imported;
  ASSERT_TRUE(verify(*graph));
  std::string text = print(*graph);
  auto parsed = parse_graph(text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(print(*parsed), text);
  ByteSource* const sources[] = {&source};
  auto feeds = feeds_for(*graph, number);
  if (!feeds || !runs_within_budget(*graph, sources, *feeds)) return;
  auto results = interpret(*graph, sources, std::move(*feeds));
  if (results) {
    ++tally.ran;
  } else {
    EXPECT_NE(results.error().code, ErrorCode::InternalError) << results.error().message;
  }
}

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(FuzzOnnx, DamagedModelsGiveErrorsAtWorst) {
  std::vector<std::string> models;
  for (std::string_view name : kModels) {
    models.push_back(load(name));
    ASSERT_FALSE(models.back().empty()) << name;
  }
  Tally tally;
  uint64_t from = setting("FUSELANE_FUZZ_FROM", 0);
  uint64_t count = setting("FUSELANE_FUZZ_COUNT", 10000);
  for (uint64_t number = from; number < from + count && !testing::Test::HasFailure(); ++number) {
    SCOPED_TRACE(cat("mutation ", number));
    std::clock_t start = std::clock();  // the processor's time, so that a busy machine does not count
    try_model(Mutator(number, models).run(), number, tally);
    EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC) << "it takes too long";
  }
  std::printf("%lld of %llu were imported, %lld ran\n", static_cast<long long>(tally.imported),
              static_cast<unsigned long long>(count), static_cast<long long>(tally.ran));
  // Damage must not be so heavy that nothing behind the importer is reached.
  if (count >= 1000) {
    EXPECT_GT(tally.imported, static_cast<int64_t>(count / 20));
    EXPECT_GT(tally.ran, static_cast<int64_t>(count / 50));
  }
}

}  // namespace
}  // namespace fuselane
