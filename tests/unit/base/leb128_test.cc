#include "base/leb128.h"

#include <gtest/gtest.h>

namespace fuselane {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(Leb128, WritesTheFewestBytes) {
  auto unsigned_bytes = [](uint32_t value) {
    Bytes out;
    append_leb128(out, value);
    return out;
  };
  auto signed_bytes = [](int64_t value) {
    Bytes out;
    append_leb128_signed(out, value);
    return out;
  };
  EXPECT_EQ(unsigned_bytes(0), Bytes{0});
  EXPECT_EQ(unsigned_bytes(127), Bytes{127});
  EXPECT_EQ(unsigned_bytes(128), (Bytes{0x80, 1}));
  EXPECT_EQ(unsigned_bytes(0xffffffff), (Bytes{0xff, 0xff, 0xff, 0xff, 0x0f}));
  EXPECT_EQ(signed_bytes(63), Bytes{63});
  EXPECT_EQ(signed_bytes(64), (Bytes{0xc0, 0}));
  EXPECT_EQ(signed_bytes(-64), Bytes{0x40});
  EXPECT_EQ(signed_bytes(-65), (Bytes{0xbf, 0x7f}));
  EXPECT_EQ(signed_bytes(INT64_MIN), (Bytes{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}));
}

}  // namespace
}  // namespace fuselane
