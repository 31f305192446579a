// Memory that says no, and bytes read from memory.
#include "base/buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "base/byte_source.h"

// AddressSanitizer ends the program at an impossible allocation unless told to return null, as other
// allocators do.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace fuselane {
namespace {

TEST(Buffer, IsAlignedAndZeroed) {
  for (uint64_t size : {1, 63, 64, 65, 4096}) {
    auto buffer = Buffer::allocate_zeroed(size);
    ASSERT_TRUE(buffer) << buffer.error().message;
    EXPECT_EQ(buffer->size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % Buffer::kAlignment, 0u);
    for (uint8_t byte : buffer->bytes()) EXPECT_EQ(byte, 0);
    buffer->bytes().back() = 1;  // the sanitizer sees whether the end is ours
  }
}

TEST(Buffer, OfNothingHoldsNothing) {
  auto buffer = Buffer::allocate(0);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->data(), nullptr);
  EXPECT_EQ(buffer->size(), 0u);
  EXPECT_TRUE(Buffer::allocate_zeroed(0));
}

TEST(Buffer, SaysWhenMemoryIsShort) {
  for (uint64_t size :
       {uint64_t{1} << 62, std::numeric_limits<uint64_t>::max() / 2, std::numeric_limits<uint64_t>::max()}) {
    for (auto allocate : {Buffer::allocate, Buffer::allocate_zeroed}) {
      auto buffer = allocate(size);
      ASSERT_FALSE(buffer);
      EXPECT_EQ(buffer.error().code, ErrorCode::OutOfMemory);
      EXPECT_EQ(buffer.error().message, cat("could not allocate ", size, " bytes"));
    }
  }
}

TEST(Buffer, MovesItsBlock) {
  auto first = Buffer::allocate(8);
  ASSERT_TRUE(first);
  uint8_t* block = first->data();
  Buffer second = *std::move(first);
  EXPECT_EQ(second.data(), block);
  second = *Buffer::allocate(16);
  EXPECT_EQ(second.size(), 16u);
}

TEST(MemorySource, ReadsWithinItsBytes) {
  const std::array<uint8_t, 4> bytes = {1, 2, 3, 4};
  MemorySource source(bytes);
  EXPECT_EQ(source.size(), 4u);
  std::array<uint8_t, 2> two = {};
  ASSERT_TRUE(source.read(2, two));
  EXPECT_EQ(two, (std::array<uint8_t, 2>{3, 4}));
  EXPECT_TRUE(source.read(4, std::span<uint8_t>()));
}

TEST(MemorySource, RefusesToReadBeyondThem) {
  const std::array<uint8_t, 4> bytes = {1, 2, 3, 4};
  MemorySource source(bytes);
  std::array<uint8_t, 2> two = {7, 7};
  for (uint64_t offset : {uint64_t{3}, uint64_t{5}, std::numeric_limits<uint64_t>::max()}) {
    auto status = source.read(offset, two);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::ReadFailed);
    EXPECT_EQ(status.error().message, cat("cannot read 2 bytes at ", offset, " of 4"));
    EXPECT_EQ(two, (std::array<uint8_t, 2>{7, 7}));
  }
}

}  // namespace
}  // namespace fuselane
