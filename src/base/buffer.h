// Memory that can say no: an owned block aligned to 64 bytes (a cache line, four SIMD vectors), or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"

namespace fuselane {

class Buffer {
 public:
  static constexpr size_t kAlignment = 64;

  Buffer() = default;
  // Uninitialized; an allocation of 0 bytes succeeds and holds nothing. Error: out-of-memory, with the size.
  static Result<Buffer> allocate(uint64_t size);
  // Zeroed, likewise.
  static Result<Buffer> allocate_zeroed(uint64_t size);

  uint8_t* data() const { return data_.get(); }
  size_t size() const { return size_; }
  std::span<uint8_t> bytes() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(uint8_t* block) const;
  };
  std::unique_ptr<uint8_t[], Free> data_;
  size_t size_ = 0;
};

}  // namespace fuselane
