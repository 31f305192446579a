// A list whose first few elements lie in the object itself: short lists allocate nothing. What std::vector
// has of the same name does the same here.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

namespace fuselane {

template <class T, uint32_t kInside>
class SmallVector {
 public:
  using value_type = T;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> elements) { append(elements.begin(), elements.end()); }
  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    clear();
    append(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    release();
    take(other);
    return *this;
  }
  ~SmallVector() { release(); }

  T* begin() { return is_inside() ? reinterpret_cast<T*>(inside_) : outside_; }
  const T* begin() const { return is_inside() ? reinterpret_cast<const T*>(inside_) : outside_; }
  T* end() { return begin() + size_; }
  const T* end() const { return begin() + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return begin()[i]; }
  const T& operator[](size_t i) const { return begin()[i]; }

  void clear() {
    std::destroy_n(begin(), size_);
    size_ = 0;
  }
  void push_back(T element) {
    if (size_ == capacity_) grow(2 * capacity_);
    std::construct_at(end(), std::move(element));
    ++size_;
  }
  T* insert(T* place, T element) {
    const ptrdiff_t at = place - begin();
    push_back(element);
    std::move_backward(begin() + at, end() - 1, end());
    begin()[at] = std::move(element);
    return begin() + at;
  }
  T* erase(T* place) {
    std::move(place + 1, end(), place);
    --size_;
    std::destroy_at(end());
    return place;
  }

  bool operator==(const SmallVector& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  auto operator<=>(const SmallVector& other) const {
    return std::lexicographical_compare_three_way(begin(), end(), other.begin(), other.end());
  }

 private:
  bool is_inside() const { return capacity_ == kInside; }
  // At the end of an empty list, or of one with room for them.
  void append(const T* first, const T* last) {
    const auto count = static_cast<uint32_t>(last - first);
    if (size_ + count > capacity_) grow(size_ + count);
    std::uninitialized_copy(first, last, end());
    size_ += count;
  }
  void grow(uint32_t capacity) {
    auto* larger = static_cast<T*>(operator new(capacity * sizeof(T)));
    std::uninitialized_move_n(begin(), size_, larger);
    const uint32_t size = size_;
    release();
    outside_ = larger;
    capacity_ = capacity;
    size_ = size;
  }
  // Leaves an empty list.
  void release() {
    clear();
    if (!is_inside()) operator delete(outside_);
    capacity_ = kInside;
  }
  // Of an empty list that is inside.
  void take(SmallVector& other) {
    if (other.is_inside()) {
      std::uninitialized_move_n(other.begin(), other.size_, begin());
      size_ = other.size_;
      other.clear();
    } else {
      outside_ = other.outside_;
      capacity_ = std::exchange(other.capacity_, kInside);
      size_ = std::exchange(other.size_, 0);
    }
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = kInside;
  union {
    T* outside_;
    alignas(T) std::byte inside_[kInside * sizeof(T)];
  };
};

}  // namespace fuselane
