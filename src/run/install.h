// Generated kernels on their way into the threads that call them.
//
// A module of kernels is instantiated once in every thread, each of which has a table of functions of its
// own: the kernels are put at the same place of each table, so that a function pointer means the same
// everywhere. This holds because all threads install the same modules in the same order and nothing else lets
// the tables grow; whoever installs checks it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "library/kernel.h"

namespace fuselane {

// A module that the leader has installed. Only `next` changes afterwards.
struct Install {
  std::vector<uint8_t> module;  // wasm bytes, for the threads that follow
  uint32_t kernels = 0;         // that it exports, in their order
  uint32_t first = 0;           // place of the first in the table of functions
  std::atomic<const Install*> next = nullptr;
};

// Instantiates the module in the calling thread and puts its kernels where the leader has them; false when
// that cannot be done. Given by the host, since only it can.
using InstallHere = bool (*)(const Install& install);

// A kernel and how many modules a thread has to have installed to call it: none for the library's.
struct Callee {
  Kernel function = nullptr;
  uint32_t installs = 0;
};

}  // namespace fuselane
