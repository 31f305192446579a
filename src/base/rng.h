// Reproducible pseudo-random numbers: SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cstdint>

namespace fuselane {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, bound); bound > 0. The bias is below 2^-32 for bounds under 2^32.
  uint64_t below(uint64_t bound) { return next() % bound; }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // in [0, 1)

 private:
  uint64_t state_;
};

}  // namespace fuselane
