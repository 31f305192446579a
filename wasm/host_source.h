// A model's bytes where the host has them: a JavaScript object {size, read(offset, length, pointer),
// close()}. `read` copies into the heap at once and returns an empty string, or the sentence of why it could
// not.
#pragma once

#include <emscripten/val.h>

#include <string>

#include "engine/engine.h"

namespace fuselane {

class HostSource final : public ByteSource {
 public:
  HostSource(emscripten::val host, std::string name)
      : host_(std::move(host)),
        name_(std::move(name)),
        size_(static_cast<uint64_t>(host_["size"].as<double>())) {}
  ~HostSource() override { host_.call<void>("close"); }
  HostSource(const HostSource&) = delete;
  HostSource& operator=(const HostSource&) = delete;

  uint64_t size() const override { return size_; }

  Status read(uint64_t offset, std::span<uint8_t> destination) override {
    const auto refuse = [&](std::string_view reason) -> Status {
      auto error = fail_about(
          ErrorCode::ReadFailed, name_,
          cat("reading ", destination.size(), " bytes at ", offset, " of ", name_, " failed: ", reason));
      error.error().offset = static_cast<int64_t>(offset);
      return error;
    };
    if (offset > size_ || destination.size() > size_ - offset) return refuse(cat("it has ", size_, " bytes"));
    if (destination.empty()) return {};
    const auto pointer = reinterpret_cast<uintptr_t>(destination.data());
    const auto reason = host_.call<std::string>("read", static_cast<double>(offset),
                                                static_cast<double>(destination.size()), pointer);
    if (!reason.empty()) return refuse(reason);
    return {};
  }

 private:
  emscripten::val host_;
  std::string name_;
  uint64_t size_;
};

}  // namespace fuselane
