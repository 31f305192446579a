// Conversions against those of types/number.h, which are the meaning of Cast.
#include "library/cast.h"

#include "tests/unit/library/kernel_case.h"
#include "types/number.h"

namespace fuselane {
namespace {

constexpr DType kTypes[] = {DType::Float32, DType::Int64, DType::Int32, DType::UInt8, DType::Bool};

void store_random(Rng& rng, DType dtype, void* data, int64_t index) {
  if (dtype != DType::Float32)
    return store_int(dtype, data, index, static_cast<int64_t>(rng.next()) >> rng.below(64));
  double value =
      pick_from<double>(rng, {0, -0.0, 0.5, -0.999, 255, 256, -1, 2147483648.0, -2147483648.0, 3e9, -3e9,
                              9.3e18, -9.3e18, 2e19, 1e30, -1e30, kInfinity, -kInfinity, kNaN});
  if (rng.below(2) == 0) value = (rng.unit() - 0.5) * 600;
  store_double(dtype, data, index, value);
}

TEST(Cast, AgreesWithTheTypes) {
  Rng rng(35);
  for (DType from : kTypes) {
    for (DType to : kTypes) {
      ASSERT_TRUE(cast_supports(from) && cast_supports(to));
      for (uint32_t count : {0u, 1u, 5u, 300u, 4096u, 9000u}) {
        std::vector<uint8_t> x(static_cast<size_t>(bytes_of(from, count).value_or(0)));
        std::vector<uint8_t> y(static_cast<size_t>(bytes_of(to, count).value_or(0)), 7);
        std::vector<uint8_t> expected = y;
        for (uint32_t i = 0; i < count; ++i) {
          store_random(rng, from, x.data(), i);
          if (from == DType::Float32) {
            store_double(to, expected.data(), i, load_double(from, x.data(), i));
          } else {
            store_int(to, expected.data(), i, load_int(from, x.data(), i));
          }
        }
        CastArgs args{x.data(), nullptr, count, from, to};
        run_kernel(rng, cast, args, &CastArgs::y, cast_extent(count), y);
        ASSERT_EQ(y, expected) << text_of(from) << " to " << text_of(to);
      }
    }
  }
  EXPECT_FALSE(cast_supports(DType::Float16));
}

TEST(Cast, AnyByteButZeroIsTrue) {
  std::vector<uint8_t> x = {0, 1, 2, 255};
  std::vector<float> y(4);
  CastArgs args{x.data(), y.data(), 4, DType::Bool, DType::Float32};
  cast(&args, 0, 1);
  EXPECT_EQ(y, (std::vector<float>{0, 1, 1, 1}));
}

}  // namespace
}  // namespace fuselane
