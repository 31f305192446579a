// All that a combination of terms in float32 may come to: terms are added in double precision, and the order
// of float32's roundings is not known.
#pragma once

#include <cmath>
#include <string>

namespace fuselane {

class Sum {
 public:
  void add(double term);
  // Terms are not known well enough.
  void allow_all() { allows_all_ = true; }
  bool allows(float result) const;
  std::string text() const;

 private:
  double tolerance() const;
  bool may_overflow(double part) const;

  double sum_ = 0;
  double above_ = 0, below_ = 0;  // what is positive, and what is negative, without infinities
  int count_ = 0;
  bool has_nan_ = false, has_infinity_ = false, has_minus_infinity_ = false, allows_all_ = false;
};

class Product {
 public:
  void add(double term);
  void allow_all() { allows_all_ = true; }
  bool allows(float result) const;
  std::string text() const;

 private:
  double product_ = 1;
  double above_ = 0, below_ = 0;  // binary logarithms of what is larger and smaller than 1
  int count_ = 0;
  bool has_nan_ = false, has_infinity_ = false, has_zero_ = false, allows_all_ = false;
};

class Most {
 public:
  void add(float term);
  void allow_all() {}
  bool allows(float result) const;
  std::string text() const;

 private:
  float most_ = -INFINITY;
};

class Least {
 public:
  void add(float term) { negative_.add(-term); }
  void allow_all() {}
  bool allows(float result) const { return negative_.allows(-result); }
  std::string text() const { return negative_.text() + " with another sign"; }

 private:
  Most negative_;
};

}  // namespace fuselane
