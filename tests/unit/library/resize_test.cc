#include "library/resize.h"

#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

TEST(ResizeNearest, TakesThePixelsOfTheTables) {
  Rng rng(29);
  for (int round = 0; round < 300; ++round) {
    ResizeNearestArgs args{};
    args.n = pick(rng, 1, 2);
    args.h = pick(rng, 1, 6);
    args.w = pick(rng, 1, 6);
    args.oh = pick(rng, 1, 9);
    args.ow = pick(rng, 1, 9);
    args.pixel_bytes = pick(rng, 1, 70);
    std::vector<uint32_t> rows(args.oh);
    std::vector<uint32_t> columns(args.ow);
    for (uint32_t& row : rows) row = pick(rng, 0, args.h - 1);
    for (uint32_t& column : columns) column = pick(rng, 0, args.w - 1);
    std::vector<uint8_t> x(size_t{args.n} * args.h * args.w * args.pixel_bytes);
    for (uint8_t& byte : x) byte = static_cast<uint8_t>(rng.next());
    std::vector<uint8_t> y(size_t{args.n} * args.oh * args.ow * args.pixel_bytes, 7);
    args.x = x.data();
    args.rows = rows.data();
    args.columns = columns.data();
    run_kernel(rng, resize_nearest, args, &ResizeNearestArgs::y, args.n * args.oh, y);
    for (size_t i = 0; i < y.size(); ++i) {
      size_t pixel = i / args.pixel_bytes;
      size_t image = pixel / (args.oh * args.ow);
      size_t from = (image * args.h + rows[pixel / args.ow % args.oh]) * args.w + columns[pixel % args.ow];
      ASSERT_EQ(y[i], x[from * args.pixel_bytes + i % args.pixel_bytes]);
    }
  }
}

std::vector<LinearTap> random_taps(Rng& rng, uint32_t outputs, uint32_t inputs) {
  std::vector<LinearTap> taps(outputs);
  for (LinearTap& tap : taps) {
    tap.low = pick(rng, 0, inputs - 1);
    tap.high = std::min(tap.low + pick(rng, 0, 1), inputs - 1);
    tap.high_weight = static_cast<float>(rng.unit());
    tap.low_weight = 1 - tap.high_weight;
  }
  return taps;
}

TEST(ResizeLinear, AgreesWithDouble) {
  Rng rng(30);
  for (int round = 0; round < 300; ++round) {
    ResizeLinearArgs args{};
    args.n = pick(rng, 1, 2);
    args.h = pick(rng, 1, 6);
    args.w = pick(rng, 1, 6);
    args.channels = pick(rng, 1, 13);
    args.oh = pick(rng, 1, 9);
    args.ow = pick(rng, 1, 9);
    std::vector<LinearTap> rows = random_taps(rng, args.oh, args.h);
    std::vector<LinearTap> columns = random_taps(rng, args.ow, args.w);
    std::vector<float> x = random_floats(rng, size_t{args.n} * args.h * args.w * args.channels);
    std::vector<float> y(size_t{args.n} * args.oh * args.ow * args.channels, kUnwritten);
    args.x = x.data();
    args.rows = rows.data();
    args.columns = columns.data();
    run_kernel(rng, resize_linear, args, &ResizeLinearArgs::y, args.n * args.oh, y);
    for (size_t i = 0; i < y.size(); ++i) {
      size_t pixel = i / args.channels;
      const LinearTap& row = rows[pixel / args.ow % args.oh];
      const LinearTap& column = columns[pixel % args.ow];
      auto at = [&](uint32_t r, uint32_t c) -> double {
        return x[((pixel / (args.oh * args.ow) * args.h + r) * args.w + c) * args.channels +
                 i % args.channels];
      };
      double above =
          column.low_weight * at(row.low, column.low) + column.high_weight * at(row.low, column.high);
      double below =
          column.low_weight * at(row.high, column.low) + column.high_weight * at(row.high, column.high);
      ASSERT_NEAR(y[i], row.low_weight * above + row.high_weight * below, 4e-7);
    }
  }
}

}  // namespace
}  // namespace fuselane
