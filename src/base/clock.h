// Time, for what tells people how long something took; nothing decides by it but the budget of a run's slice.
#pragma once

#include <chrono>

namespace fuselane {

// Milliseconds since a moment that is the same for the whole process.
inline double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Adds the time of its life to `total_ms`. Where a body runs out of memory (guard.h) the time is not added.
class Stopwatch {
 public:
  explicit Stopwatch(double& total_ms) : total_ms_(total_ms), start_(now_ms()) {}
  ~Stopwatch() { total_ms_ += now_ms() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_ms_;
  double start_;
};

}  // namespace fuselane
