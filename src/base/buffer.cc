#include "base/buffer.h"

#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/checked.h"
#include "base/printer.h"

namespace fuselane {

void Buffer::Free::operator()(uint8_t* block) const { std::free(block); }

Result<Buffer> Buffer::allocate(uint64_t size) {
  Buffer buffer;
  if (size == 0) return buffer;
  // Half of the address space bounds every block, so that pointer differences stay representable.
  constexpr uint64_t kMost = std::numeric_limits<size_t>::max() / 2 - kAlignment;
  void* block = nullptr;
  if (size <= kMost) block = std::aligned_alloc(kAlignment, static_cast<size_t>(align_up(size, kAlignment)));
  if (!block) return fail(ErrorCode::OutOfMemory, cat("could not allocate ", size, " bytes"));
  buffer.data_.reset(static_cast<uint8_t*>(block));
  buffer.size_ = static_cast<size_t>(size);
  return buffer;
}

Result<Buffer> Buffer::allocate_zeroed(uint64_t size) {
  auto buffer = allocate(size);
  if (buffer && size != 0) std::memset(buffer->data(), 0, buffer->size());
  return buffer;
}

}  // namespace fuselane
