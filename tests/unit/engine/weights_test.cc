// Large constants are packed a stretch at a time: the block is that of packing all at once, and no read is
// longer than a part.
#include "engine/weights.h"

#include <gtest/gtest.h>

#include <cstring>

#include "assemble/assembler.h"
#include "base/rng.h"
#include "engine/kernel_table.h"
#include "graph/parse.h"
#include "library/conv.h"
#include "library/matmul.h"

namespace fuselane {
namespace {

// Random floats; remembers the longest read.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(size_t floats) : floats_(floats) {
    Rng rng(1);
    for (float& value : floats_) value = static_cast<float>(rng.unit());
  }
  uint64_t size() const override { return floats_.size() * sizeof(float); }
  Status read(uint64_t offset, std::span<uint8_t> destination) override {
    longest_ = std::max<uint64_t>(longest_, destination.size());
    std::memcpy(destination.data(), reinterpret_cast<const uint8_t*>(floats_.data()) + offset,
                destination.size());
    return {};
  }
  const std::vector<float>& floats() const { return floats_; }
  uint64_t longest() const { return longest_; }

 private:
  std::vector<float> floats_;
  uint64_t longest_ = 0;
};

// The block that the only packing kernel's planner of this graph asks for.
std::vector<float> packed_by(const std::string& text, const Dims& x, CountingSource& source) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph) << graph.error().message;
  Crew crew(1);
  Weights weights(*graph, {&source}, crew);
  KernelTable kernels(crew, Target{}, false);
  Assembler assembler(*graph, weights, {x}, {true}, {.store = &kernels});
  auto segment = assembler.next({});
  EXPECT_TRUE(segment) << segment.error().message;
  for (const PlanBuffer& buffer : segment->buffers) {
    if (buffer.storage != Storage::Packed) continue;
    const auto* floats = reinterpret_cast<const float*>(weights.packed(buffer.index));
    return std::vector<float>(floats, floats + buffer.bytes / sizeof(float));
  }
  return {};
}

TEST(Weights, PacksAMatrixInStretchesOfRows) {
  constexpr uint32_t kDepth = 1500, kColumns = 1203;
  CountingSource source(size_t{kDepth} * kColumns);
  std::vector<float> got = packed_by(R"(graph "g" {
    source "f"
    const %w: f32[1500,1203] = source 0 at 0 length 7218000
    input %x: f32[2,1500]
    %y: f32[2,1203] = MatMul(%x, %w)
    output "y" = %y
  })",
                                     {2, kDepth}, source);
  EXPECT_LE(source.longest(), kPartBytes);
  std::vector<float> want(packed_size(kColumns, 1, kDepth));
  PackArgs args{.b = source.floats().data(),
                .packed = want.data(),
                .columns = kColumns,
                .depth = kDepth,
                .all_rows = kDepth,
                .row_stride = kColumns,
                .column_stride = 1,
                .b_batch = 0};
  matmul_pack(&args, 0, panel_count(kColumns));
  EXPECT_TRUE(got == want);
}

TEST(Weights, PacksATransposedMatrixInStretchesOfColumns) {
  constexpr uint32_t kDepth = 1203, kColumns = 1501;
  CountingSource source(size_t{kDepth} * kColumns + kColumns);
  std::vector<float> got = packed_by(R"(graph "g" {
    source "f"
    const %w: f32[1501,1203] = source 0 at 0 length 7222812
    const %b: f32[1501] = source 0 at 7222812 length 6004
    input %x: f32[2,1203]
    %y: f32[2,1501] = Gemm(%x, %w, %b) {transB = 1}
    output "y" = %y
  })",
                                     {2, kDepth}, source);
  EXPECT_LE(source.longest(), kPartBytes);
  std::vector<float> want(packed_size(kColumns, 1, kDepth));
  PackArgs args{.b = source.floats().data(),
                .bias = source.floats().data() + size_t{kDepth} * kColumns,
                .packed = want.data(),
                .columns = kColumns,
                .depth = kDepth,
                .all_rows = kDepth,
                .row_stride = 1,
                .column_stride = kDepth,
                .b_batch = 0};
  matmul_pack(&args, 0, panel_count(kColumns));
  EXPECT_TRUE(got == want);
}

TEST(Weights, PacksTheMatricesOfABatchOneByOne) {
  constexpr uint32_t kMatrices = 3, kDepth = 700, kColumns = 900;
  CountingSource source(size_t{kMatrices} * kDepth * kColumns);
  std::vector<float> got = packed_by(R"(graph "g" {
    source "f"
    const %w: f32[3,700,900] = source 0 at 0 length 7560000
    input %x: f32[3,2,700]
    %y: f32[3,2,900] = MatMul(%x, %w)
    output "y" = %y
  })",
                                     {kMatrices, 2, kDepth}, source);
  EXPECT_LE(source.longest(), kPartBytes);
  auto packed = static_cast<uint32_t>(packed_size(kColumns, 1, kDepth));
  std::vector<float> want(size_t{kMatrices} * packed);
  PackArgs args{.b = source.floats().data(),
                .packed = want.data(),
                .columns = kColumns,
                .depth = kDepth,
                .all_rows = kDepth,
                .row_stride = kColumns,
                .column_stride = 1,
                .b_batch = kDepth * kColumns,
                .packed_batch = packed};
  matmul_pack(&args, 0, kMatrices * panel_count(kColumns));
  EXPECT_TRUE(got == want);
}

TEST(Weights, PacksFiltersInStretchesOfFeatures) {
  constexpr uint32_t kFeatures = 1100, kGroups = 2, kDepth = 150, kPositions = 9;
  constexpr size_t kFilters = size_t{kFeatures} * kDepth * kPositions;
  CountingSource source(kFilters + kFeatures);
  std::vector<float> got = packed_by(R"(graph "g" {
    source "f"
    const %w: f32[1100,150,3,3] = source 0 at 0 length 5940000
    const %b: f32[1100] = source 0 at 5940000 length 4400
    input %x: f32[1,300,5,5]
    %y: f32[1,1100,3,3] = Conv(%x, %w, %b) {group = 2}
    output "y" = %y
  })",
                                     {1, 300, 5, 5}, source);
  EXPECT_LE(source.longest(), kPartBytes);
  std::vector<float> want(kGroups * packed_size(kFeatures / kGroups, kPositions, kDepth));
  ConvPackArgs args{.weights = source.floats().data(),
                    .bias = source.floats().data() + kFilters,
                    .packed = want.data(),
                    .features = kFeatures,
                    .groups = kGroups,
                    .depth = kDepth,
                    .positions = kPositions};
  conv_pack(&args, 0, kGroups * panel_count(kFeatures / kGroups));
  EXPECT_TRUE(got == want);
}

}  // namespace
}  // namespace fuselane
