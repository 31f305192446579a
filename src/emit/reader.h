// Reads the pieces of the wasm binary format, and refuses what goes past the end.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/printer.h"
#include "base/result.h"

namespace fuselane::wasm_format {

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes, size_t base = 0) : bytes_(bytes), base_(base) {}

  bool at_end() const { return at_ == bytes_.size(); }

  std::unexpected<Error> no(std::string_view what) const {
    return fail_at(ErrorCode::InvalidModel, static_cast<int64_t>(base_ + at_),
                   cat("wasm, byte ", base_ + at_, ": ", what));
  }

  Result<uint8_t> byte() {
    if (at_end()) return no("the end is missing");
    return bytes_[at_++];
  }

  Result<std::span<const uint8_t>> take(size_t count) {
    if (count > bytes_.size() - at_) return no("the end is missing");
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }

  Result<uint32_t> number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      uint8_t next = TRY(byte());
      value |= uint64_t{next & 0x7fu} << shift;
      if (next < 0x80 && value <= 0xffffffff) return static_cast<uint32_t>(value);
      if (next < 0x80) break;
    }
    return no("a number that does not fit 32 bits");
  }

  Result<int64_t> signed_number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      uint8_t next = TRY(byte());
      value |= uint64_t{next & 0x7fu} << shift;
      if (next >= 0x80) continue;
      bool negative = (next & 0x40) != 0 && shift + 7 < 64;
      return static_cast<int64_t>(negative ? value | ~uint64_t{0} << (shift + 7) : value);
    }
    return no("a number that does not fit 64 bits");
  }

  Result<std::string_view> text() {
    auto bytes = TRY(take(TRY(number())));
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  // What comes after its size.
  Result<Reader> sized() {
    uint32_t size = TRY(number());
    size_t from = base_ + at_;
    return Reader(TRY(take(size)), from);
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t base_;  // of the first byte in the module
  size_t at_ = 0;
};

}  // namespace fuselane::wasm_format
