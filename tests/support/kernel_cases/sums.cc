#include "tests/support/kernel_cases/sums.h"

#include <algorithm>
#include <limits>

#include "base/printer.h"

namespace fuselane {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();

}  // namespace

void Sum::add(double term) {
  ++count_;
  if (std::isnan(term)) has_nan_ = true;
  if (std::isinf(term)) (term > 0 ? has_infinity_ : has_minus_infinity_) = true;
  if (!std::isfinite(term)) return;
  sum_ += term;
  (term > 0 ? above_ : below_) += std::abs(term);
}

// Each term is in at most as many roundings as there are terms, and its own.
double Sum::tolerance() const { return (count_ + 2) * (0x1p-24 * (above_ + below_) * 1.001 + 0x1p-149); }

bool Sum::may_overflow(double part) const { return part * (1 + (count_ + 2) * 0x1p-23) >= kLargest; }

bool Sum::allows(float result) const {
  if (allows_all_) return true;
  bool may_be_infinite = has_infinity_ || may_overflow(above_);
  bool may_be_minus_infinite = has_minus_infinity_ || may_overflow(below_);
  if (std::isnan(result)) return has_nan_ || (may_be_infinite && may_be_minus_infinite);
  if (has_nan_) return false;
  if (std::isinf(result))
    return result > 0 ? may_be_infinite && !has_minus_infinity_ : may_be_minus_infinite && !has_infinity_;
  return !has_infinity_ && !has_minus_infinity_ && std::abs(result - sum_) <= tolerance();
}

std::string Sum::text() const {
  return cat("and the sum of ", count_, " terms ", sum_, ", off by at most ", tolerance(),
             has_nan_ ? ", with NaN" : "", has_infinity_ ? ", with inf" : "",
             has_minus_infinity_ ? ", with -inf" : "");
}

void Product::add(double term) {
  ++count_;
  if (std::isnan(term)) has_nan_ = true;
  if (std::isinf(term)) has_infinity_ = true;
  if (term == 0) has_zero_ = true;
  product_ *= term;
  if (!std::isfinite(term) || term == 0) return;
  double logarithm = std::log2(std::abs(term));
  (logarithm > 0 ? above_ : below_) += std::abs(logarithm);
}

bool Product::allows(float result) const {
  if (allows_all_) return true;
  if (has_nan_ || (has_infinity_ && has_zero_)) return std::isnan(result);
  bool may_overflow = above_ > 127.9;
  bool may_lose_bits = below_ > 125.9;
  // A part may have been infinite or zero: then not even the class is known.
  if ((may_overflow && may_lose_bits) || (may_overflow && has_zero_) || (may_lose_bits && has_infinity_))
    return true;
  if (has_infinity_) return result == product_;
  if (has_zero_) return result == 0;
  if (may_overflow && std::isinf(result)) return std::signbit(result) == std::signbit(product_);
  double off = std::abs(result - product_);
  double relative = count_ * 0x1p-24 * 1.001 * std::abs(product_);
  // Once it is below the normal numbers it has lost bits, which later terms may make large.
  return off <= relative ||
         (may_lose_bits && off <= std::ldexp(count_ * 0x1p-149, static_cast<int>(above_) + 1));
}

std::string Product::text() const { return cat("and the product of ", count_, " terms ", product_); }

void Most::add(float term) {
  if (std::isnan(most_) || term < most_) return;
  if (term == 0 && most_ == 0 && std::signbit(term)) return;
  most_ = term;
}

bool Most::allows(float result) const {
  if (std::isnan(most_)) return std::isnan(result);
  return result == most_ && std::signbit(result) == std::signbit(most_);
}

std::string Most::text() const { return cat("and the largest is ", most_); }

}  // namespace fuselane
