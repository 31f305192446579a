// Where a model's bytes come from: a file, a download held outside the heap, the caller's memory. The host
// implements it.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/printer.h"
#include "base/result.h"

namespace fuselane {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  // Copies bytes [offset, offset + destination.size()) or fails; never copies a part. Error: read-failed.
  virtual Status read(uint64_t offset, std::span<uint8_t> destination) = 0;
};

// Bytes that are in memory already and outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  Status read(uint64_t offset, std::span<uint8_t> destination) override {
    if (offset > bytes_.size() || destination.size() > bytes_.size() - offset) {
      return fail_at(ErrorCode::ReadFailed, static_cast<int64_t>(offset),
                     cat("cannot read ", destination.size(), " bytes at ", offset, " of ", bytes_.size()));
    }
    if (!destination.empty()) std::memcpy(destination.data(), bytes_.data() + offset, destination.size());
    return {};
  }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace fuselane
