// A list whose first few elements lie in the object itself: short lists allocate nothing. What std::vector
// has of the same name does the same here. Of elements that are copied byte by byte, such as ids.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace fuselane {

template <class T, uint32_t kInside>
class SmallVector {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;

  SmallVector() {}
  SmallVector(std::initializer_list<T> elements) { append(elements.begin(), elements.end()); }
  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    size_ = 0;
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

  T* begin() { return is_inside() ? inside_ : outside_; }
  const T* begin() const { return is_inside() ? inside_ : outside_; }
  T* end() { return begin() + size_; }
  const T* end() const { return begin() + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return begin()[i]; }
  const T& operator[](size_t i) const { return begin()[i]; }

  void clear() { size_ = 0; }
  void push_back(T element) {
    if (size_ == capacity_) grow(2 * capacity_);
    begin()[size_++] = element;
  }
  T* insert(T* place, T element) {
    const ptrdiff_t at = place - begin();
    if (size_ == capacity_) grow(2 * capacity_);
    place = begin() + at;
    std::copy_backward(place, end(), end() + 1);
    ++size_;
    *place = element;
    return place;
  }
  T* erase(T* place) {
    std::copy(place + 1, end(), place);
    --size_;
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
  // At the end of an empty list.
  void append(const T* first, const T* last) {
    const auto count = static_cast<uint32_t>(last - first);
    if (count > capacity_) grow(count);
    std::copy(first, last, begin());
    size_ = count;
  }
  void grow(uint32_t capacity) {
    auto* larger = static_cast<T*>(operator new(capacity * sizeof(T)));
    std::copy(begin(), end(), larger);
    const uint32_t size = size_;
    release();
    outside_ = larger;
    capacity_ = capacity;
    size_ = size;
  }
  // Leaves an empty list.
  void release() {
    if (!is_inside()) operator delete(outside_);
    size_ = 0;
    capacity_ = kInside;
  }
  // Of an empty list that is inside.
  void take(SmallVector& other) {
    if (other.is_inside()) {
      append(other.begin(), other.end());
      other.size_ = 0;
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
    T inside_[kInside];
  };
};

}  // namespace fuselane
