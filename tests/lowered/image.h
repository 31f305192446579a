// A case as a kernel finds it in memory: a struct of arguments, and the buffers in random order with gaps
// between them, the last one up to the very end.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "tests/support/kernel_cases/cases.h"

namespace fuselane {

class Image {
 public:
  // `sizes` in the kernel's order. The memory is `pages` of 64 kB, of which the image is the end; with none
  // as many bytes as no buffer lies in come before it. The image must have room there.
  Image(const Case& c, const std::vector<int64_t>& sizes, size_t pages, Rng& rng);

  std::vector<uint8_t> memory;
  size_t begin = 0;        // of the image in memory
  uint32_t arguments = 0;  // address of the struct

  std::vector<float> result() const;
  // Whether all but the result is as it was in the other one.
  bool is_same_around(const Image& other) const;

 private:
  size_t result_address_ = 0, result_bytes_ = 0;
};

}  // namespace fuselane
