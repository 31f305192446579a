#include "library/gather.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

TEST(Gather, TakesSlicesByIndex) {
  Rng rng(28);
  for (int round = 0; round < 500; ++round) {
    GatherArgs args{};
    args.outer = pick(rng, 1, 4);
    args.axis = pick(rng, 1, 6);
    args.count = pick(rng, 1, 7);
    args.slice_bytes = rng.below(8) == 0 ? pick(rng, 500, 700) : pick(rng, 1, 40);
    args.wide = rng.below(2) == 0;
    std::vector<uint8_t> x(size_t{args.outer} * args.axis * args.slice_bytes);
    for (uint8_t& byte : x) byte = static_cast<uint8_t>(rng.next());
    std::vector<int64_t> wide;
    std::vector<int32_t> narrow;
    for (uint32_t i = 0; i < args.count; ++i) {
      wide.push_back(rng.between(-int64_t{args.axis}, int64_t{args.axis} - 1));
      narrow.push_back(static_cast<int32_t>(wide.back()));
    }
    std::vector<uint8_t> y(size_t{args.outer} * args.count * args.slice_bytes, 7);
    args.x = x.data();
    args.indices = args.wide ? static_cast<const void*>(wide.data()) : narrow.data();
    run_kernel(rng, gather, args, &GatherArgs::y, args.outer * args.count, y);
    for (size_t i = 0; i < y.size(); ++i) {
      size_t slice = i / args.slice_bytes;
      int64_t index = wide[slice % args.count];
      if (index < 0) index += args.axis;
      size_t from = slice / args.count * args.axis + static_cast<size_t>(index);
      ASSERT_EQ(y[i], x[from * args.slice_bytes + i % args.slice_bytes]);
    }
  }
}

TEST(Gather, RefusesIndicesOutsideTheAxis) {
  for (int64_t index : {int64_t{3}, int64_t{-4}, INT64_MAX, INT64_MIN, int64_t{1} << 32}) {
    std::vector<float> x = {1, 2, 3};
    std::vector<int64_t> indices = {0, index};
    std::vector<float> y(2);
    GatherArgs args{x.data(), indices.data(), y.data(), 1, 3, 2, 4, true};
    EXPECT_EQ(gather(&args, 0, 1), kDone);
    EXPECT_EQ(gather(&args, 0, 2), kBadData) << index;
  }
}

}  // namespace
}  // namespace fuselane
