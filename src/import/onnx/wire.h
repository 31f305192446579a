// The protobuf wire format, read through a window over a ByteSource: the file is never held, and what is not
// asked for is skipped without being read.
//
// A WireMessage walks the fields of one message. Every length is checked against the end of the message
// around it, so that no field reaches outside the file. Errors: invalid-model with the offset in the file,
// and those of the source.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/byte_source.h"

namespace fuselane {

enum class WireType : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t value = 0;   // of a varint, or the bits of a fixed-size number
  uint64_t offset = 0;  // where the value begins in the file
  uint64_t length = 0;  // of Bytes
};

// The part of the file that is in memory. Reading on doubles it, jumping makes it small again: most of what
// follows a jump over a weight is the next weight's few bytes of header.
class WireWindow {
 public:
  static constexpr uint64_t kSmallest = 4 << 10;
  static constexpr uint64_t kLargest = 64 << 10;

  explicit WireWindow(ByteSource& source) : source_(source), size_(source.size()) {}
  ByteSource& source() const { return source_; }
  uint64_t size() const { return size_; }
  // The next `count` bytes, or as many as the file has; count <= kSmallest. Valid until the next call.
  Result<std::span<const uint8_t>> view(uint64_t offset, uint64_t count);

 private:
  ByteSource& source_;
  uint64_t size_;
  uint64_t begin_ = 0;
  std::vector<uint8_t> bytes_;
};

class WireMessage {
 public:
  // Nested messages (subgraphs, types of types); a subgraph costs three levels.
  static constexpr int kDeepest = 100;
  // Names and texts; far longer than any that means something, short enough to be allocated unasked.
  static constexpr uint64_t kLongestText = 1 << 20;

  // The whole file as one message.
  explicit WireMessage(WireWindow& window) : WireMessage(window, 0, window.size(), 0) {}
  // Bytes that lie in the file, such as a message read before.
  WireMessage(WireWindow& window, uint64_t begin, uint64_t end) : WireMessage(window, begin, end, 0) {}

  bool done() const { return position_ >= end_; }
  // The next field. Its value is passed over already, so that not looking at it skips it.
  Result<WireField> next();

  // A field of this message as what it is expected to be.
  Result<WireMessage> message(const WireField& field) const;
  Result<std::string> text(const WireField& field) const;
  Result<int64_t> integer(const WireField& field) const;
  Result<float> number(const WireField& field) const;
  // Repeated numbers, packed or not: appends what the field holds. Varints are given as their 64 bits.
  Status varints(const WireField& field, std::vector<int64_t>& values) const;
  Status fixed32s(const WireField& field, std::vector<uint32_t>& values) const;
  Status fixed64s(const WireField& field, std::vector<uint64_t>& values) const;

  std::unexpected<Error> broken(uint64_t offset, std::string_view sentence) const;

 private:
  WireMessage(WireWindow& window, uint64_t begin, uint64_t end, int depth)
      : window_(window), position_(begin), end_(end), depth_(depth) {}
  Result<uint64_t> varint();
  Result<uint64_t> fixed(uint64_t bytes);
  Status expect(const WireField& field, WireType type) const;

  WireWindow& window_;
  uint64_t position_;
  uint64_t end_;
  int depth_;
};

}  // namespace fuselane
