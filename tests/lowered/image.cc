#include "tests/lowered/image.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "lower/lower.h"

namespace fuselane {
namespace {

constexpr size_t kPage = 65536;

}  // namespace

Image::Image(const Case& c, const std::vector<int64_t>& sizes, size_t pages, Rng& rng) {
  size_t count = c.buffers.size();
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = count; i-- > 1;) std::swap(order[i], order[rng.below(i + 1)]);
  std::vector<size_t> offsets(count);
  size_t end = sizeof(uint32_t) * (1 + count + sizes.size());
  for (size_t i : order) {
    end += sizeof(float) * static_cast<size_t>(rng.between(1, 5));
    offsets[i] = end;
    end += c.buffers[i].size() * sizeof(float);
  }
  begin = pages == 0 ? kFirstBuffer : pages * kPage - end;
  memory.resize(begin);
  for (size_t i = 0; i < end; i += sizeof(kGapBits)) {
    const auto* gap = reinterpret_cast<const uint8_t*>(&kGapBits);
    memory.insert(memory.end(), gap, gap + sizeof(kGapBits));
  }
  std::vector<uint32_t> values;
  for (size_t offset : offsets) values.push_back(static_cast<uint32_t>(begin + offset));
  for (int64_t size : sizes) values.push_back(static_cast<uint32_t>(size));
  arguments = static_cast<uint32_t>(begin + sizeof(uint32_t));
  std::memcpy(memory.data() + arguments, values.data(), values.size() * sizeof(uint32_t));
  for (size_t i = 0; i < count; ++i) {
    if (!c.buffers[i].empty())
      std::memcpy(memory.data() + values[i], c.buffers[i].data(), c.buffers[i].size() * sizeof(float));
  }
  result_address_ = values[count - 1];
  result_bytes_ = c.buffers.back().size() * sizeof(float);
}

std::vector<float> Image::result() const {
  std::vector<float> elements(result_bytes_ / sizeof(float));
  if (!elements.empty()) std::memcpy(elements.data(), memory.data() + result_address_, result_bytes_);
  return elements;
}

bool Image::is_same_around(const Image& other) const {
  auto result = static_cast<std::ptrdiff_t>(result_address_);
  auto after = static_cast<std::ptrdiff_t>(result_address_ + result_bytes_);
  return memory.size() == other.memory.size() &&
         std::equal(memory.begin(), memory.begin() + result, other.memory.begin()) &&
         std::equal(memory.begin() + after, memory.end(), other.memory.begin() + after);
}

}  // namespace fuselane
