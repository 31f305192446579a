#include "import/onnx/wire.h"

#include <algorithm>
#include <bit>

namespace fuselane {

Result<std::span<const uint8_t>> WireWindow::view(uint64_t offset, uint64_t count) {
  count = offset < size_ ? std::min(count, size_ - offset) : 0;
  if (count == 0) return std::span<const uint8_t>();
  if (offset < begin_ || offset + count > begin_ + bytes_.size()) {
    bool reads_on = offset >= begin_ && offset <= begin_ + bytes_.size() && !bytes_.empty();
    uint64_t want = reads_on ? std::min<uint64_t>(bytes_.size() * 2, kLargest) : kSmallest;
    want = std::min(std::max(want, kSmallest), size_ - offset);
    bytes_.resize(static_cast<size_t>(want));
    begin_ = offset;
    if (Status read = source_.read(offset, bytes_); !read) {
      bytes_.clear();
      return std::unexpected(std::move(read.error()));
    }
  }
  return std::span<const uint8_t>(bytes_).subspan(static_cast<size_t>(offset - begin_),
                                                  static_cast<size_t>(count));
}

std::unexpected<Error> WireMessage::broken(uint64_t offset, std::string_view sentence) const {
  return fail_at(ErrorCode::InvalidModel, static_cast<int64_t>(offset),
                 cat("this is not a whole ONNX model: ", sentence, " (at byte ", offset, " of ",
                     window_.size(), "); it may be cut short, damaged or of another format"));
}

Result<uint64_t> WireMessage::varint() {
  constexpr uint64_t kMost = 10;  // bytes of 7 bits that hold 64
  uint64_t left = std::min(end_ - position_, kMost);
  std::span<const uint8_t> bytes = TRY(window_.view(position_, left));
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value |= static_cast<uint64_t>(bytes[i] & 0x7f) << (7 * i);
    if (bytes[i] & 0x80) continue;
    position_ += i + 1;
    return value;
  }
  return broken(position_, bytes.size() == kMost ? "a number is longer than 64 bits" : "a number has no end");
}

Result<uint64_t> WireMessage::fixed(uint64_t count) {
  if (end_ - position_ < count) return broken(position_, "a number has no end");
  std::span<const uint8_t> bytes = TRY(window_.view(position_, count));
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  position_ += count;
  return value;
}

Result<WireField> WireMessage::next() {
  uint64_t at = position_;
  uint64_t key = TRY(varint());
  uint64_t number = key >> 3;
  if (number == 0 || number > 0x1fffffff) return broken(at, cat("there is no field ", number));
  WireField field{.number = static_cast<uint32_t>(number), .offset = position_};
  switch (key & 7) {
    case 0:
      field.type = WireType::Varint;
      field.value = TRY(varint());
      return field;
    case 1:
      field.type = WireType::Fixed64;
      field.value = TRY(fixed(8));
      return field;
    case 2:
      field.type = WireType::Bytes;
      field.length = TRY(varint());
      field.offset = position_;
      if (field.length > end_ - position_) {
        return broken(at, cat("field ", number, " has ", field.length, " bytes, ", end_ - position_,
                              " are left around it"));
      }
      position_ += field.length;
      return field;
    case 5:
      field.type = WireType::Fixed32;
      field.value = TRY(fixed(4));
      return field;
    default:
      return broken(at, cat("field ", number, " is of the kind ", key & 7, ", which ONNX does not use"));
  }
}

Status WireMessage::expect(const WireField& field, WireType type) const {
  if (field.type == type) return {};
  return broken(field.offset, cat("field ", field.number, " is of the kind ", static_cast<int>(field.type),
                                  ", not ", static_cast<int>(type)));
}

Result<WireMessage> WireMessage::message(const WireField& field) const {
  TRY(expect(field, WireType::Bytes));
  if (depth_ >= kDeepest) {
    return broken(field.offset, cat("more than ", kDeepest, " messages lie in one another"));
  }
  return WireMessage(window_, field.offset, field.offset + field.length, depth_ + 1);
}

Result<std::string> WireMessage::text(const WireField& field) const {
  TRY(expect(field, WireType::Bytes));
  if (field.length > kLongestText) {
    return broken(field.offset, cat("a name or text has ", field.length, " bytes"));
  }
  std::string text;
  text.reserve(static_cast<size_t>(field.length));
  while (text.size() < field.length) {
    auto part = TRY(window_.view(field.offset + text.size(),
                                 std::min<uint64_t>(field.length - text.size(), WireWindow::kSmallest)));
    text.append(part.begin(), part.end());
  }
  return text;
}

Result<int64_t> WireMessage::integer(const WireField& field) const {
  TRY(expect(field, WireType::Varint));
  return static_cast<int64_t>(field.value);
}

Result<float> WireMessage::number(const WireField& field) const {
  TRY(expect(field, WireType::Fixed32));
  return std::bit_cast<float>(static_cast<uint32_t>(field.value));
}

Status WireMessage::varints(const WireField& field, std::vector<int64_t>& values) const {
  if (field.type != WireType::Bytes) {
    values.push_back(TRY(integer(field)));
    return {};
  }
  WireMessage packed(window_, field.offset, field.offset + field.length, depth_);
  while (!packed.done()) values.push_back(static_cast<int64_t>(TRY(packed.varint())));
  return {};
}

Status WireMessage::fixed32s(const WireField& field, std::vector<uint32_t>& values) const {
  if (field.type != WireType::Bytes) {
    TRY(expect(field, WireType::Fixed32));
    values.push_back(static_cast<uint32_t>(field.value));
    return {};
  }
  WireMessage packed(window_, field.offset, field.offset + field.length, depth_);
  while (!packed.done()) values.push_back(static_cast<uint32_t>(TRY(packed.fixed(4))));
  return {};
}

Status WireMessage::fixed64s(const WireField& field, std::vector<uint64_t>& values) const {
  if (field.type != WireType::Bytes) {
    TRY(expect(field, WireType::Fixed64));
    values.push_back(field.value);
    return {};
  }
  WireMessage packed(window_, field.offset, field.offset + field.length, depth_);
  while (!packed.done()) values.push_back(TRY(packed.fixed(8)));
  return {};
}

}  // namespace fuselane
