// Copies under random nests: permutations, steps in both directions, broadcasts, gaps, all element sizes.
#include "library/copy.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

// Two arrays of bytes under loops over `extents`; `first` are the elements at step 0 of all loops.
struct Arrays {
  Dims extents;
  std::vector<Dims> strides = {{}, {}};  // of to, of from
  int64_t first[2] = {0, 0};
  int64_t count[2] = {1, 1};
};

// Lays the axes out in an order of their own for each array, with a gap after some; steps of `from` may go
// backwards or stay.
Arrays random_arrays(Rng& rng) {
  Arrays a;
  auto rank = static_cast<size_t>(rng.below(6));
  for (size_t axis = 0; axis < rank; ++axis) a.extents.push_back(rng.between(1, 5));
  for (int64_t& extent : a.extents) {
    if (rng.below(6) == 0) extent = rng.between(30, 70);
    if (rng.below(60) == 0) extent = 4100;
  }
  while (element_count(a.extents).value_or(0) > 50000) a.extents.pop_back();
  rank = a.extents.size();
  for (size_t array : {0u, 1u}) {
    std::vector<size_t> order(rank);
    for (size_t axis = 0; axis < rank; ++axis) order[axis] = axis;
    if (rng.below(3) < 1 + array) {
      for (size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    }
    a.strides[array].assign(rank, 0);
    for (size_t i = rank; i-- > 0;) {
      size_t axis = order[i];
      if (array == 1 && rng.below(8) == 0) continue;
      int64_t step = rng.below(8) == 0 ? 2 : 1;
      int64_t stride = a.count[array] * step;
      a.count[array] *= a.extents[axis] * step;
      if (array == 1 && rng.below(6) == 0) {
        a.first[array] += (a.extents[axis] - 1) * stride;
        stride = -stride;
      }
      a.strides[array][axis] = stride;
    }
  }
  return a;
}

template <class Visit>
void each_element(const Arrays& a, Visit visit) {
  int64_t count = element_count(a.extents).value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t to = a.first[0];
    int64_t from = a.first[1];
    int64_t rest = i;
    for (size_t axis = a.extents.size(); axis-- > 0; rest /= a.extents[axis]) {
      to += rest % a.extents[axis] * a.strides[0][axis];
      from += rest % a.extents[axis] * a.strides[1][axis];
    }
    visit(static_cast<size_t>(to), static_cast<size_t>(from));
  }
}

TEST(Copy, MovesEveryElement) {
  Rng rng(25);
  int crossed = 0;
  for (int round = 0; round < 1500; ++round) {
    Arrays a = random_arrays(rng);
    size_t size = pick_from<uint32_t>(rng, {1, 2, 4, 4, 8});
    std::vector<uint8_t> from(static_cast<size_t>(a.count[1]) * size);
    for (uint8_t& byte : from) byte = static_cast<uint8_t>(rng.next());
    std::vector<uint8_t> to(static_cast<size_t>(a.count[0]) * size, 7);
    std::vector<uint8_t> expected = to;
    each_element(a, [&](size_t t, size_t f) {
      std::memcpy(expected.data() + t * size, from.data() + f * size, size);
    });
    CopyArgs args{};
    args.from = from.data() + static_cast<size_t>(a.first[1]) * size;
    args.nest = collapse(a.extents, a.strides).value();
    args.element_size = static_cast<uint32_t>(size);
    uint32_t extent = copy_extent(args);
    run_kernel(rng, copy, args, &CopyArgs::to, extent, to);
    ASSERT_EQ(to, expected);
    if (extent != piece_count(args.nest, 4096)) ++crossed;
  }
  EXPECT_GT(crossed, 50) << "transposition by blocks was hardly tested";
}

TEST(Copy, ShufflesChannels) {
  Rng rng(27);
  for (int round = 0; round < 100; ++round) {
    int64_t positions = rng.between(1, 9), channels = rng.between(2, 700), groups = rng.between(2, 3);
    std::vector<float> x = random_floats(rng, static_cast<size_t>(positions * groups * channels));
    std::vector<float> y(x.size(), kUnwritten);
    CopyArgs args{};
    args.from = x.data();
    args.nest = collapse(Dims{positions, channels, groups},
                         std::vector<Dims>{{groups * channels, groups, 1}, {groups * channels, 1, channels}})
                    .value();
    args.element_size = 4;
    run_kernel(rng, copy, args, &CopyArgs::to, copy_extent(args), y);
    for (size_t i = 0; i < y.size(); ++i) {
      size_t c = i / static_cast<size_t>(groups) % static_cast<size_t>(channels);
      size_t g = i % static_cast<size_t>(groups), p = i / static_cast<size_t>(groups * channels);
      ASSERT_EQ(y[i], x[(p * static_cast<size_t>(groups) + g) * static_cast<size_t>(channels) + c]);
    }
  }
}

TEST(Copy, TransposesMatrices) {
  Rng rng(26);
  for (int round = 0; round < 200; ++round) {
    int64_t rows = rng.between(1, 70);
    int64_t columns = rng.between(1, 70);
    std::vector<float> x = random_floats(rng, static_cast<size_t>(rows * columns));
    std::vector<float> y(x.size(), kUnwritten);
    CopyArgs args{};
    args.from = x.data();
    args.nest = collapse(Dims{columns, rows}, std::vector<Dims>{{rows, 1}, {1, columns}}).value();
    args.element_size = 4;
    run_kernel(rng, copy, args, &CopyArgs::to, copy_extent(args), y);
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < rows; ++r)
        ASSERT_EQ(y[static_cast<size_t>(c * rows + r)], x[static_cast<size_t>(r * columns + c)]);
    }
  }
}

TEST(Fill, SetsEveryElementOfTheNest) {
  Rng rng(27);
  for (int round = 0; round < 300; ++round) {
    Arrays a = random_arrays(rng);
    size_t size = pick_from<uint32_t>(rng, {1, 2, 4, 8});
    std::vector<uint8_t> to(static_cast<size_t>(a.count[0]) * size, 7);
    std::vector<uint8_t> expected = to;
    FillArgs args{};
    args.value = rng.next();
    args.element_size = static_cast<uint32_t>(size);
    args.nest = collapse(a.extents, std::span(a.strides).first(1)).value();
    each_element(a, [&](size_t t, size_t) { std::memcpy(expected.data() + t * size, &args.value, size); });
    run_kernel(rng, fill, args, &FillArgs::to, fill_extent(args), to);
    ASSERT_EQ(to, expected);
  }
}

}  // namespace
}  // namespace fuselane
