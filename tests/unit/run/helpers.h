// The threads of a crew in tests, entered as a host does: what leaves help() otherwise than by returning is
// told to the crew, and the thread goes back. Kernels of tests throw where wasm would trap.
#pragma once

#include <thread>
#include <vector>

#include "run/crew.h"

namespace fuselane {

class Helpers {
 public:
  explicit Helpers(Crew& crew) : crew_(crew) {
    for (uint32_t thread = 1; thread < crew.threads(); ++thread)
      threads_.emplace_back([this, thread] { serve(thread); });
  }
  ~Helpers() {
    crew_.dismiss();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void serve(uint32_t thread) {
    while (true) {
      try {
        return crew_.help(thread);
      } catch (const std::exception&) {
        crew_.help_trapped(thread);
      }
    }
  }

  Crew& crew_;
  std::vector<std::thread> threads_;
};

}  // namespace fuselane
